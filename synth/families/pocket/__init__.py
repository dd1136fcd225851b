"""Families that fit the pocket policy: prompts of at most 24 characters, bare answers of at most 12."""
