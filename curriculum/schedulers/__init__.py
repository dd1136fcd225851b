"""Schedulers under one protocol, one a file."""
