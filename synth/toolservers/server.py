"""A service over MCP on standard input and output: `python -m synth.toolservers.server SERVICE_JSON`."""

from __future__ import annotations

import asyncio
import json
import sys

from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from synth.environments.tools import ToolError
from synth.environments.toolsets.service import Service


def serving(service: Service) -> Server[object]:
    """An MCP server of the service's tools; what a tool refuses is an error result with its message."""
    server: Server[object] = Server("toolset")
    tools = {one.name: one for one in service.tools()}

    @server.list_tools()  # type: ignore[no-untyped-call, untyped-decorator]
    async def listed() -> list[types.Tool]:
        return [
            types.Tool(name=one.name, description=one.meaning, inputSchema=one.parameters.model_json_schema())
            for one in tools.values()
        ]

    @server.call_tool(validate_input=False)  # type: ignore[untyped-decorator]
    async def call(name: str, arguments: dict[str, object]) -> list[types.TextContent]:
        if name not in tools:
            raise ToolError(f"there is no tool {name[:100]!r}")
        return [types.TextContent(type="text", text=tools[name].run(**tools[name].checked(arguments)))]

    return server


async def _serve(service: Service) -> None:
    server = serving(service)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(_serve(Service.made(json.loads(sys.argv[1]))))
