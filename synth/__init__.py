"""Tasks worth training on: families, evidence, judges, sandbox, dedup and decontamination."""
