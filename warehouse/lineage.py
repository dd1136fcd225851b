"""Where a task, a stage or a checkpoint comes from and what it fed, as data."""

from __future__ import annotations

from typing import Any

from warehouse.errors import UserError
from warehouse.store import Store

Rows = list[dict[str, Any]]

_KINDS = (("task", "tasks", "task_id"), ("stage", "stages", "stage_id"), ("checkpoint", "policies", "policy_id"))


def explain(store: Store, name: str) -> dict[str, Any]:
    """Everything that led to and from `name`: an id, or a beginning of at least 4 characters that fits one thing only.

    Keys: `kind`, `id`, and per kind the rows of the walk. Raises `UserError` when nothing or several things fit.
    """
    kind, identity = find(store, name)
    walk = {"task": explain_task, "stage": explain_stage, "checkpoint": explain_checkpoint}[kind]
    return {"kind": kind, "id": identity, **walk(store, identity)}


def find(store: Store, name: str) -> tuple[str, str]:
    """The kind and the full id of what `name` stands for."""
    found: list[tuple[str, str]] = []
    for kind, table, key in _KINDS:
        exact = store.rows(f"SELECT DISTINCT {key} AS id FROM {table} WHERE {key} = $name", {"name": name})
        found += [(kind, row["id"]) for row in exact]
    if not found and len(name) >= 4:
        for kind, table, key in _KINDS:
            near = store.rows(
                f"SELECT DISTINCT {key} AS id FROM {table} WHERE starts_with({key}, $name) LIMIT 5", {"name": name}
            )
            found += [(kind, row["id"]) for row in near]
    if len(found) == 1:
        return found[0]
    if not found:
        raise UserError(
            f"no task, stage or checkpoint is called '{name}'; ids are listed by: gradatim policies, or "
            "gradatim sql 'select task_id, prompt from current_tasks', or 'select stage_id from current_stages'"
        )
    told = ", ".join(f"{kind} {identity}" for kind, identity in found)
    raise UserError(f"'{name}' fits several things: {told}; give more of the id")


def explain_task(store: Store, task_id: str) -> dict[str, Any]:
    """A task's parents, makers, checks, status, rollouts by policy, plans, draws and the checkpoints that it fed."""
    one = {"task_id": task_id}
    return {
        "task": _one(store.rows("SELECT * FROM current_tasks WHERE task_id = $task_id", one)),
        "parents": store.rows(
            "SELECT p.parent, t.family, t.level, t.prompt FROM "
            "(SELECT DISTINCT unnest(json_extract_string(parents, '$[*]')) AS parent"
            " FROM tasks WHERE task_id = $task_id) p"
            " LEFT JOIN (SELECT DISTINCT task_id, family, level, prompt FROM tasks) t ON t.task_id = p.parent",
            one,
        ),
        "children": store.rows(
            "SELECT DISTINCT task_id FROM tasks WHERE contains(parents, '\"' || $task_id || '\"') ORDER BY 1", one
        ),
        "attempts": store.rows("SELECT * FROM attempts WHERE task_id = $task_id ORDER BY rowid", one),
        "duplicates": store.rows(
            "SELECT attempt_id, generator, similarity, reason FROM attempts WHERE kept_task_id = $task_id ORDER BY 1",
            one,
        ),
        "verdicts": store.rows("SELECT * FROM verdicts WHERE task_id = $task_id ORDER BY rowid", one),
        "status": store.rows(
            "SELECT status, reason, run_id, written_at, snapshot_id FROM task_status"
            " WHERE task_id = $task_id ORDER BY rowid",
            one,
        ),
        "calibrations": store.rows("SELECT * FROM calibrations WHERE task_id = $task_id ORDER BY rowid", one),
        "rollouts": store.rows(
            "SELECT policy_id, purpose, count(*) AS n_rollouts, count(*) FILTER (judgement = 'PASS') AS n_passes,"
            " sum(n_tokens)::BIGINT AS n_tokens FROM rollouts WHERE task_id = $task_id GROUP BY ALL ORDER BY ALL",
            one,
        ),
        "draws": store.rows(
            "SELECT d.stage_id, d.stage_attempt, d.step, d.slot, d.reason, d.p_mixed, d.score, s.mixture_id,"
            " s.policy_in, s.policy_out AS fed_checkpoint FROM draws d LEFT JOIN current_stages s USING (stage_id)"
            " WHERE d.task_id = $task_id ORDER BY ALL",
            one,
        ),
    }


