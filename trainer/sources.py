"""Where a stage's rollouts come from: its own policy in step, a server, a sampling process, or played episodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from trainer.asynchronous import RolloutQueue
from trainer.config import EpisodeConfig
from trainer.episodes import Player
from trainer.errors import KnobRefused
from trainer.factory import Factory
from trainer.policies import LoadedPolicy
from trainer.rewards import JudgeLike
from trainer.sampler import JudgeMaker, SamplerSpec
from trainer.sampling import CurriculumSampler
from trainer.served import ServedPolicy
from trainer.stagefile import StageFile
from warehouse.records import Domain, Task


class Sources(NamedTuple):
    """At most one way beside sampling here in step; `queue` of an asynchronous stage, whose process asks a server."""

    queue: RolloutQueue | None = None
    served: ServedPolicy | None = None
    player: Player | None = None
    factory: Factory | None = None

    def close(self) -> None:
        """End what runs apart."""
        for apart in (self.queue, self.served):
            if apart is not None:
                apart.close()


def sources_of(
    file: StageFile,
    tasks: Sequence[Task],
    *,
    policy: LoadedPolicy,
    judge: JudgeLike,
    make_judge: JudgeMaker,
    sampler: CurriculumSampler,
) -> Sources:
    """What the stage's settings and tasks ask for; raises `KnobRefused` for what does not go together."""
    served = _server(file)
    played = _episodes(file, tasks, policy, judge)
    return Sources(
        _queue(file, tasks, policy, make_judge, sampler),
        served,
        played if isinstance(played, Player) else None,
        played if isinstance(played, Factory) else None,
    )


def _queue(
    file: StageFile,
    tasks: Sequence[Task],
    policy: LoadedPolicy,
    make_judge: JudgeMaker,
    sampler: CurriculumSampler,
) -> RolloutQueue | None:
    """The queue of an asynchronous stage; none when rollouts are sampled in step."""
    if file.trainer.sampling.staleness == 0:
        return None
    return RolloutQueue(
        SamplerSpec(file, tasks, make_judge, file.trainer.stage.threads),
        draws=sampler,
        encode=policy.encode,
        last=file.last_step // file.trainer.stage.num_iterations,
        folder=file.spool / "weights",
    )


def _server(file: StageFile) -> ServedPolicy | None:
    """The server that samples in step with the trainer; in an asynchronous stage its sampling process asks it."""
    config = file.trainer
    if config.sampling.server and config.policy.lora is not None:
        raise KnobRefused("a server takes whole weights, no adapters; see: [sampling] server, [policy.lora]")
    if not config.sampling.server or config.sampling.staleness:
        return None
    return ServedPolicy(config.sampling.server, file.spool)


def _episodes(
    file: StageFile, tasks: Sequence[Task], policy: LoadedPolicy, judge: JudgeLike
) -> Player | Factory | None:
    """What plays a stage of agent tasks; none for a stage of single turns. Raises `KnobRefused` for a mixture.

    Engine `lean` plays here, the others through TRL's `environment_factory`.
    """
    sampling = file.trainer.sampling
    agents = [task.domain is Domain.AGENT for task in tasks]
    if not any(agents):
        return None
    if not all(agents):
        raise KnobRefused(
            f"{sum(agents)} of {len(agents)} tasks are agent tasks; a stage trains on those or on single turns; "
            "see: arms in the stage file"
        )
    if sampling.staleness or sampling.server:
        raise KnobRefused("agent tasks need staleness 0 and no server; see: [sampling]")
    if sampling.engine == "lean":
        return Player(policy, lambda: judge.pool, sampling)
    episodes = sampling.episodes or EpisodeConfig()
    if episodes.grammar != "json":
        raise KnobRefused(
            f"engine {sampling.engine} plays agent tasks by the policy's chat template, not in the grammar "
            f"{episodes.grammar}; see: [sampling] episodes"
        )
    return Factory(tasks, lambda: judge.pool, episodes)
