"""Prefect flows, the command line, the report and the board: thin shells that load, call, save and publish."""
