"""Policies measured on held-out tasks under one protocol, and compared task by task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from pydantic import ValidationError

from flows.campaign import CampaignConfig
from flows.steps.policies import load_policy, policy_row
from flows.steps.pools import heldout_tasks
from flows.workshop import Workshop
from trainer.config import EvaluationConfig
from trainer.evaluate import choose, evaluate, protocol_hash
from warehouse.errors import UserError
from warehouse.records import Evaluation, JsonValue, Rollout, Run, Task, content_hash
from warehouse.store import Store


class Protocol(NamedTuple):
    """The tasks that a policy is measured on, and how."""

    tasks: list[Task]
    settings: EvaluationConfig

    @property
    def hash(self) -> str:
        """Its identity; figures under two of them are not compared."""
        return protocol_hash(self.tasks, self.settings)


def protocol_of(shop: Workshop, config: CampaignConfig, like: str | None = None) -> Protocol:
    """The protocol that `config` asks of the tasks that are there now, or that of the newest evaluation of `like`."""
    if like is not None:
        return _stored_protocol(shop, policy_row(shop, like).policy_id)
    return Protocol(choose(heldout_tasks(shop, config), config.evaluation.n_tasks), config.evaluation)


def evaluate_policy(
    shop: Workshop,
    config: CampaignConfig,
    policy: str,
    *,
    campaign_id: str | None = None,
    index: int | None = None,
    like: str | None = None,
) -> str:
    """Measure a policy, after stage `index` of a campaign or by itself; returns the evaluation's id.

    With `like`, a policy, the tasks and the settings are those of its newest evaluation, whatever `config` says.

    Every rollout and figure is committed. A policy measured before under the same protocol, by another campaign
    say, is not sampled again.
    """
    policy_id = policy_row(shop, policy).policy_id
    asked = protocol_of(shop, config, like)
    protocol = asked.hash
    identity: dict[str, str | int | None] = {
        "policy_id": policy_id,
        "protocol_hash": protocol,
        "campaign_id": campaign_id,
        "stage_index": index,
    }
    eval_id = content_hash("evaluation", identity)
    if shop.seen(eval_id):
        return eval_id
    rollouts: list[Rollout] = []
    rows = shop.store.read(
        Evaluation, "policy_id = $policy AND protocol_hash = $protocol", {"policy": policy_id, "protocol": protocol}
    )
    if not rows:
        rollouts, rows = evaluate(load_policy(shop, policy_id), asked.tasks, shop.judge, asked.settings)
    first = [row for row in rows if row.eval_id == rows[0].eval_id]
    own = [replace(row, eval_id=eval_id, campaign_id=campaign_id, stage_index=index) for row in first]
    shop.commit([*rollouts, *own], batch=eval_id, purpose=f"evaluate after stage {index}")
    return eval_id


def foreseen(shop: Workshop, asked: Protocol, policy_id: str) -> Mapping[str, JsonValue]:
    """What measuring a policy would do: {"policy_id", "protocol", "n_tasks", "n_samples", "n_rollouts"}.

    No rollout is asked of a policy that was measured under the same protocol before.
    """
    before = shop.store.rows(
        "SELECT 1 AS there FROM evals WHERE policy_id = $policy AND protocol_hash = $protocol LIMIT 1",
        {"policy": policy_id, "protocol": asked.hash},
    )
    n, each = len(asked.tasks), asked.settings.n_samples
    return {
        "policy_id": policy_id,
        "protocol": asked.hash,
        "n_tasks": n,
        "n_samples": each,
        "n_rollouts": 0 if before else n * each,
    }


def all_figures(shop: Workshop, eval_id: str) -> Mapping[str, Mapping[str, Mapping[str, float]]]:
    """Every figure of one evaluation: {group: {metric: {"value", "low", "high", "n"}}}."""
    found: dict[str, dict[str, Mapping[str, float]]] = {}
    for row in shop.store.read(Evaluation, "eval_id = $id", {"id": eval_id}):
        found.setdefault(row.group, {})[row.metric] = {
            "value": row.value,
            "low": row.low,
            "high": row.high,
            "n": row.n,
            "n_samples": row.n_samples,
        }
    return found


def figures(shop: Workshop, campaign_id: str, index: int, group: str = "all") -> Mapping[str, Mapping[str, float]]:
    """A campaign's figures after stage `index` for a group of tasks: {"pass@1": {"value", "low", "high", "n"}, ...}."""
    return figures_of(shop.store, campaign_id, index, group)


def figures_of(store: Store, campaign_id: str, index: int, group: str = "all") -> Mapping[str, Mapping[str, float]]:
    """The same from a store alone."""
    rows = store.read(
        Evaluation,
        'campaign_id = $campaign AND stage_index = $index AND "group" = $group',
        {"campaign": campaign_id, "index": index, "group": group},
    )
    return {row.metric: {"value": row.value, "low": row.low, "high": row.high, "n": row.n} for row in rows}


def _stored_protocol(shop: Workshop, policy_id: str) -> Protocol:
    """The protocol of a policy's newest evaluation, found again from its rollouts and a run's configuration.

    Raises `UserError` when there is no evaluation, or when no stored configuration gives its very hash.
    """
    newest = shop.store.read(Evaluation, "policy_id = $id AND \"group\" = 'all'", {"id": policy_id})
    if not newest:
        raise UserError(f"policy {policy_id} was not evaluated; see: gradatim evaluate --policy {policy_id[:8]}")
    wanted = newest[-1].protocol_hash
    rows = shop.store.rows(
        "SELECT DISTINCT task_id FROM rollouts WHERE purpose = 'eval' AND "
        "(protocol_hash = $hash OR protocol_hash IS NULL AND policy_id = $id)",
        {"hash": wanted, "id": policy_id},
    )
    tasks = shop.store.tasks(status=None, task_ids=[str(row["task_id"]) for row in rows])
    for settings in _known_settings(shop):
        found = Protocol(choose(tasks, settings.n_tasks), settings)
        if found.hash == wanted:
            return found
    raise UserError(
        f"no stored configuration gives protocol {wanted[:8]} of policy {policy_id[:8]}; name the file that it was "
        "measured with: gradatim evaluate --protocol FILE"
    )


def _known_settings(shop: Workshop) -> list[EvaluationConfig]:
    """The settings of evaluations that runs were configured with, newest first, and the defaults."""
    found = []
    for run in reversed(shop.store.read(Run)):
        try:
            found.append(CampaignConfig.model_validate(dict(run.config)).evaluation)
        except ValidationError:  # the run of another verb, or of an older version
            continue
    return [*found, EvaluationConfig()]
