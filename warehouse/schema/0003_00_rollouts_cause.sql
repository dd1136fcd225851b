-- Rollouts say why they failed; those stored before say nothing.
ALTER TABLE rollouts ADD COLUMN IF NOT EXISTS cause VARCHAR;
