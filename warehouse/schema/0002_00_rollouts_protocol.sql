-- Evaluation rollouts say under which protocol they were sampled; those stored before say nothing.
ALTER TABLE rollouts ADD COLUMN IF NOT EXISTS protocol_hash VARCHAR;
