"""Untrusted programs, judged from outside: expected values never enter the sandbox."""

from synth.sandbox.case import Test

__all__ = ["Test"]
