"""Verifiers audited and stale tasks judged again, in batches; a finished batch costs nothing the second time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from flows.progress import Progress
from flows.workshop import Workshop
from synth.audit import CHECK, VERSION, audit, rejudge, signature, stale
from synth.audit.rejudging import AgentChecks
from synth.bench import SandboxBench
from synth.environments.makers import MAKERS
from synth.evidence import Check
from synth.graders import verifier_of
from synth.grown.growing import evidence
from warehouse.errors import UserError
from warehouse.records import Domain, JsonValue, Task, TaskKind, content_hash

BATCH = 32
"""Tasks in one batch."""
SIGNED = 'SELECT task_id, "check", arg_max(verifier, rowid) AS verifier, arg_max(verifier_version, rowid) AS version'


def audit_verifiers(shop: Workshop, *, n: int, seed: int) -> list[JsonValue]:
    """Audit the judge of each domain on up to `n` accepted tasks; returns every audited version's figures.

    Raises `UserError` when n < 1 or no task is accepted.
    """
    tasks = sampled(shop, n, seed)
    bench = SandboxBench(shop.judge)
    with Progress("audit", total=len(tasks)) as progress:
        for start in range(0, len(tasks), BATCH):
            group = tasks[start : start + BATCH]
            batch = _batch(group)
            if not shop.seen(batch):
                shop.commit(audit(group, bench), batch=batch, purpose="audit verifiers")
            progress.to(start + len(group))
    return figures(shop)


def foreseen(shop: Workshop, *, n: int, seed: int, rejudge: bool) -> Mapping[str, JsonValue]:
    """What an audit would do: {"n_tasks", "n_audited_before", "n_stale"}; raises as `audit_verifiers` does.

    `n_stale` tasks would be judged again, with `rejudge` only.
    """
    tasks = sampled(shop, n, seed)
    groups = [tasks[start : start + BATCH] for start in range(0, len(tasks), BATCH)]
    return {
        "n_tasks": len(tasks),
        "n_audited_before": sum(len(group) for group in groups if shop.seen(_batch(group))),
        "n_stale": len(stale(shop.store.tasks(), _signed(shop), agent_evidence(shop))) if rejudge else 0,
    }


def sampled(shop: Workshop, n: int, seed: int) -> list[Task]:
    """Up to `n` tasks of each domain, in an order that the seed decides; agent tasks have evidence of their own."""
    if n < 1:
        raise UserError(f"n is {n}, must be at least 1; see: gradatim audit --help")
    found = [one for one in shop.store.tasks() if one.kind is TaskKind.VERIFIABLE and one.domain is not Domain.AGENT]
    if not found:
        raise UserError("no task is accepted, so that nothing can be audited; see: gradatim synth --help")
    found.sort(key=lambda task: content_hash("audit order", seed, task.task_id))
    return [task for domain in Domain for task in [task for task in found if task.domain is domain][:n]]


def _batch(group: Sequence[Task]) -> str:
    return content_hash("audit", VERSION, [_asked(task) for task in group])


def _asked(task: Task) -> list[JsonValue]:
    return [task.task_id, *verifier_of(task.domain)]


def figures(shop: Workshop) -> list[JsonValue]:
    """False accepts and false rejects of each audited verifier version, with 95 % intervals."""
    return [
        {
            "verifier": row["verifier"],
            "version": row["verifier_version"],
            **{
                f"{name}{end}": row[f"{name}{end or '_rate'}"]
                for name in ("false_accept", "false_reject")
                for end in ("", "_low", "_high")
            },
            "n": row["n"],
            "n_wrong": row["n_wrong"],
            "n_right": row["n_right"],
            "n_undecided": row["n_answers_undecided"],
        }
        for row in shop.store.named("verifier_audit").to_pylist()
        if row["check"] == CHECK
    ]


def rejudge_stale(shop: Workshop) -> Mapping[str, JsonValue]:
    """Judge accepted tasks again whose verifiers have other versions by now; one that fails is quarantined.

    Returns {"rejudged", "quarantined", "undecided"}; an undecided task stays as it is, to be asked again.
    """
    tasks = stale(shop.store.tasks(), _signed(shop), agent_evidence(shop))
    counts = {"rejudged": 0, "quarantined": 0, "undecided": 0}
    bench = SandboxBench(shop.judge)
    with Progress("judge again", total=len(tasks)) as progress:
        for start in range(0, len(tasks), BATCH):
            group = tasks[start : start + BATCH]
            _rejudge(shop, group, bench, counts)
            progress.to(start + len(group))
    return dict(counts)


def _rejudge(shop: Workshop, group: Sequence[Task], bench: SandboxBench, counts: dict[str, int]) -> None:
    found = [one for one in rejudge(group, bench, agent_evidence(shop)) if one is not None]
    verdicts = [verdict for one in found for verdict in one.verdicts]
    changes = [one.status for one in found if one.status is not None]
    counts["rejudged"] += len(found)
    counts["quarantined"] += len(changes)
    counts["undecided"] += len(group) - len(found)
    if verdicts:
        said: list[JsonValue] = [[v.task_id, v.check, v.verifier, v.verifier_version, v.outcome] for v in verdicts]
        batch = content_hash("judge again", shop.store.snapshot(), said)
        shop.commit([*verdicts, *changes], batch=batch, purpose="judge again")


def agent_evidence(shop: Workshop) -> AgentChecks:
    """What admits agent tasks, by family; a family that is not installed any more has nothing to say."""

    def checks(family: str) -> Sequence[Check]:
        if family in MAKERS.names():
            return MAKERS.get(family).checks(shop.judge.pool)
        return evidence(family, shop.judge) or ()

    return checks


def _signed(shop: Workshop) -> dict[str, dict[str, str]]:
    """The signature of the newest verdict of each check of each task."""
    signed: dict[str, dict[str, str]] = defaultdict(dict)
    for row in shop.store.rows(f'{SIGNED} FROM verdicts GROUP BY task_id, "check"'):
        signed[row["task_id"]][row["check"]] = signature(row["verifier"], row["version"])
    return signed
