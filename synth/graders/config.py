"""The declaration of a grader stack in TOML: weights, how costs act, and the nodes of the graph."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from warehouse.errors import UserError
from warehouse.records import JsonValue, content_hash

Axis = Literal["quality", "cost", "time", "risk"]
FROZEN = ConfigDict(frozen=True, extra="forbid")


class Weights(BaseModel):
    """Weights of S = w_q*Q - w_c*C - w_t*T - w_r*R; the costs together stay below quality."""

    model_config = FROZEN
    quality: float = Field(1.0, gt=0, allow_inf_nan=False)
    """w_q, of the weighted mean of the quality scores, in [0, 1]."""
    cost: float = Field(0.0, ge=0, allow_inf_nan=False)
    """w_c, of tokens and money."""
    time: float = Field(0.0, ge=0, allow_inf_nan=False)
    """w_t, of latency."""
    risk: float = Field(0.0, ge=0, allow_inf_nan=False)
    """w_r, of what is dangerous."""


class Costs(BaseModel):
    """When the terms of cost, time and risk act."""

    model_config = FROZEN
    act: Literal["mixed", "scaled"] = "mixed"
    """`mixed`: only in groups with right and wrong rollouts. `scaled`: always, divided by `scale`; only for
    advantages that are not divided by the group's standard deviation."""
    scale: float = Field(10.0, gt=0)
    """Divisor of the cost terms under `scaled`."""


class Node(BaseModel):
    """One grader at work in the stack."""

    model_config = FROZEN
    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    """Its name in `needs` and in stored parts."""
    uses: str
    """The registered grader; see `gradatim graders list`."""
    axis: Axis = "quality"
    """Which term of S its score enters."""
    weight: float = Field(1.0, ge=0, allow_inf_nan=False)
    """Weight within its axis; 0 for a gate or watch that adds nothing itself."""
    needs: tuple[str, ...] = ()
    """Nodes that come before it; a failed gate among them zeroes it."""
    gate: bool = False
    """Whether a score below `gate_at` zeroes what depends on it."""
    gate_at: float = Field(1.0, ge=0, le=1)
    """Least score that opens the gate."""
    stages: tuple[int, int] | None = None
    """First and last stage (inclusive, from 1) in which it is active; always when absent."""
    params: Mapping[str, object] = Field(default_factory=dict)
    """The grader's own settings."""

    def active(self, stage: int) -> bool:
        """Whether the node takes part in stage number `stage`."""
        return self.stages is None or self.stages[0] <= stage <= self.stages[1]


class StackConfig(BaseModel):
    """A whole grader stack."""

    model_config = FROZEN
    weights: Weights = Weights()
    costs: Costs = Costs()
    grader: tuple[Node, ...]

    @property
    def version(self) -> str:
        """Identity of the declaration; stored with what it graded."""
        value: JsonValue = self.model_dump(mode="json")
        return content_hash(value)


def read_config(text: str, source: str = "graders.toml") -> StackConfig:
    """The stack that `text` declares; raises `UserError` naming the field for anything that is not one."""
    try:
        return StackConfig.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{source} is not TOML: {error}; see: gradatim graders check {source}") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise UserError(f"{source}: {place}: {first['msg']}; see: gradatim graders check {source}") from None


def with_stack(tables: Mapping[str, object], folder: Path) -> dict[str, object]:
    """`tables` of a configuration with the stack itself in place of the file that `graders` names, below `folder`.

    A configuration is then complete: its identity follows from the stack and not from where a file lies.
    Raises `UserError` when the file cannot be read or declares no stack.
    """
    named = tables.get("graders")
    if not isinstance(named, str):
        return dict(tables)
    file = folder / named
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"graders file '{file}' cannot be read: {error}; see: gradatim graders check") from error
    return {**tables, "graders": read_config(text, str(file))}


def default_config() -> StackConfig:
    """The stack of a campaign that declares none: the verifier, and every anti-cheat."""
    return read_config((files("synth.graders") / "default.toml").read_text(encoding="utf-8"), "default.toml")
