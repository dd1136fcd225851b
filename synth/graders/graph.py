"""The graph of a stack: its order, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import ValidationError

from synth.graders.config import Node, StackConfig
from synth.graders.grader import GRADERS, Kind
from warehouse.errors import GradatimError, UserError


class StackInvalid(GradatimError):
    """A stack that cannot be used as declared; the message lists every problem."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a stack: its nodes and why; `fatal` ones forbid its use."""

    nodes: tuple[str, ...]
    message: str
    fatal: bool = True


def order(nodes: Iterable[Node]) -> list[Node]:
    """Nodes so that each comes after all that it needs, otherwise as declared; raises `StackInvalid` for a cycle.

    Needs that name no node are passed over; `problems` reports them.
    """
    waiting = {node.name: node for node in nodes}
    placed: list[Node] = []
    while waiting:
        ready = [node for node in waiting.values() if not any(need in waiting for need in node.needs)]
        if not ready:
            raise StackInvalid(f"graders need each other in a circle: {' -> '.join(_circle(waiting))}")
        placed.append(ready[0])
        del waiting[ready[0].name]
    return placed


def _circle(waiting: dict[str, Node]) -> list[str]:
    """One cycle among nodes that all wait for each other."""
    path = [next(iter(waiting))]
    while True:
        following = next(need for need in waiting[path[-1]].needs if need in waiting)
        if following in path:
            return [*path[path.index(following) :], following]
        path.append(following)


def problems(config: StackConfig) -> list[Problem]:
    """Everything wrong with a stack: names, cycles, dead gates, parameters, weights, stages."""
    found: list[Problem] = []
    nodes = {node.name: node for node in config.grader}
    names = [node.name for node in config.grader]
    found += [Problem((name,), "the name is used twice") for name in sorted({n for n in names if names.count(n) > 1})]
    for node in config.grader:
        found += [
            Problem((node.name,), f"needs '{need}', which is no grader here")
            for need in node.needs
            if need not in nodes
        ]
        found += _own(node)
    try:
        order(config.grader)
    except StackInvalid as circle:
        found.append(Problem((), str(circle)))
    found += _gates(config)
    found += _weights(config)
    return found


def _own(node: Node) -> list[Problem]:
    try:
        kind = GRADERS.get(node.uses)
    except UserError as unknown:
        return [Problem((node.name,), str(unknown))]
    found: list[Problem] = []
    try:
        kind.Settings.model_validate(dict(node.params))
    except ValidationError as error:
        first = error.errors()[0]
        found.append(Problem((node.name,), f"params.{'.'.join(map(str, first['loc']))}: {first['msg']}"))
    if kind.kind is Kind.ANTI_CHEAT and (node.axis != "quality" or node.weight):
        found.append(Problem((node.name,), "an anti-cheat voids a rollout and adds nothing: give it weight 0"))
    if node.stages is not None and not 1 <= node.stages[0] <= node.stages[1]:
        found.append(Problem((node.name,), f"stages {node.stages[0]} to {node.stages[1]} never come"))
    return found


def _gates(config: StackConfig) -> list[Problem]:
    """Gates that nothing depends on, that always stand open, or that are inactive while a dependent is active."""
    found = []
    for node in config.grader:
        dependents = [other for other in config.grader if node.name in other.needs]
        if node.gate and not dependents:
            found.append(Problem((node.name,), "a dead gate: nothing needs it"))
        if node.gate and node.gate_at == 0:
            found.append(Problem((node.name,), "a dead gate: every score is at least 0"))
        for other in dependents:
            if node.gate and not _covers(node, other):
                message = f"active in stages in which its gate '{node.name}' is not: the gate then stands open"
                found.append(Problem((other.name, node.name), message, fatal=False))
    return found


def _covers(gate: Node, dependent: Node) -> bool:
    if gate.stages is None:
        return True
    if dependent.stages is None:
        return False
    return gate.stages[0] <= dependent.stages[0] and dependent.stages[1] <= gate.stages[1]


def _weights(config: StackConfig) -> list[Problem]:
    found = []
    weights = config.weights
    divisor = config.costs.scale if config.costs.act == "scaled" else 1.0
    costs = (weights.cost + weights.time + weights.risk) / divisor
    if costs >= weights.quality:
        message = f"cost, time and risk weigh {costs:g} together, must be below quality {weights.quality:g}"
        found.append(Problem((), f"{message}: else short but wrong beats right"))
    for axis in ("quality", "cost", "time", "risk"):
        weighted = [node for node in config.grader if node.axis == axis and node.weight > 0]
        weight: float = getattr(weights, axis)
        if axis == "quality" and not weighted:
            found.append(Problem((), "no grader of quality has weight: every S would be 0"))
        if axis != "quality" and weight > 0 and not weighted:
            found.append(Problem((), f"weight {weight:g} for {axis}, but no grader along it", fatal=False))
        if axis != "quality" and weight == 0 and weighted:
            names = tuple(node.name for node in weighted)
            found.append(Problem(names, f"graders along {axis}, which has weight 0", fatal=False))
    return found
