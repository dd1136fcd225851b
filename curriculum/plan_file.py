"""Plans as small TOML or JSON files that a person can read, change and check."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping

import numpy as np
from pydantic import ValidationError

from curriculum.mixture import Plan, divergence
from warehouse.errors import UserError
from warehouse.records import JsonValue


def to_toml(plan: Plan) -> str:
    """The plan as TOML: settings first, then weights a line an arm, then what moved and why."""
    data = plan.model_dump(mode="json")
    tables = {name: data.pop(name) for name in ("config", "weights", "diff")}
    lines = [f"{key} = {_value(value)}" for key, value in data.items() if value is not None]
    for name in ("config", "weights"):
        lines += ["", f"[{name}]", *(f"{_key(k)} = {_value(v)}" for k, v in tables[name].items())]
    for arm, change in tables["diff"].items():
        lines += ["", f"[diff.{_key(arm)}]", *(f"{_key(k)} = {_value(v)}" for k, v in change.items() if v is not None)]
    return "\n".join(lines) + "\n"


def to_json(plan: Plan) -> str:
    """The plan as indented JSON."""
    return json.dumps(plan.model_dump(mode="json"), indent=2, sort_keys=True) + "\n"


def read(text: str, *, file: str = "plan.toml") -> Plan:
    """The plan in `text`, checked; TOML unless `file` ends in .json. Raises `UserError` that names file and line."""
    see = f"see: gradatim plan --check {file}"
    try:
        data = json.loads(text) if file.endswith(".json") else tomllib.loads(text)
        plan = Plan.model_validate(data)
    except (json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"{file} cannot be read: {error}; {see}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(x) for x in first["loc"])
        raise UserError(f"{file} is not a plan: {where}: {first['msg']}, got {first['input']!r}; {see}") from error
    check(plan, file=file, line=_line(text))
    return plan


def check(plan: Plan, *, file: str = "plan.toml", line: int = 1, previous: Plan | None = None) -> None:
    """Raise `UserError` unless weights are >= 0, sum to 1 within 1e-6, and (given `previous`) keep the trust region."""
    see = f"see: gradatim plan --check {file}"
    place = f"({file}:{line})"
    for arm, weight in plan.weights.items():
        if not (math.isfinite(weight) and weight >= 0):
            raise UserError(f"mixture weight of '{arm}' is {weight:g}, must be at least 0 {place}; {see}")
    total = sum(plan.weights.values())
    if abs(total - 1.0) > 1e-6:
        shown = f"{total:.2f}" if abs(total - 1.0) >= 0.005 else f"{total:.7f}"
        raise UserError(f"mixture weights sum to {shown}, must be 1.0 {place}; {see}")
    if previous is not None:
        moved = distance(plan.weights, previous.weights)
        if moved > plan.config.kl * (1 + 1e-6):
            raise UserError(
                f"plan moves by KL {moved:.3f} from the last one, at most {plan.config.kl:g} is allowed {place}; {see}"
            )


def distance(new: Mapping[str, float], old: Mapping[str, float]) -> float:
    """KL(new || old) over the arms of both, in nats."""
    names = [name for name in new if name in old]
    return divergence(np.array([new[n] for n in names]), np.array([old[n] for n in names]))


def _line(text: str) -> int:
    """The line where the weights start, counted from 1."""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() == "[weights]" or line.strip().startswith('"weights"'):
            return number
    return 1


def _key(name: str) -> str:
    return name if name.replace("_", "").isalnum() and name.isascii() else json.dumps(name)


def _value(value: JsonValue) -> str:
    if isinstance(value, float) and value.is_integer():
        return f"{value:.1f}"
    return json.dumps(value, ensure_ascii=False)
