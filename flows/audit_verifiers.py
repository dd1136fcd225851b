"""How often the verifiers are wrong, and stored tasks judged again by newer versions of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from flows.orchestration import step, verb_flow
from flows.settings import Settings
from flows.steps import attacking, auditing
from flows.workshop import workshop
from synth.engines import ModelsConfig
from warehouse.records import JsonValue

measure = step("audit")(auditing.audit_verifiers)
judge_again = step("judge again")(auditing.rejudge_stale)
attack = step("attack")(attacking.attack_admission)


@verb_flow("audit_verifiers")
def audit_verifiers(home: Path, n: int = 200, seed: int = 0, rejudge: bool = False) -> Mapping[str, Any]:
    """Audit verifiers on up to `n` tasks a domain; with `rejudge`, judge stale tasks again first.

    Returns {"verifiers", "rejudged", "quarantined", "undecided"}.
    """
    asked: dict[str, JsonValue] = {"n": n, "seed": seed, "rejudge": rejudge}
    with workshop(Settings(home=home), flow="audit_verifiers", config=asked) as shop:
        counts = judge_again(shop) if rejudge else {"rejudged": 0, "quarantined": 0, "undecided": 0}
        return {"verifiers": measure(shop, n=n, seed=seed), **counts}


@verb_flow("attack_admission")
def attack_admission(
    home: Path, n: int = 50, seed: int = 0, models: ModelsConfig | None = None
) -> list[Mapping[str, JsonValue]]:
    """Plant defects in up to `n` accepted tasks a domain and see which are admitted; returns one row a defect."""
    config = models or ModelsConfig()
    asked: dict[str, JsonValue] = {"n": n, "seed": seed, "models": config.identity}
    with workshop(Settings(home=home), flow="attack_admission", config=asked) as shop:
        return attack(shop, config, n=n, seed=seed)
