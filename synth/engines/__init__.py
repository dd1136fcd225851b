"""Engines that answer in text."""

from synth.engines.protocol import Answered, Ask, Engine, Reply

__all__ = ["Answered", "Ask", "Engine", "Reply"]
