"""The same goals with the tools behind MCP: a server process for each episode, by the official Python SDK."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from synth.environments.environment import environment
from synth.environments.tools import Infrastructure, Tool, as_tool
from synth.environments.toolsets.workplace import Workplace
from synth.sandbox import Pool
from warehouse.records import Task

TIMEOUT_S = 10.0
"""Longest wait for one call, seconds."""


@environment("toolset_mcp", version=1)
class Served(Workplace):
    """A toolset whose tools are reached over MCP; needs `pip install 'gradatim[agents]'`."""

    def __init__(self, pool: Pool) -> None:
        super().__init__(pool)
        self._remote: list[Tool] = []
        self._end: Callable[[], None] | None = None

    def reset(self, task: Task) -> str:
        """A fresh server; raises `Infrastructure` where there is no SDK or the server does not start."""
        self.close()
        try:
            from synth.toolservers.client import Connection
        except ImportError as error:
            raise Infrastructure(f"MCP needs {error.name}: pip install 'gradatim[agents]'") from error
        text = super().reset(task)
        arguments = ["-m", "synth.toolservers.server", task.scaffold or "{}"]
        connection = Connection(sys.executable, arguments, timeout_s=TIMEOUT_S)
        self._remote, self._end = connection.tools, connection.close
        return text

    @property
    def tools(self) -> Sequence[Tool]:
        """The server's tools, and `answer`."""
        return [*self._remote, as_tool(self.answer)]

    def close(self) -> None:
        """Ends the server."""
        if self._end is not None:
            self._end()
        self._end = None
