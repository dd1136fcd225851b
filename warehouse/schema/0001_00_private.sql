-- The schema of hidden tests and of what held-out tasks must not show; attached only when asked for by name.
CREATE SCHEMA IF NOT EXISTS private;
