"""Detectors of collapse: pure functions of series, one a file."""
