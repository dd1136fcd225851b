"""What can go wrong around the sandbox, apart from verdicts about programs."""

from __future__ import annotations

from warehouse.errors import GradatimError


class SandboxUnavailable(GradatimError):
    """No isolation works on this machine; untrusted programs are refused, never run without it."""


class WorkerLost(GradatimError):
    """A worker died or answered nonsense; it is replaced and the execution tried again."""
