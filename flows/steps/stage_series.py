"""The series that detectors read between stages: one value a stage, measured once and kept as rows of `metrics`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from curriculum.falls import Fall, Paired, fall_of_pass_k, fall_of_pass_rate, worst_fall
from curriculum.looks import LEAST
from flows.campaign import CampaignConfig
from warehouse.records import Evaluation, Metric, Stage
from warehouse.store import Store

NAN = float("nan")


@dataclass(frozen=True)
class Look:
    """The values of one look; `fall` names the arm behind `forgetting_worst`."""

    index: int
    values: Mapping[str, float]
    fall: Fall | None = field(default=None)

    def rows(self, campaign_id: str) -> list[Metric]:
        """The values as rows of the campaign's series, at the stage's index."""
        return [Metric(owner=campaign_id, step=self.index, name=name, value=v) for name, v in self.values.items()]


def evaluated(store: Store, campaign_id: str) -> dict[int, str]:
    """The policy that was evaluated after each stage of a campaign; 0 is its start."""
    rows = store.read(
        Evaluation, "campaign_id = $campaign AND \"group\" = 'all' AND metric = 'pass@1'", {"campaign": campaign_id}
    )
    return {row.stage_index: row.policy_id for row in rows if row.stage_index is not None}


def stored_looks(store: Store, campaign_id: str) -> dict[int, dict[str, float]]:
    """The looks that the warehouse holds, by stage index."""
    looks: dict[int, dict[str, float]] = {}
    for row in store.read(Metric, "owner = $campaign", {"campaign": campaign_id}):
        looks.setdefault(row.step, {})[row.name] = row.value
    return looks


def stage_behind(store: Store, policy: str, index: int) -> Stage | None:
    """The finished GRPO stage with place `index` that ended in `policy`."""
    found = store.read(
        Stage,
        "policy_out = $policy AND stage_index = $index AND kind = 'grpo' AND status = 'finished'",
        {"policy": policy, "index": index},
    )
    return found[-1] if found else None


def look_at(store: Store, config: CampaignConfig, campaign_id: str, index: int) -> Look:
    """Measure the look after stage `index` (0: before the first); what is not there is left out."""
    policies = evaluated(store, campaign_id)
    values = _evaluation(store, config, campaign_id, index) | _health(store, config, policies[index], index)
    earlier = [policy for look, policy in sorted(policies.items()) if look < index]
    if not earlier:
        return Look(index, values)
    n_looks = config.curriculum.n_stages
    pairs = {policy: paired(store, policy, policies[index]) for policy in dict.fromkeys(earlier)}
    alpha = 0.05 / n_looks
    values |= fall_of_pass_k(list(pairs.values()), config.evaluation.k, alpha=alpha)
    stage = stage_behind(store, policies[index], index)
    begun = stage.policy_in if stage is not None and stage.policy_in in pairs else earlier[-1]
    falls = [fall_of_pass_rate(pairs[name], alpha=alpha / 2) for name in (str(begun), earlier[0])]
    values |= min(falls, key=lambda fall: fall["pass@1_fall_high"])
    fall = worst_fall(list(pairs.values()), mastered=config.curriculum.mixture.mastered, alpha=alpha)
    if fall is not None:
        values |= {"forgetting_worst": fall.difference, "forgetting_high": fall.high}
    return Look(index, values, fall)


def paired(store: Store, earlier: str, later: str) -> Paired:
    """Samples and passes of two policies on each task that both were evaluated on."""
    table = store.named("paired_passes", policy_a=earlier, policy_b=later)
    counts = {name: np.asarray(table[name].to_pylist(), dtype=np.int64) for name in ("n_a", "c_a", "n_b", "c_b")}
    return Paired([str(arm) for arm in table["arm"].to_pylist()], **counts)


def _evaluation(store: Store, config: CampaignConfig, campaign_id: str, index: int) -> dict[str, float]:
    rows = store.read(
        Evaluation,
        "campaign_id = $campaign AND stage_index = $index AND \"group\" = 'all'",
        {"campaign": campaign_id, "index": index},
    )
    found = {row.metric: row.value for row in rows}
    names = {"pass@1": "pass@1", f"pass@{config.evaluation.k}": f"pass@{config.evaluation.k}", "entropy": "entropy"}
    names |= {"reward": "pass@1", "n_tokens": "tokens"}
    return {name: found[metric] for name, metric in names.items() if metric in found}


def _health(store: Store, config: CampaignConfig, policy: str, index: int) -> dict[str, float]:
    """Shares over evaluation and training rollouts, and the stock of the policy that the stage began with."""
    own = _row(store, "eval_health", policy=policy)
    values = {name: _share(own, name, "n_rollouts") for name in ("truncated_rate", "infra_rate")}
    stage = stage_behind(store, policy, index) if index else None
    if stage is None:
        return values
    trained = _row(store, "stage_health", stage=stage.stage_id)
    shares = ("all_right", "all_wrong", "duplicate_rate")
    values |= {name: _share(trained, name, "n_groups") for name in shares}
    rates = [values["infra_rate"], _share(trained, "infra_rate", "n_rollouts")]
    values["infra_rate"] = max((rate for rate in rates if rate == rate), default=NAN)
    stock = _row(store, "frontier_stock", policy=str(stage.policy_in)).get("stock")
    if stock is not None:
        values["stock_batches"] = float(str(stock)) / config.stage.prompts_per_step
    return values


def _row(store: Store, query: str, **params: object) -> Mapping[str, object]:
    rows = store.named(query, **params).to_pylist()
    return rows[0] if rows else {}


def _share(row: Mapping[str, object], name: str, of: str) -> float:
    value, n = row.get(name), row.get(of)
    return NAN if value is None or int(str(n or 0)) < LEAST else float(str(value))
