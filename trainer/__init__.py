"""The only code that knows torch, transformers, TRL and vLLM."""
