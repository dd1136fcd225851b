"""A stored rollout judged again."""

from __future__ import annotations

import time
from collections.abc import Mapping

from flows.workshop import Workshop
from synth.environments.replaying import differences, replayed
from warehouse.errors import UserError
from warehouse.records import Domain, FinishReason, JsonValue, Rollout

SHORTEST = 4
"""Characters of an id that must be given at least."""


def replay(shop: Workshop, rollout: str) -> Mapping[str, JsonValue]:
    """A rollout's stored word beside what the judges say of it now; nothing is stored.

    The messages of an agent's episode are said again in a fresh environment; a turn that is answered otherwise is a
    row of its own.

    {"rollout_id", "task_id", "policy_id", "completion", "same", "detail", "rows": [{"what", "stored", "now", "same"}]}.
    Parts of graders that only a training stage runs have no `now` and do not count. Raises `UserError` unless
    exactly one rollout fits, or when its task is gone.
    """
    row = _rollout(shop, rollout)
    tasks = shop.store.tasks(task_ids=[row.task_id], status=None)
    if not tasks:
        raise UserError(f"task {row.task_id} of rollout {row.rollout_id} is gone; see: gradatim sql --named batches")
    if row.turns and tasks[0].domain is Domain.AGENT:
        again = replayed(tasks[0], row.turns, shop.judge.pool, clock=time.monotonic)
        word, other = again.word, differences(row.turns, again.turns)
    else:
        cut = row.finish_reason is FinishReason.LENGTH
        word, other = shop.judge.judge(tasks, [row.completion], truncated=[cut])[0], []
    pairs: list[tuple[str, JsonValue, JsonValue]] = [
        ("judgement", str(row.judgement), str(word.judgement)),
        ("reward", row.reward, word.reward),
        ("cheats", list(row.cheats), list(word.cheats)),
        *((f"turns.{place}", "as it was", "another observation") for place in other),
        *((f"parts.{n}", row.parts.get(n), word.parts.get(n)) for n in sorted({*row.parts, *word.parts})),
    ]
    rows: list[JsonValue] = [
        {"what": what, "stored": stored, "now": now, "same": stored == now if _rerun(what, now) else None}
        for what, stored, now in pairs
    ]
    return {
        "rollout_id": row.rollout_id,
        "task_id": row.task_id,
        "policy_id": row.policy_id,
        "completion": row.completion,
        "same": all(stored == now for what, stored, now in pairs if _rerun(what, now)),
        "detail": word.detail,
        "rows": rows,
    }


def _rerun(what: str, now: JsonValue) -> bool:
    """Whether the judges have a word on this part now."""
    return now is not None or not what.startswith("parts.")


def _rollout(shop: Workshop, name: str) -> Rollout:
    found = shop.store.read(Rollout, "starts_with(rollout_id, $id)", {"id": name}) if len(name) >= SHORTEST else []
    if len(found) != 1:
        raise UserError(
            f"rollout '{name}' matches {len(found)} rollouts, must match 1; "
            "see: gradatim sql 'select rollout_id, task_id, completion from rollouts'"
        )
    return found[0]
