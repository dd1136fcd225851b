"""The figures of an evaluation: the metric matrix of every group of its tasks, each with a clustered interval."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from curriculum.estimates import Interval, clustered_interval, clustered_quantile
from curriculum.metrics import HEADLINE, QUANTILES, bounded, per_sample, per_task
from curriculum.strata import strata
from trainer.config import EvaluationConfig
from warehouse.records import Rollout, Task


class Figure(NamedTuple):
    """One metric of one group of tasks."""

    group: str
    metric: str
    interval: Interval


def figures(tasks: Sequence[Task], rollouts: Sequence[Rollout], protocol: EvaluationConfig) -> Iterator[Figure]:
    """Every figure of an evaluation whose `rollouts` are those of `tasks` in order; none without values.

    Groups are `all`, the protocol's own (`group:NAME`), strata (`stratum:NAME`), families and arms; the last two carry
    pass@1, pass@k and `HEADLINE` alone. Clusters are arms: family, level and source. Undecided rollouts count in no
    pass rate; a task with fewer than k decided ones has no pass@k.
    """
    size = protocol.n_samples
    groups = [rollouts[start : start + size] for start in range(0, len(rollouts), size)]
    powers = [2**i for i in range(size.bit_length()) if 2**i <= size]
    values = per_task(groups, (1, protocol.k, *powers))
    headline = {"pass@1", f"pass@{protocol.k}", *HEADLINE}
    for group, places in _groups(tasks, protocol).items():
        clusters = [tasks[place].arm for place in places]
        short = group.startswith(("family:", "arm:"))
        found = {
            metric: clustered_interval(column[places], clusters, bounded=bounded(metric))
            for metric, column in values.items()
            if not short or metric in headline
        }
        for metric, q in QUANTILES.items() if not short else ():
            samples = per_sample([groups[place] for place in places], metric)
            found[metric] = clustered_quantile(samples, q, clusters)
        yield from (Figure(group, metric, interval) for metric, interval in found.items() if interval.n)


def _groups(tasks: Sequence[Task], protocol: EvaluationConfig) -> Mapping[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for place, task in enumerate(tasks):
        named = [f"group:{name}" for name, families in protocol.groups.items() if task.family in families]
        for group in ("all", f"family:{task.family}", f"arm:{task.arm}", *named):
            found[group].append(place)
    found |= {f"stratum:{name}": places for name, places in strata(tasks, protocol.unseen_families).items()}
    return found
