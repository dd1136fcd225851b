"""Tasks that a pocket writer proposes, a checker of another lineage admits, and the families' programs audit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from flows.campaign import CampaignConfig, CampaignIds
from flows.progress import Progress
from flows.steps.pocket_pair import Pair, pocket_pair
from flows.workshop import Workshop
from synth.audit.written import WRONG, audit_written
from synth.bench import SandboxBench
from synth.engines import Ask
from synth.evidence import CHECKS
from synth.evidence.blind import blind_check, count_votes
from synth.evidence.consensus import Rule, weigh
from synth.novelty import Novelty
from synth.pipeline import BATCH, Admission, admit
from synth.seeds import stream
from synth.writers import STYLES, Commission, Writer
from trainer.engines.config import WritingConfig
from warehouse.records import JsonValue, Outcome, Status, StatusChange, Task, Verdict, content_hash

ANSWER_TOKENS = 12
OWN = "task_id IN (SELECT task_id FROM attempts WHERE campaign_id = $campaign AND generator_kind = 'model')"


class Block(NamedTuple):
    """`n` replies asked of the writer for one family, from place `start` on: one batch of attempts."""

    family: str
    start: int
    n: int


def write_tasks(shop: Workshop, config: CampaignConfig, ids: CampaignIds) -> None:
    """Have tasks written, admit what the checker confirms, and audit every one; what is done is not done again.

    A task that was admitted and is wrong counts in every figure, and is quarantined so that nothing trains on it.
    """
    writing = config.writing
    done = content_hash("written", ids.campaign)
    if not writing.n_proposals or shop.seen(done):
        return
    pair = pocket_pair(shop, writing, config.seed)
    _propose(shop, writing, pair, ids, seed=int(content_hash("write", config.seed, ids.nonce)[:8], 16))
    shop.commit(list(_audited(shop, writing, pair, ids)), batch=done, purpose="audit what was written")


def figures(shop: Workshop, campaign_id: str) -> list[Mapping[str, JsonValue]]:
    """What model-based verification came to: one row for the separated pair, one for the writer alone."""
    rows: list[Mapping[str, JsonValue]] = shop.store.named("model_verification", campaign=campaign_id).to_pylist()
    return rows


def told(shop: Workshop, campaign_id: str) -> Mapping[str, JsonValue]:
    """{"separated", "alone"}: counts and yield of each, and the rates {"value", "low", "high", "n"} at which it errs.

    `admitted_wrong` is the share of the admitted that is wrong, `false_accept` the share of the wrong that was
    admitted, `false_reject` the share of the right that was not.
    """
    return {str(row["verification"]): _told(row) for row in figures(shop, campaign_id)}


def _told(row: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    counts = ("n_proposals", "n_well_formed", "n_duplicates", "n_examined", "wrong_rate", "n_admitted", "yield_rate")
    rates = {"admitted_wrong": "n_admitted", "false_accept": "n_tried_wrong", "false_reject": "n_tried_right"}
    ends = {"value": "rate", "low": "low", "high": "high"}
    return {
        **{name: row[name] for name in counts},
        **{
            name: {**{key: row[f"{name}_{end}"] for key, end in ends.items()}, "n": row[n]} for name, n in rates.items()
        },
    }


def blocks(config: WritingConfig) -> list[Block]:
    """The proposals spread over the families in pieces of at most one batch; first families take the remainder.

    >>> blocks(WritingConfig(n_proposals=300, families=("rev",)))
    [Block(family='rev', start=0, n=256), Block(family='rev', start=256, n=44)]
    """
    each, rest = divmod(config.n_proposals, len(config.families))
    found, first = [], 0
    for place, family in enumerate(config.families):
        last = first + each + (place < rest)
        found += [Block(family, start, min(BATCH, last - start)) for start in range(first, last, BATCH)]
        first = last
    return found


def _propose(shop: Workshop, config: WritingConfig, pair: Pair, ids: CampaignIds, *, seed: int) -> None:
    writer = Writer(pair.writer, STYLES.get("pocket"))
    check = blind_check(pair.checker, n=config.n_votes, rule=_rule(config), pose=_pose)
    admission = Admission(
        ids.campaign, shop.judge, Novelty(shop.store.tasks()), checks=[*CHECKS, check], decided=_refused(shop, ids)
    )
    asked = blocks(config)
    with Progress("write", total=len(asked)) as progress:
        for block in asked:
            key = content_hash("write", ids.campaign, list(block), seed)
            if not shop.seen(key):
                commission = Commission(family=block.family, params={"levels": list(config.levels)})
                attempts = writer.propose([commission], n=block.n, seed=seed, start=block.start)
                for batch in admit(attempts, writer.generator, admission):
                    shop.commit(batch.records, batch=key, purpose=f"write {block.family}")
            progress.advance()


def _refused(shop: Workshop, ids: CampaignIds) -> dict[str, str | None]:
    """Why each task written so far was refused, as a process that was not interrupted remembers it."""
    rows = shop.store.rows(
        "SELECT task_id, min(reason) AS reason FROM attempts WHERE campaign_id = $campaign AND generator_kind = 'model'"
        " AND outcome = 'rejected' AND task_id IS NOT NULL AND kept_task_id IS NULL GROUP BY task_id",
        {"campaign": ids.campaign},
    )
    return {str(row["task_id"]): str(row["reason"]) for row in rows}


def _audited(shop: Workshop, config: WritingConfig, pair: Pair, ids: CampaignIds) -> Iterator[Verdict | StatusChange]:
    """A verdict of the family's program on every task written, and the quarantine of those admitted and wrong.

    The evidence says what the same rule would have said of the writer's own answers, for tasks that came so far.
    """
    own: dict[str, object] = {"campaign": ids.campaign}
    bench = SandboxBench(shop.judge)
    tasks = shop.store.read(Task, OWN, own)
    posed = {
        row["task_id"]
        for row in shop.store.rows(f"SELECT task_id FROM verdicts WHERE \"check\" = 'blind' AND {OWN}", own)
    }
    alone = _alone([task for task in tasks if task.task_id in posed], config, pair, bench)
    accepted = {task.task_id for task in shop.store.tasks(task_ids=[task.task_id for task in tasks])}
    for verdict in audit_written(tasks, bench, {name: {"alone": word} for name, word in alone.items()}):
        yield verdict
        if verdict.outcome is Outcome.FAIL and verdict.task_id in accepted:
            yield StatusChange(task_id=verdict.task_id, status=Status.QUARANTINED, reason=WRONG)


def _alone(tasks: Sequence[Task], config: WritingConfig, pair: Pair, bench: SandboxBench) -> dict[str, str]:
    """The control, without separation: the writer answers its own questions again under the same rule."""
    seeds = [stream("alone", task.task_id).getrandbits(31) for task in tasks]
    asks = [replace(_pose(task), n=config.n_votes, seed=seed) for task, seed in zip(tasks, seeds, strict=True)]
    votes = count_votes(tasks, pair.writer.answer(asks), config.n_votes, bench)
    return {task.task_id: weigh(found, _rule(config)).outcome for task, found in zip(tasks, votes, strict=True)}


def _pose(task: Task) -> Ask:
    return Ask(prompt=task.prompt, temperature=1.0, max_tokens=ANSWER_TOKENS)


def _rule(config: WritingConfig) -> Rule:
    """At least that share of all the votes on the written answer: the others cannot agree on as much."""
    share = config.least_agreement
    return Rule(least_answers=share, least_agreement=share, least_margin=2 * share - 1)
