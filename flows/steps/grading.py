"""Grader stacks examined, and where graders disagree about stored rollouts."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from flows.settings import Settings
from flows.steps.upkeep import existing_store
from synth.graders import GRADERS, Scored, StackConfig, conflicts, default_config, problems, read_config
from warehouse.errors import UserError
from warehouse.records import Stage

Row = Mapping[str, object]


def stack_problems(file: Path | None, *, default: bool) -> list[Row]:
    """One row a problem of the stack in `file`, or of the default one: its nodes, the message, whether it is fatal.

    Raises `UserError` unless exactly one is asked for, for a missing file and for one that declares no stack.
    """
    if (file is None) != default:
        raise UserError("give one stack to check: a FILE, or --default; see: gradatim graders check --help")
    if file is not None and not file.is_file():
        raise UserError(f"file '{file}' is not there; see: gradatim graders check --help")
    config = read_config(_text(file), str(file)) if file else default_config()
    return [{"nodes": list(p.nodes), "message": p.message, "fatal": p.fatal} for p in problems(config)]


def refuse_fatal(found: Sequence[Row], file: Path | None) -> None:
    """Raise `UserError` with the first fatal problem, when there is one."""
    fatal = [row for row in found if row["fatal"]]
    if fatal:
        nodes = fatal[0]["nodes"]
        place = f"{', '.join(nodes)}: " if isinstance(nodes, list) and nodes else ""
        message = f"{file or 'default stack'}: {place}{fatal[0]['message']}"
        raise UserError(message if "; see: " in message else f"{message}; see: gradatim graders --help")


def grader_table() -> list[Row]:
    """Every grader: kind, version, the names of its parameters, and what it does in one line."""
    return [
        {
            "grader": kind.name,
            "kind": str(kind.kind),
            "version": kind.version,
            "params": sorted(kind.Settings.model_fields),
            "meaning": (inspect.getdoc(kind) or "").partition("\n")[0],
        }
        for kind in GRADERS
    ]


def conflict_matrix(settings: Settings) -> list[Row]:
    """One row for each pair of graders and bucket that share stored rollouts, the worst flip rate first.

    Costs are turned round before they are compared; the parts of S itself are no graders.
    """
    with existing_store(settings, read_only=True) as store:
        rows = store.named("graded_rollouts").to_pylist()
        stages = store.read(Stage)
    scored = [Scored(row["task_id"], row["bucket"], row["group"], _scores(row["parts"])) for row in rows]
    names = sorted({name for one in scored for name in one.parts})
    return [asdict(cell) for cell in conflicts(scored, names, worse=_costs(stages))]


def _scores(parts: str) -> dict[str, float]:
    """The graders' scores among a rollout's parts."""
    return {name: value for name, value in json.loads(parts).items() if name != "S" and "/" not in name}


def _costs(stages: Sequence[Stage]) -> frozenset[str]:
    """Names of nodes along cost, time or risk in any stage's stack."""
    declared = [dict(stage.config).get("graders") for stage in stages]
    nodes = [node for stack in declared if isinstance(stack, dict) for node in StackConfig.model_validate(stack).grader]
    return frozenset(node.name for node in nodes if node.axis != "quality")


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UserError(f"{file} is not text in UTF-8; see: gradatim graders check --help") from error
