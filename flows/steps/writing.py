"""Tasks written by a model, confirmed by one of another lineage, and committed as they are decided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from flows.models import Models, health, opened
from flows.progress import Progress
from flows.steps.commissions import commissions
from flows.steps.synthesis import benchmark_of, funnel
from flows.workshop import Workshop
from synth.batch import Batch
from synth.engines import Ask, Budget, ModelsConfig
from synth.engines.budget import SPENT, worst_case
from synth.evidence import CHECKS, Check, blind_check, refuse_same_lineage
from synth.evidence.matrix import matrix_check
from synth.evidence.rubric import rubric_check
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from synth.proposals import Proposal
from synth.writers import STYLES, Commission, Style, Writer
from synth.writers.writer import INFRASTRUCTURE
from warehouse.errors import UserError
from warehouse.records import Domain, JsonValue, Metric, content_hash

HOPELESS = 64
"""Attempts in a row that the engine failed, after which no more are made."""
CHECKED = Ask(prompt="x" * 2_000, max_tokens=1024)
"""A question to the checker as long as they come, for foresight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingOrder:
    """`n` tasks to be written in one style from `origin` (a source or family) or `documents`, checked by `n_votes`.

    `weakest` bounds the arms whose failures are shown.
    """

    style: str
    n: int
    seed: int = 0
    origin: str | None = None
    documents: Path | None = None
    weakest: int | None = None
    n_votes: int = 8
    benchmarks: tuple[str, ...] = ()

    @property
    def identity(self) -> dict[str, JsonValue]:
        """The order as a run's configuration."""
        documents = None if self.documents is None else self.documents.name
        return {
            "style": self.style, "n": self.n, "seed": self.seed, "origin": self.origin, "documents": documents,
            "n_votes": self.n_votes, "benchmarks": list(self.benchmarks),
            **({"weakest": self.weakest} if self.weakest else {}),
        }  # fmt: skip


def campaign_of(order: WritingOrder, models: ModelsConfig) -> str:
    """The identity of what is asked of whom; the same order goes on where it stopped."""
    return content_hash("write_tasks", order.identity, models.identity)


@dataclass(slots=True)
class _Till:
    """Attempts until a ceiling is reached or the engine gives nothing more; what was not sent is no attempt."""

    n_failed: int = 0
    unsent: list[str] = field(default_factory=list)

    def attempts(self, proposed: Iterator[Proposal]) -> Iterator[Proposal]:
        for proposal in proposed:
            failure = _open(proposal.reason)
            if failure is not None and failure.startswith(SPENT):
                self.unsent.append(failure)
                continue
            self.n_failed = 0 if failure is None else self.n_failed + 1
            yield proposal
            if self.n_failed >= HOPELESS:
                return


def write_tasks(
    shop: Workshop, order: WritingOrder, config: ModelsConfig, *, campaign_id: str
) -> Mapping[str, JsonValue]:
    """Have tasks written, checked and committed; returns the funnel, what was used, and why it stopped early, if so.

    Replies are kept as they come: the same order again asks only what was never answered, and where there is other
    material to write from by then, it is another order. Raises `UserError` for
    models that are missing or share a lineage, and where there is nothing to write from.
    """
    if order.n < 1:
        raise UserError(f"n is {order.n}, must be at least 1; see: gradatim synth --help")
    if config.writer and config.checker:
        refuse_same_lineage(config.writer.model, config.writer.lineage, config.checker.model, config.checker.lineage)
    with opened(config, shop.home) as models:
        return write_with(shop, order, models, campaign_id=campaign_id)


def write_with(shop: Workshop, order: WritingOrder, models: Models, *, campaign_id: str) -> Mapping[str, JsonValue]:
    """As `write_tasks`, with models that are open already: several orders then share one purse."""
    style = STYLES.get(order.style)
    asked = _commissions(shop, style, order)
    pinned = content_hash("commissions", order.seed, [_said(one) for one in asked])
    done = f"{campaign_id}:written:{style.name}:{pinned}"
    if shop.seen(done):
        return _told(shop, campaign_id, None, None, None)
    writer, till = Writer(models.writer, style), _Till()
    admission = _admission(shop, models, order, campaign_id)
    open_reasons: list[str] = []
    with Progress(f"write {style.name}", total=order.n) as progress:
        n_done = 0
        attempts = till.attempts(writer.propose(asked, seed=int(pinned[:7], 16)))
        for batch in admit(attempts, writer.generator, admission):
            n_done += batch.n_in
            open_reasons += _commit(shop, batch)
            progress.to(n_done, forecast(models, n_done, order.n))
    shop.commit(_repairs(shop, writer), batch=f"{shop.run}:{style.name}:repairs", purpose="repairs of replies")
    open_reasons += till.unsent
    if not open_reasons and n_done == order.n:
        shop.commit([], batch=done, purpose="writing done")
    return _told(shop, campaign_id, writer, models, open_reasons[-1] if open_reasons else None)


