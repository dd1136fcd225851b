"""A connection to an MCP server over stdio, its tools as ours, from ordinary (not asynchronous) code.

A server that hangs, dies or answers with rubbish is a `ToolError` within the time limit of a call; one that cannot be
started is `Infrastructure`.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from datetime import timedelta
from functools import partial
from typing import Any

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult, TextContent
from mcp.types import Tool as RemoteTool
from pydantic import BaseModel, ConfigDict, Field, create_model

from synth.environments.tools import Infrastructure, Tool, ToolError

GRACE_S = 2.0
"""Time beyond the limit of a call after which the connection itself is taken for dead, seconds."""
MOST_CHARACTERS = 100_000
_TYPES: Mapping[str, Any] = {
    "string": str, "integer": int, "number": float, "boolean": bool, "array": list[Any], "object": dict[str, Any],
}  # fmt: skip


class Connection:
    """One server process and the session with it; `close` ends both."""

    def __init__(self, command: str, args: Sequence[str], *, timeout_s: float = 10.0, start_s: float = 60.0) -> None:
        self._timeout_s, self._stack = timeout_s, ExitStack()
        self._dead: str | None = None
        self._portal: BlockingPortal = self._stack.enter_context(start_blocking_portal())
        try:
            made = _session(StdioServerParameters(command=command, args=list(args)), start_s)
            self._session = self._stack.enter_context(self._portal.wrap_async_context_manager(made))
            self._tools = self._portal.call(self._session.list_tools).tools
        except Exception as error:
            self.close()
            raise Infrastructure(
                f"the tool server did not start: {type(error).__name__}: {str(error)[:200]}"
            ) from error

    @property
    def tools(self) -> list[Tool]:
        """The server's tools, with checks that follow from their schemas."""
        return [
            Tool(one.name, one.description or one.name, parameters_of(one), self._runner(one.name))
            for one in self._tools
        ]

    def _runner(self, name: str) -> Callable[..., str]:
        return lambda **arguments: self.call(name, arguments)

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """What a tool says; raises `ToolError` for what it refuses, and when the server hangs or is gone."""
        if self._dead is not None:
            raise ToolError(self._dead)
        given = {key: value for key, value in arguments.items() if value is not None}
        try:
            result = self._portal.call(partial(self._asked, name, given))
        except TimeoutError:
            raise ToolError(f"{name} did not answer within {self._timeout_s:g} s") from None
        except McpError as error:
            if "closed" in str(error).lower():
                self._dead = "the tool server is gone; its tools cannot be used any more"
                raise ToolError(self._dead) from error
            late = "timed out" in str(error).lower()
            said = f"did not answer within {self._timeout_s:g} s" if late else f"failed: {str(error)[:200]}"
            raise ToolError(f"{name} {said}") from error
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError) as error:
            self._dead = "the tool server is gone; its tools cannot be used any more"
            raise ToolError(self._dead) from error
        text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))[:MOST_CHARACTERS]
        if result.isError:
            raise ToolError(text or f"{name} failed")
        return text

    async def _asked(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        with anyio.fail_after(self._timeout_s + GRACE_S):
            return await self._session.call_tool(
                name, arguments, read_timeout_seconds=timedelta(seconds=self._timeout_s)
            )

    def close(self) -> None:
        """Ends the session and the server; a server that is gone already is no matter."""
        with contextlib.suppress(Exception):
            self._stack.close()


@asynccontextmanager
async def _session(server: StdioServerParameters, start_s: float) -> AsyncIterator[ClientSession]:
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        with anyio.fail_after(start_s):
            await session.initialize()
        yield session


def parameters_of(remote: RemoteTool) -> type[BaseModel]:
    """A model of a remote tool's arguments: names, required ones, and plain JSON types; other types take anything."""
    schema = remote.inputSchema
    required = set(schema.get("required", ()))
    fields: dict[str, Any] = {}
    for name, said in schema.get("properties", {}).items():
        kind = _TYPES.get(str(said.get("type")), Any)
        fields[name] = (kind, ...) if name in required else (kind | None if kind is not Any else Any, Field(None))
    return create_model(remote.name, __config__=ConfigDict(extra="forbid"), **fields)
