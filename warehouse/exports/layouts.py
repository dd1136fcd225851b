"""How one task looks to the readers of TRL, verl, prime-rl (verifiers), reasoning-gym, and to ourselves."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from warehouse.contracts import contract
from warehouse.errors import unknown_name
from warehouse.records import Task

Row = dict[str, Any]


def _told(task: Task, origin: str | None) -> Row:
    """What judging needs beyond the gold answer, and who made the task, as flat text columns."""
    return {
        "task_id": task.task_id,
        "domain": str(task.domain),
        "family": task.family,
        "level": task.level,
        "answer_kind": task.answer_kind,
        "entry": task.entry,
        "scaffold": task.scaffold,
        "tests": task.tests,
        "hidden_tests": task.hidden_tests,
        "reference": task.reference,
        "source": task.source,
        "split": str(task.split),
        "kind": str(task.kind),
        "params": json.dumps(dict(task.params), sort_keys=True, ensure_ascii=False),
        "parents": json.dumps(list(task.parents)),
        "origin": origin,
    }


def _chat(task: Task) -> list[Row]:
    return [{"role": "user", "content": task.prompt}]


def _gradatim(task: Task, origin: str | None) -> Row:
    """Every column of the record; JSON as text."""
    return {"prompt": task.prompt, "gold": task.gold, **_told(task, origin)}


def _trl(task: Task, origin: str | None) -> Row:
    """A conversational `prompt`; every other column reaches TRL's reward functions by its name."""
    return {"prompt": _chat(task), "solution": task.gold, **_told(task, origin)}


def _verl(task: Task, origin: str | None) -> Row:
    """verl's RLHF dataset: `data_source`, `prompt`, `ability`, `reward_model`, `extra_info`."""
    truth = task.gold if task.gold is not None else task.tests
    return {
        "data_source": f"gradatim/{task.family}",
        "prompt": _chat(task),
        "ability": str(task.domain),
        "reward_model": {"style": "rule", "ground_truth": truth},
        "extra_info": {"index": task.params.get("index"), "gold": task.gold, **_told(task, origin)},
    }


def _prime_rl(task: Task, origin: str | None) -> Row:
    """A verifiers environment's dataset: `question`, `answer`, `task`, and `info` as JSON text."""
    info = {"gold": task.gold, **_told(task, origin)}
    return {
        "question": task.prompt,
        "answer": task.gold or "",
        "task": task.family,
        "info": json.dumps(info, sort_keys=True, ensure_ascii=False),
    }


def _reasoning_gym(task: Task, origin: str | None) -> Row:
    """reasoning-gym's item: `question`, `answer`, `metadata` with source and difficulty."""
    return {
        "question": task.prompt,
        "answer": task.gold,
        "metadata": {
            "source_dataset": task.family,
            "source_index": task.params.get("index"),
            "difficulty": {"level": task.level},
            **_told(task, origin),
        },
    }


LAYOUTS: Mapping[str, Callable[[Task, str | None], Row]] = {
    "gradatim": _gradatim,
    "trl": _trl,
    "verl": _verl,
    "prime-rl": _prime_rl,
    "reasoning-gym": _reasoning_gym,
}
"""The row of a task, and of the text of its origin, by layout name."""


def layout(name: str) -> Callable[[Task, str | None], Row]:
    """The layout called `name`; raises `UserError` with the nearest names when there is none."""
    if name not in LAYOUTS:
        raise unknown_name("layout", name, LAYOUTS, "gradatim export --help")
    return LAYOUTS[name]


def task_fields(name: str, row: Row) -> tuple[Row, str | None]:
    """The columns of a task's record, as stored, and the text of its origin, from a row of layout `name`."""
    if name in ("gradatim", "trl"):
        told = dict(row)
        if name == "trl":
            told |= {"prompt": row["prompt"][0]["content"], "gold": row["solution"]}
    elif name == "verl":
        told = {**row["extra_info"], "prompt": row["prompt"][0]["content"]}
    elif name == "prime-rl":
        told = {**json.loads(row["info"]), "prompt": row["question"]}
    else:
        told = {**row["metadata"], "prompt": row["question"], "gold": row["answer"]}
    return {c.name: told.get(c.name) for c in contract(Task).columns}, told.get("origin")
