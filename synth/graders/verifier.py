"""Which verifier judges a task, and its version: under a higher one a verdict may come out otherwise."""

from __future__ import annotations

from typing import NamedTuple

from warehouse.records import Domain


class Verifier(NamedTuple):
    """Who decides, and under which rules; `version` is raised with every change of a rule."""

    name: str
    version: str
    lineage: str


MATH = Verifier("synth.math", "1", "synth.math")
SANDBOX = Verifier("synth.sandbox", "3", "sandbox")


def verifier_of(domain: Domain) -> Verifier:
    """The verifier of a domain's completions: the sandbox for code and agents, the math checker for the others."""
    return SANDBOX if domain in (Domain.CODE, Domain.AGENT) else MATH
