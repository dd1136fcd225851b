-- Scaffolds of held-out tasks are private; those stored before stay where they are.
ALTER TABLE private.task_secrets ADD COLUMN IF NOT EXISTS scaffold VARCHAR;
