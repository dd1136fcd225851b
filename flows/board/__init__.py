"""The board: a marimo application over the warehouse, which it only reads."""

from flows.board.serving import Address, serve

__all__ = ["Address", "serve"]
