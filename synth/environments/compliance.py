"""Compliance: the rules of a task on how it is done, held against the log of turns.

`params["rules"]` of a task may name `must_use` (tools that have to be called with success) and `never` (tools that must
not be called, nor tried); the first observation says so. A broken rule voids the rollout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from warehouse.records import JsonValue, Task


def violations(task: Task, turns: Sequence[Mapping[str, JsonValue]]) -> tuple[str, ...]:
    """The rules that a rollout broke, as `must_use:TOOL` and `never:TOOL`, in the order of the rules."""
    tried = [(name_of(turn), turn.get("error") is None) for turn in turns]
    used = {name for name, worked in tried if worked}
    missed = [f"must_use:{name}" for name in named(task, "must_use") if name not in used]
    return (*missed, *(f"never:{name}" for name in named(task, "never") if name in {name for name, _ in tried}))


def named(task: Task, rule: str) -> tuple[str, ...]:
    """The tools that a rule of the task names."""
    rules: object = task.params.get("rules")
    listed = rules.get(rule, ()) if isinstance(rules, Mapping) else ()
    return tuple(map(str, listed)) if isinstance(listed, list | tuple) else ()


def told(task: Task) -> str:
    """The rules in words; empty when there are none."""
    lines = [f"You must use {name}." for name in named(task, "must_use")]
    lines += [f"Never call {name}." for name in named(task, "never")]
    return " ".join(lines)


def name_of(turn: Mapping[str, JsonValue]) -> str:
    """The tool that a turn calls; empty when it calls none."""
    call = turn.get("tool_call")
    return str(call.get("name", "")) if isinstance(call, Mapping) else ""
