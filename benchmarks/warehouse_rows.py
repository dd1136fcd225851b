"""Rows of a warehouse as large as wanted: tasks with all that admitted them, rollouts of two policies, one stage."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import numpy as np
import pyarrow as pa

from warehouse.records import Domain, Evaluation, Policy, Record, RunStatus, Stage


def ids(low: int, high: int, letter: str) -> pa.Array:
    """Identities that look like hashes."""
    with duckdb.connect() as connection:
        sql = f"SELECT md5('{letter}' || i) AS id FROM range({low}, {high}) r(i) ORDER BY i"
        return connection.execute(sql).to_arrow_table().column("id").combine_chunks()


def repeated(value: object, n: int, kind: pa.DataType | None = None) -> pa.Array:
    return pa.repeat(pa.scalar(value, kind) if kind is not None else pa.scalar(value), n)


def tasks(low: int, high: int) -> dict[str, pa.Table]:
    n, key, index = high - low, ids(low, high, "t"), np.arange(low, high)
    level = pa.array(index % 8 + 2)
    made = pa.table(
        {
            "task_id": key,
            "domain": repeated(str(Domain.MATH), n),
            "family": pa.array(np.array(["rev", "sort", "inc", "add"])[index % 4]),
            "level": level,
            "params": repeated('{"seed":0}', n),
            "prompt": ids(low, high, "prompt"),
            "answer_kind": repeated("text", n),
            "gold": ids(low, high, "gold"),
            "parents": repeated("[]", n),
            "source": repeated("gradatim", n),
            "split": pa.array(np.where(index % 20 == 0, "heldout", "train")),
            "kind": repeated("verifiable", n),
        }
    )
    status = pa.table({"task_id": key, "status": repeated("accepted", n), "reason": repeated("evidence", n)})
    mean = (index % 9) / 9 * 0.98 + 0.01
    calibration = pa.table(
        {
            "task_id": key,
            "policy_id": repeated("p0", n),
            "arm": repeated("rev/2/gradatim", n),
            "n": repeated(8, n),
            "c": pa.array(index % 9),
            "alpha": pa.array(index % 9 + 0.5),
            "beta": pa.array(8.5 - index % 9),
            "mean": pa.array(mean),
            "low": pa.array(mean * 0.5),
            "high": pa.array(mean * 0.5 + 0.5),
            "p_mixed": pa.array(4 * mean * (1 - mean)),
            "variance": pa.array(mean * (1 - mean)),
            "bucket": pa.array(np.where(index % 9 == 0, "dead", "frontier")),
        }
    )
    attempt = pa.table(
        {
            "attempt_id": ids(low, high, "a"),
            "campaign_id": repeated("c0", n),
            "generator": made["family"],
            "generator_kind": repeated("procedural", n),
            "generator_version": repeated("1", n),
            "generator_lineage": repeated("gradatim", n),
            "seed": repeated(0, n),
            "index": pa.array(index),
            "task_id": key,
            "outcome": repeated("admitted", n),
            "n_tokens": repeated(0, n),
            "cost": repeated(0.01, n),
        }
    )
    checked = {"attempts": attempt, "verdicts": pa.concat_tables([verdicts(key, c) for c in ("gold", "reference")])}
    return {"tasks": made, "task_status": status, "calibrations": calibration, **checked}


def verdicts(key: pa.Array, check: str) -> pa.Table:
    n = len(key)
    return pa.table(
        {
            "task_id": key,
            "check": repeated(check, n),
            "verifier": repeated("synth.math", n),
            "verifier_version": repeated("1.1", n),
            "verifier_lineage": repeated("judge", n),
            "outcome": repeated("pass", n),
            "evidence": repeated("{}", n),
            "cost": repeated(0.0, n),
        }
    )


def rollouts(low: int, high: int, per_task: int) -> dict[str, pa.Table]:
    """Rollouts number `low` to `high`, `per_task` in a row of the same task.

    The last of each task trained stage `s1`, the others are evaluations of the policies p0 and p1 in turn.
    """
    n, index = high - low, np.arange(low, high)
    place, task = index % per_task, index // per_task
    trained = place == per_task - 1
    keys = ids(low // per_task, (high - 1) // per_task + 1, "t")
    passed = (index * 7919) % 13 < 6
    table = pa.table(
        {
            "rollout_id": ids(low, high, "r"),
            "task_id": keys.take(pa.array(index // per_task - low // per_task)),
            "policy_id": pa.array(np.where(trained | (place % 2 == 0), "p0", "p1")),
            "purpose": pa.array(np.where(trained, "train", "eval")),
            "stage_id": pa.array(np.where(trained, "s1", None)),
            "stage_attempt": repeated(0, n),
            "step": pa.array(np.where(trained, task // 64, 0)),
            "slot": pa.array(np.where(trained, task % 64, 0)),
            "sample": pa.array(np.where(trained, 0, place // 2)),
            "completion": ids(low, high, "c"),
            "turns": repeated("[]", n),
            "n_tokens": pa.array(index % 40 + 1),
            "latency_s": repeated(0.0, n),
            "finish_reason": repeated("stop", n),
            "judgement": pa.array(np.where(passed, "PASS", "WRONG")),
            "reward": pa.array(np.where(passed, 1.0, 0.0)),
            "parts": pa.array(np.where(passed, '{"right":1.0}', '{"right":0.0}')),
            "cheats": repeated("[]", n),
            "protocol_hash": pa.array(np.where(trained, None, "h")),
        }
    )
    drawn = task[trained]
    draws = pa.table(
        {
            "stage_id": repeated("s1", len(drawn)),
            "stage_attempt": repeated(0, len(drawn)),
            "step": pa.array(drawn // 64),
            "slot": pa.array(drawn % 64),
            "task_id": table["task_id"].filter(pa.array(trained)),
            "p_mixed": repeated(0.5, len(drawn)),
            "score": repeated(0.5, len(drawn)),
            "reason": repeated("frontier", len(drawn)),
        }
    )
    return {"rollouts": table, "draws": draws}


def campaign(n_tasks: int) -> list[Record]:
    """Two policies, the stage between them, and an evaluation of each."""
    start = Policy(policy_id="p0", name="pocket", lineage="pocket", weights_hash="0", path="p0")
    stage = Stage(
        stage_id="s1",
        campaign_id="c0",
        stage_index=1,
        kind="grpo",
        status=RunStatus.FINISHED,
        snapshot_id=1,
        policy_in="p0",
        policy_out="p1",
        config={},
        code_version="1",
        n_steps=n_tasks // 64 + 1,
    )
    figures = [
        Evaluation(
            eval_id=f"e{index}",
            policy_id=f"p{index}",
            protocol_hash="h",
            campaign_id="c0",
            stage_index=index,
            group="all",
            metric="pass@1",
            value=0.5,
            low=0.4,
            high=0.6,
            n=n_tasks,
            n_samples=2,
        )
        for index in (0, 1)
    ]
    return [start, replace(start, policy_id="p1", parent="p0", stage_id="s1"), stage, *figures]