def explain_stage(store: Store, stage_id: str) -> dict[str, Any]:
    """A stage's states, its plan, the tasks it drew and from whom, what it paid for, its alarms and actions."""
    one = {"stage_id": stage_id}
    return {
        "stage": _one(store.rows("SELECT * FROM current_stages WHERE stage_id = $stage_id", one)),
        "history": store.rows(
            "SELECT status, attempt, reason, run_id, written_at, snapshot_id AS pinned_snapshot FROM stages"
            " WHERE stage_id = $stage_id ORDER BY rowid",
            one,
        ),
        "mixture": _one(
            store.rows(
                "SELECT m.* FROM mixtures m WHERE mixture_id ="
                " (SELECT mixture_id FROM current_stages WHERE stage_id = $stage_id) ORDER BY rowid DESC LIMIT 1",
                one,
            )
        ),
        "tasks": store.rows(
            "SELECT task_id, any_value(generator) AS generator, any_value(generator_version) AS generator_version,"
            " any_value(verdicts) AS verdicts, count(*) AS n_draws, list(DISTINCT reason ORDER BY reason) AS reasons,"
            " sum(n_rollouts)::BIGINT AS n_rollouts, sum(n_passes)::BIGINT AS n_passes, any_value(cost) AS cost"
            " FROM step_lineage WHERE stage_id = $stage_id GROUP BY task_id ORDER BY task_id",
            one,
        ),
        "rollouts": store.rows(
            "SELECT purpose, judgement, count(*) AS n_rollouts, sum(n_tokens)::BIGINT AS n_tokens FROM rollouts"
            " WHERE stage_id = $stage_id GROUP BY ALL ORDER BY ALL",
            one,
        ),
        "alarms": store.rows("SELECT * FROM alarms WHERE owner = $stage_id ORDER BY step, rowid", one),
        "actions": store.rows("SELECT * FROM actions WHERE owner = $stage_id ORDER BY rowid", one),
    }


def explain_checkpoint(store: Store, policy_id: str) -> dict[str, Any]:
    """A checkpoint's ancestors with the stages and plans between them, its tasks by generator, figures and children."""
    one = {"policy_id": policy_id}
    line: Rows = store.named("checkpoint_lineage", policy=policy_id).to_pylist()
    stages = [row["stage_id"] for row in line if row["stage_id"]]
    return {
        "checkpoint": _one(store.rows("SELECT * FROM current_policies WHERE policy_id = $policy_id", one)),
        "line": line,
        "tasks": store.rows(
            "SELECT stage_id, generator, generator_version, count(DISTINCT task_id) AS n_tasks, count(*) AS n_draws,"
            " sum(n_rollouts)::BIGINT AS n_rollouts FROM step_lineage"
            " WHERE stage_id IN (SELECT unnest($stages::VARCHAR[])) GROUP BY ALL ORDER BY ALL",
            {"stages": stages},
        ),
        "evals": store.rows(
            'SELECT protocol_hash, "group", metric, value, low, high, n, n_samples FROM evals'
            " WHERE policy_id = $policy_id ORDER BY ALL",
            one,
        ),
        "children": store.rows(
            "SELECT policy_id, stage_id FROM current_policies WHERE parent = $policy_id ORDER BY 1", one
        ),
    }


def _one(rows: Rows) -> dict[str, Any] | None:
    return rows[0] if rows else None