def _commissions(shop: Workshop, style: Style, order: WritingOrder) -> list[Commission]:
    """What the tasks of an order are written from."""
    return commissions(
        shop,
        style,
        n=order.n,
        seed=order.seed,
        origin=order.origin,
        documents=order.documents,
        weakest=order.weakest,
    )


def forecast(models: Models, done: int, total: int) -> str:
    """What the run will have used at its end, beside its ceilings, as a line for people."""
    parts = []
    ahead = models.purse.forecast(done, total)
    for name, value, ceiling in zip(Budget._fields, ahead, models.purse.ceiling, strict=True):
        if value is not None:
            parts.append(f"{value:.4g} {name}" + (f" of {ceiling:.4g}" if ceiling is not None else ""))
    return "forecast " + ", ".join(parts) if parts else ""


def foreseen(shop: Workshop, order: WritingOrder, config: ModelsConfig) -> Mapping[str, JsonValue]:
    """The most that an order can take, and which servers answer; no model is asked anything.

    At most every reply is as long as it may be and every task is checked.
    """
    style = STYLES.get(order.style)
    asked = _commissions(shop, style, order)
    writes, checks = (model.max_tokens if model else None for model in (config.writer, config.checker))
    worst = [worst_case(style.ask(one), writes) for one in asked]
    written = tuple(sum(part) for part in zip(*worst, strict=True))
    check_in, check_out = worst_case(replace(CHECKED, n=order.n_votes), checks)
    checked = (order.n * check_in, order.n * check_out)
    money = 0.0
    for (n_in, n_out), model in ((written, config.writer), (checked, config.checker)):
        money += (n_in * model.price_in + n_out * model.price_out) / 1e6 if model else 0.0
    return {
        "style": order.style,
        "n": order.n,
        "most_tokens": sum(written) + sum(checked),
        "most_money": money,
        "servers": health(config),
    }


def checks_by(models: Models, n_votes: int) -> list[Check]:
    """Every check, and those of the configured checker."""
    checker = models.checker
    n_solutions = max(2, n_votes // 2)
    return [*CHECKS, blind_check(checker, n=n_votes), matrix_check(checker, n_solutions=n_solutions)]


def _admission(shop: Workshop, models: Models, order: WritingOrder, campaign_id: str) -> Admission:
    return Admission(
        campaign_id,
        shop.judge,
        Novelty(shop.store.tasks(), near=True, semantic=shop.embedder),
        benchmark_of(shop, order.benchmarks),
        _checks(models, order),
    )


def _checks(models: Models, order: WritingOrder) -> list[Check]:
    """What tasks of the order's style are admitted by; rubric tasks by two judges alone."""
    if STYLES.get(order.style).domain is Domain.RUBRIC:
        return [rubric_check(models.checker, models.second_judge, writer=models.writer)]
    return checks_by(models, order.n_votes)


def _commit(shop: Workshop, batch: Batch) -> list[str]:
    """Commits a batch; returns the failures of engines in it, which may come out otherwise next time."""
    failures = [failure for attempt in batch.attempts if (failure := _open(attempt.reason)) is not None]
    shop.commit(batch.records, batch=f"{batch.key}:{shop.run}" if failures else batch.key, purpose="write tasks")
    return failures


def _open(reason: str | None) -> str | None:
    """What an engine failed with, where that is why an attempt was not admitted."""
    if reason is None or not reason.startswith(INFRASTRUCTURE):
        return None
    return reason.removeprefix(INFRASTRUCTURE)


def _repairs(shop: Workshop, writer: Writer) -> list[Metric]:
    """The share of replies that each repair was needed for."""
    rates = {"any": sum(writer.repairs.values()), **writer.repairs}
    return [
        Metric(owner=shop.run, step=0, name=f"json_repairs/{name}", value=count / max(1, writer.n_read))
        for name, count in rates.items()
    ]


def _said(commission: Commission) -> JsonValue:
    parent = commission.parent.task_id if commission.parent else None
    failures: Sequence[JsonValue] = [
        [*one[:3], *([one.feedback] if one.feedback else [])] for one in commission.failures
    ]
    return [commission.seed, parent, commission.document, failures, dict(commission.params)]


def _told(
    shop: Workshop, campaign_id: str, writer: Writer | None, models: Models | None, stopped: str | None
) -> Mapping[str, JsonValue]:
    used = models.purse.used if models else Budget(0, 0.0, 0.0)
    told: dict[str, JsonValue] = dict(funnel(shop, campaign_id))
    told["repairs"] = dict(writer.repairs) if writer else {}
    told["used"] = {"tokens": used.tokens, "money": round(used.money or 0, 6), "minutes": round(used.minutes or 0, 3)}
    told["stopped"] = stopped
    return told
