"""Planted defects: how many wrong tasks admission lets through, by defect, as rows in a bucket of their own."""

from __future__ import annotations

from collections.abc import Mapping

from flows.models import opened
from flows.progress import Progress
from flows.steps.auditing import sampled
from flows.steps.writing import checks_by
from flows.workshop import Workshop
from synth.audit.adversarial import CHECK, VERSION, attack
from synth.bench import SandboxBench
from synth.engines import ModelsConfig
from synth.evidence import CHECKS, Check
from warehouse.records import JsonValue, content_hash

BATCH = 32
"""Tasks in one batch."""
N_VOTES = 8


def attack_admission(shop: Workshop, config: ModelsConfig, *, n: int, seed: int) -> list[Mapping[str, JsonValue]]:
    """Plants defects in up to `n` accepted tasks a domain; returns false accepts by defect with 95 % intervals.

    A configured checker takes part, and is measured for itself. Raises `UserError` when no task is accepted.
    """
    with opened(config, shop.home) as models:
        checks: list[Check] = checks_by(models, N_VOTES) if config.checker else list(CHECKS)
        by: JsonValue = [[one.name, one.version, list(one.by or ())] for one in checks]
        tasks = sampled(shop, n, seed)
        rows = shop.store.rows("SELECT DISTINCT task_id FROM attempts WHERE generator_kind = 'model'")
        written = {str(row["task_id"]) for row in rows}
        with Progress("attack", total=len(tasks)) as progress:
            for start in range(0, len(tasks), BATCH):
                group = tasks[start : start + BATCH]
                batch = content_hash("attack", VERSION, by, [task.task_id for task in group])
                if not shop.seen(batch):
                    found = attack(group, SandboxBench(shop.judge), checks=checks, written=written)
                    shop.commit([row for one in found for row in one.rows()], batch=batch, purpose="attack admission")
                progress.to(start + len(group))
    return figures(shop)


def figures(shop: Workshop) -> list[Mapping[str, JsonValue]]:
    """Planted tasks and how many were admitted, for evidence as a whole and for each model, by defect."""
    return [_figure(row) for row in shop.store.named("verifier_audit").to_pylist() if row["check"] == CHECK]


def _figure(row: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    verifier, _, defect = str(row["verifier"]).rpartition(" on ")
    return {
        "verifier": verifier,
        "version": row["verifier_version"],
        "defect": defect,
        "n": row["n_wrong"],
        "n_admitted": row["n_false_accept"],
        "admitted": row["false_accept_rate"],
        "low": row["false_accept_low"],
        "high": row["false_accept_high"],
    }
