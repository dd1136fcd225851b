"""Tasks from reasoning-gym's families, and tasks grown from imported ones, through the same admission."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from flows.progress import Progress
from flows.steps.commissions import training_tasks
from flows.steps.synthesis import benchmark_of, funnel
from flows.workshop import Workshop
from synth import gym
from synth.decontaminate import Benchmark
from synth.grown import NAMES, grow
from synth.grown.growing import evidence
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from synth.proposals import Generator, Proposal
from warehouse.errors import UserError, unknown_name
from warehouse.records import Domain, JsonValue, Task, content_hash

VARIED, STRONGER = "gsm8k_variants", "stronger_tests"
VARIANTS = 4
"""Variants of a word problem where nobody says how many attempts."""


def gym_tasks(
    shop: Workshop, names: Sequence[str], *, n: int, seed: int, campaign_id: str, benchmarks: Sequence[str] = ()
) -> Mapping[str, JsonValue]:
    """`n` attempts from each of reasoning-gym's data sets; returns the funnel. Done ones are not made again."""
    check_gym(names)
    benchmark = benchmark_of(shop, benchmarks)
    with Progress("gym", total=n * len(names)) as progress:
        for name in names:
            made = gym.gym_proposals(name, n=n, seed=seed)
            _admitted(shop, gym.generator_of(name), made, f"{campaign_id}:{name}", campaign_id, progress, benchmark)
    return funnel(shop, campaign_id)


def check_gym(names: Sequence[str]) -> None:
    """Raise `UserError` for a name that is no data set of reasoning-gym."""
    for name in names:
        if name not in gym.names():
            raise unknown_name("reasoning-gym data set", name, gym.names(), "gradatim synth --list-gym")


def grown_tasks(
    shop: Workshop,
    source: str,
    *,
    generators: Sequence[str] = (),
    n: int | None = None,
    seed: int = 0,
    campaign_id: str,
    benchmarks: Sequence[str] = (),
) -> Mapping[str, JsonValue]:
    """Everything that can be grown from an imported source's accepted training tasks, or only `generators`' part.

    `n` is the number of attempts of each generator at most, spread over the tasks; without it everything is grown, and
    `VARIANTS` of a word problem. Raises `UserError` for a source without such tasks, an unknown
    generator, and one that has nothing to grow from in this source.
    """
    origins = parents_of(shop, source, generators)
    benchmark = benchmark_of(shop, benchmarks)
    with Progress(f"grow {source}", total=0) as progress:
        for name, parents in origins.items():
            done = f"{campaign_id}:{name}:{content_hash([parent.task_id for parent in parents])}"
            if not shop.seen(done):
                each = VARIANTS if n is None else max(1, -(-n // max(1, len(parents))))
                generator, made = grow(name, parents, shop.judge, n=each, seed=seed)
                _admitted(shop, generator, islice(made, n), done, campaign_id, progress, benchmark)
    return funnel(shop, campaign_id)


def parents_of(shop: Workshop, source: str, generators: Sequence[str] = ()) -> Mapping[str, list[Task]]:
    """The tasks that each generator grows from, by its name; raises as `grown_tasks` does."""
    for name in generators:
        if name not in NAMES:
            raise unknown_name("corpus-grown generator", name, NAMES, "gradatim synth --help")
    parents = [task for task in training_tasks(shop, source) if not task.parents]
    programs = all(parent.domain is Domain.CODE for parent in parents)
    fitting = [name for name in NAMES if (name != VARIED) == programs]
    wanted = [name for name in fitting if not generators or name in generators]
    if not wanted:
        raise UserError(f"from '{source}' can be grown: {', '.join(fitting)}; see: gradatim synth --help")
    return {name: weakly_tested(shop, source) if name == STRONGER else parents for name in wanted}


def weakly_tested(shop: Workshop, source: str) -> list[Task]:
    """The training tasks of a source that were rejected for weak tests, by identity."""
    rows = shop.store.rows(
        "SELECT task_id FROM current_tasks WHERE source = $source AND split = 'train' AND status = 'rejected' "
        "AND status_reason = 'mutants: weak tests' ORDER BY task_id",
        {"source": source},
    )
    return shop.store.tasks(status=None, task_ids=[str(row["task_id"]) for row in rows])


def _admitted(
    shop: Workshop,
    generator: Generator,
    made: Iterable[Proposal],
    done: str,
    campaign_id: str,
    progress: Progress,
    benchmark: Benchmark | None,
) -> None:
    """Examines and commits the attempts of one generator, unless all of them are in already."""
    if shop.seen(done):
        return
    checks = evidence(generator.name, shop.judge)
    own_words = checks is None  # issues are templates, in which a changed letter is another task
    novelty = Novelty(shop.store.tasks(), near=own_words, semantic=shop.embedder if own_words else None)
    admission = Admission(campaign_id, shop.judge, novelty, benchmark, checks=checks)
    for batch in admit(made, generator, admission):
        shop.commit(batch.records, batch=batch.key, purpose=f"synthesise {generator.name}")
        for _ in range(batch.n_in):
            progress.advance()
    shop.commit([], batch=done, purpose=f"synthesise {generator.name} done")
