"""Procedural task families, one a file."""
