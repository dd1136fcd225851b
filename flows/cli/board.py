"""`gradatim board`: the warehouse in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import AsJson, home_of
from flows.cli.output import print_json, say

if TYPE_CHECKING:
    from flows.board import Address


def command(
    context: typer.Context,
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.", min=0, max=65535)] = 2718,
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 lets other machines in.")] = "127.0.0.1",
    no_token: Annotated[
        bool, typer.Option("--no-token", help="Let in whoever reaches the port, web pages open beside it included.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Serve the board until Ctrl-C: runs, tasks, SQL, funnel, collapse, graders, comparisons; it changes nothing.

    The printed address carries a token, since every user of this machine can reach a port on it, and so can any page
    that your browser has open. --no-token is for a proxy that lets in the right people itself.

    Example: gradatim board --port 2718
    """
    from flows.board import serve
    from flows.settings import prepared

    def ready(address: Address) -> None:
        if as_json:
            print_json({"url": address.url, "host": address.host, "port": address.port})
        else:
            typer.echo(f"the board: {address.url}")
            say("Ctrl-C ends it")

    serve(prepared(home_of(context)), host=host, port=port, token=not no_token, ready=ready)
    say("gradatim: the board is closed; nothing is left running")
