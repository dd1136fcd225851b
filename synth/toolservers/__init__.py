"""Tools in other processes over MCP, by the official Python SDK: needs the extra `agents`."""
