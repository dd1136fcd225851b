"""TRL's `environment_factory`: agent tasks as classes whose methods are tools, for models whose template calls tools.

TRL asks one instance of each environment for its tools, once. Tasks that have the same tools share an environment,
and a task with tools of its own gets one of its own: a dict of environments, and every row of the data names its own.

    made = Factory(tasks, lambda: pool)
    GRPOTrainer(model=..., args=..., train_dataset=Dataset.from_list(made.rows), reward_funcs=made.reward,
                environment_factory=made.environments)

TRL writes calls and answers by the template, and its `tool_mask` leaves out what the policy did not write.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from trl.chat_template_utils import add_response_schema, supports_tool_calling

from synth.environments import Budget, Episode, Tool
from synth.environments.running import Trajectory, begun, called, finished
from synth.sandbox import Pool
from trainer.config import EpisodeConfig
from trainer.errors import KnobRefused
from warehouse.records import JsonValue, Task, content_hash

TAKEN = ("reset", "get_reward")
"""Names that TRL keeps for itself."""


class ToolEpisode:
    """One rollout at a time of any task of one tool set; subclasses have its tools as methods.

    TRL takes every method that has no underscore before its name for a tool.
    """

    _factory: Factory
    _episode: Episode
    _began: float

    def reset(self, position: int, **_: Any) -> str:
        """Begins the task at a position anew; what its environment first shows."""
        self._episode, self._began = self._factory.begun(position), self._factory.clock()
        return self._episode.reset().text


class Factory:
    """The environments that TRL is given for some tasks, the rows of its data, and the reward.

    Raises `KnobRefused` for a tool whose name TRL cannot take.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        pool: Callable[[], Pool],
        config: EpisodeConfig | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.config = config = config or EpisodeConfig()
        self.tasks, self.pool, self.clock = tasks, pool, clock
        self._budget = Budget(config.calls, config.tokens, config.seconds, config.observation_characters)
        self.schemas: dict[str, list[dict[str, JsonValue]]] = {}
        self.environments: dict[str, Callable[[], ToolEpisode]] = {}
        self.names = [self._named(place) for place in range(len(tasks))]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row of TRL's data for each task; the environment says what the user says."""
        return [
            {"prompt": [{"role": "user", "content": ""}], "position": place, "environment": name}
            for place, name in enumerate(self.names)
        ]

    def begun(self, position: int) -> Episode:
        """An episode of the task at a position, not yet reset."""
        return begun(self.tasks[position], self.pool(), budget=self._budget, clock=self.clock)

    def ended(self, environments: Sequence[ToolEpisode]) -> list[Trajectory]:
        """The word on what each environment has seen; nothing handed in is no answer. Lets go of what they held."""
        now, found = self.clock(), []
        for one in environments:
            one._episode.environment.close()
            found.append(finished(one._episode, self.pool(), latency_s=now - one._began))
        return found

    def reward(self, environments: Sequence[ToolEpisode], **_: Any) -> list[float | None]:
        """A reward function for TRL: what each submission is worth, none where what it stood on has failed."""
        return [one.word.reward for one in self.ended(environments)]

    def _named(self, position: int) -> str:
        """The name of the environment that has the tools of the task at a position, made when it is the first."""
        episode = self.begun(position)
        try:
            episode.reset()
            tools = episode.tools
        finally:
            episode.environment.close()
        schemas = [one.schema for one in tools]
        kind = str(self.tasks[position].params["environment"])
        name = f"{kind}-{content_hash(schemas)[:8]}"
        if name not in self.environments:
            self.schemas[name], self.environments[name] = schemas, self._class(name, tools)
        return name

    def _class(self, name: str, tools: Sequence[Tool]) -> type[ToolEpisode]:
        for one in tools:
            if one.name in TAKEN or one.name.startswith("_") or not one.name.isidentifier():
                raise KnobRefused(
                    f"TRL cannot take a tool of the name {one.name!r}; play these tasks with engine lean; "
                    "see: [sampling] engine"
                )
        return type(name, (ToolEpisode,), {**{one.name: _method(one) for one in tools}, "_factory": self})


class AnyTool(Mapping[str, Callable[..., str]]):
    """Every name as a tool of one episode, so that a call of one that there is not is told what there is, and costs."""

    def __init__(self, one: ToolEpisode) -> None:
        self._one = one

    def __getitem__(self, name: str) -> Callable[..., str]:
        return lambda **arguments: call(self._one, name, arguments)

    def __contains__(self, name: object) -> bool:
        return True

    def __iter__(self) -> Any:
        return iter([tool.name for tool in self._one._episode.tools])

    def __len__(self) -> int:
        return len(self._one._episode.tools)


def call(one: ToolEpisode, name: str, arguments: Mapping[str, Any]) -> str:
    """What a call shows; wrong arguments and a spent budget are observations, as in any episode."""
    return one._episode.step(called(name, **arguments)).text


def check_template(tokenizer: Any) -> None:
    """Raises `KnobRefused` where TRL could not render or read the tool calls of a tokenizer's chat template."""
    if not supports_tool_calling(tokenizer):
        raise KnobRefused(
            "the policy's chat template cannot call tools; play agent tasks with engine lean; see: [sampling] engine"
        )
    if getattr(tokenizer, "response_template", None) or getattr(tokenizer, "response_schema", None):
        return
    try:
        add_response_schema(tokenizer)
    except ValueError as error:
        raise KnobRefused(
            f"TRL cannot read tool calls of the policy's chat template ({str(error).splitlines()[0][:200]}); "
            "play agent tasks with engine lean; see: [sampling] engine"
        ) from error


def _method(tool: Tool) -> Callable[..., str]:
    """A tool as a method with the signature and the docstring from which libraries derive a schema."""

    def method(self: ToolEpisode, **arguments: Any) -> str:
        return call(self, tool.name, arguments)

    fields = tool.parameters.model_fields
    keyword = inspect.Parameter.KEYWORD_ONLY
    method.__name__ = method.__qualname__ = tool.name
    method.__annotations__ = {name: field.annotation for name, field in fields.items()} | {"return": str}
    method.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            *(
                inspect.Parameter(
                    name, keyword, annotation=field.annotation,
                    default=inspect.Parameter.empty if field.is_required() else field.default,
                )
                for name, field in fields.items()
            ),
        ],
        return_annotation=str,
    )  # fmt: skip
    told = "".join(f"\n    {name}: {field.description or name.replace('_', ' ')}" for name, field in fields.items())
    method.__doc__ = f"{tool.meaning}\n\nArgs:{told}\n" if told else tool.meaning
    return method
