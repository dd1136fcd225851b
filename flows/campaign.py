"""What a campaign is: its configuration, how that is read, and the identity that follows from it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, Field, JsonValue, ValidationError, field_validator, model_validator

from curriculum.mixture import MixtureConfig
from synth.engines.config import ModelsConfig
from synth.graders.config import StackConfig, with_stack
from trainer.config import (
    EvaluationConfig,
    Frozen,
    GuardConfig,
    PolicyConfig,
    SamplingConfig,
    SftConfig,
    StageConfig,
    WarmStartConfig,
    trl_within_stage,
)
from trainer.engines.config import WritingConfig
from warehouse.errors import UserError, unknown_name
from warehouse.records import content_hash

COMPONENTS = ("gradatim", "torch", "transformers", "trl", "duckdb")
"""Packages whose versions enter a campaign's identity."""


class WrittenConfig(Frozen):
    """Tasks that `[models]` makes beside the families: `writer` writes them, `checker` solves them blind.

    Without both of them none is asked for. Both are bounded by `[models.budget]`.
    """

    styles: tuple[str, ...] = ("new_surface", "harder")
    """Styles of writing, each asked for an equal part; see `gradatim synth --list-styles`."""
    share: float = Field(0.1, ge=0, le=10)
    """Tasks asked of the writer for each attempt of the families, where `n` is none."""
    n: int | None = Field(None, ge=0)
    """Tasks asked of the writer in all; 0 asks for none."""
    origin: str | None = None
    """Source, family or group of traces to write from; none means every training task that no model wrote."""
    n_votes: int = Field(8, ge=2)
    """Blind answers of the checker to each task."""

    @field_validator("styles")
    @classmethod
    def _known(cls, styles: tuple[str, ...]) -> tuple[str, ...]:
        from synth.writers import STYLES

        for name in styles:
            if "document" in STYLES.get(name).needs:
                raise ValueError(
                    f"style '{name}' writes from documents: gradatim synth --style {name} --documents PATH"
                )
        return styles


class SynthesisConfig(Frozen):
    """Which tasks are made before training."""

    families: tuple[str, ...] = ("rev", "sort", "inc", "add", "tally", "max", "lin", "cut")
    """Families that make tasks, those of agent tasks among them; each at all of its levels. A stage trains on agent
    tasks or on single turns, so a campaign names families of one kind."""
    n_per_family: int = Field(600, ge=1)
    """Attempts per family, spread evenly over its levels."""
    sources: tuple[str, ...] = ()
    """Imported sources that are trained and measured on beside the families."""
    benchmarks: tuple[str, ...] = ()
    """Imported sources that no task may resemble."""
    written: WrittenConfig = WrittenConfig()
    """What the models of `[models]` are asked for."""
    train_on: tuple[Literal["verifiable", "non_verifiable"], ...] = Field(("verifiable",), min_length=1)
    """Buckets that stages draw from; `non_verifiable` adds every accepted rubric task, rewarded by
    `[models.referee]`. What is measured is verifiable whatever stands here."""

    @field_validator("families")
    @classmethod
    def _known(cls, families: tuple[str, ...]) -> tuple[str, ...]:
        from synth.environments.makers import MAKERS
        from synth.family import FAMILIES

        agents = [name for name in families if name in MAKERS.names()]
        for name in families:
            if name not in agents:
                FAMILIES.get(name)
        if agents and len(agents) < len(families):
            raise ValueError(f"{', '.join(agents)} are agent tasks, the others are not: train on one kind")
        return families


class CalibrationConfig(Frozen):
    """How tasks are probed before a plan."""

    budget_share: float = Field(0.05, ge=0, le=0.05)
    """Share of the stage's rollouts that probes may cost."""
    group_size: int = Field(8, ge=2)
    """Rollouts a probed task."""
    recent_steps: int = Field(20, ge=0)
    """Last steps of the stage before whose rollouts count as evidence."""


class CurriculumConfig(Frozen):
    """How tasks are chosen."""

    scheduler: str = "frontier"
    """Scheduler that draws within a stage; see `gradatim simulate --help`."""
    scheduler_config: dict[str, JsonValue] = Field(default_factory=dict)
    """The scheduler's own settings."""
    baseline: str | None = "uniform"
    """Scheduler that a second arm of the campaign trains with from the same start; `"none"` for no comparison."""
    n_stages: int = Field(3, ge=1)
    """Training stages, each with its own plan."""
    mixture: MixtureConfig = MixtureConfig()
    """Floors, caps and trust region of the plans."""

    @field_validator("baseline", mode="before")
    @classmethod
    def _none(cls, name: object) -> object:
        return None if name == "none" else name

    @model_validator(mode="after")
    def _drawable(self) -> CurriculumConfig:
        from curriculum.schedulers import check_scheduler

        for name, place in (("group", "[stage] group_size"), ("weights", "the plan, [curriculum.mixture]")):
            if name in self.scheduler_config:
                raise ValueError(f"scheduler_config.{name} is set by {place}")
        check_scheduler(self.scheduler, self.scheduler_config)
        if self.baseline is not None:
            check_scheduler(self.baseline, {})
        return self


class WatchConfig(Frozen):
    """What is done about a collapse between stages."""

    enabled: bool = True
    """Look after every stage's evaluation and act for the next stage. A baseline arm always runs without."""
    watch_only: bool = False
    """Record alarms and decisions, between stages and within them, and change nothing."""


class CampaignConfig(Frozen):
    """One campaign: everything that decides what it does, and nothing about the machine it runs on."""

    name: str = "pocket"
    """Name shown in reports."""
    seed: int = Field(0, ge=0, lt=2**32)
    """Seed of every random choice."""
    policy: PolicyConfig = PolicyConfig()
    synthesis: SynthesisConfig = SynthesisConfig()
    writing: WritingConfig = WritingConfig()
    warm_start: WarmStartConfig = WarmStartConfig()
    sampling: SamplingConfig = SamplingConfig()
    calibration: CalibrationConfig = CalibrationConfig()
    curriculum: CurriculumConfig = CurriculumConfig()
    stage: StageConfig = StageConfig()
    sft: SftConfig = SftConfig()
    guard: GuardConfig = GuardConfig()
    watch: WatchConfig = WatchConfig()
    evaluation: EvaluationConfig = EvaluationConfig()
    models: ModelsConfig = ModelsConfig()
    """Models by role, as `gradatim synth --models` and graders that ask read them."""
    graders: StackConfig | None = None
    """Grader stack whose S is the reward: a table, or the name of a TOML file beside this one; none means the
    verifier's word alone."""

    @property
    def n_written(self) -> int:
        """Tasks asked of the writer of `[models]`; 0 unless a writer and a checker are configured."""
        made, models = self.synthesis, self.models
        if not (models.writer and models.checker and made.written.styles):
            return 0
        n = made.written.n
        return round(made.written.share * made.n_per_family * len(made.families)) if n is None else n

    @property
    def written_families(self) -> tuple[str, ...]:
        """The families that written tasks are of: their styles."""
        return self.synthesis.written.styles if self.n_written else ()

    @model_validator(mode="before")
    @classmethod
    def _passed_on(cls, tables: object) -> object:
        return trl_within_stage(tables)

    @model_validator(mode="after")
    def _confirmed(self) -> CampaignConfig:
        if self.models.writer and not self.models.checker:
            raise ValueError(
                "models.writer writes tasks that nobody confirms: give [models.checker] of another lineage"
            )
        return self

    @model_validator(mode="after")
    def _judged(self) -> CampaignConfig:
        if "non_verifiable" in self.synthesis.train_on and self.models.referee is None:
            raise ValueError(
                "synthesis.train_on names non_verifiable, whose reward is a judge's word: give [models.referee] of "
                "another lineage than the policy's"
            )
        return self

    @model_validator(mode="after")
    def _never_seen(self) -> CampaignConfig:
        seen = sorted({*self.evaluation.unseen_families} & {*self.synthesis.families, *self.synthesis.sources})
        if seen:
            raise ValueError(f"evaluation.unseen_families are trained on: {', '.join(seen)}")
        both = sorted({*self.synthesis.benchmarks} & {*self.synthesis.sources})
        if both:
            raise ValueError(f"synthesis.benchmarks are trained on: {', '.join(both)}")
        return self


def read_config(path: Path | None) -> CampaignConfig:
    """The campaign configuration in a TOML file, over the defaults; the defaults when `path` is none.

    Raises `UserError` when the file is missing, is not TOML, or holds an unknown key or a value out of range.
    """
    if path is None:
        return CampaignConfig()
    if not path.is_file():
        raise UserError(f"configuration '{path}' is not a file; see: configs/pocket.toml for an example")
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UserError(
            f"configuration '{path}' is not TOML: {error}; see: configs/pocket.toml for an example"
        ) from error
    try:
        return CampaignConfig.model_validate(with_stack(tables, path.parent))
    except ValidationError as error:
        raise _named(path, error) from error


class CampaignIds(Frozen):
    """Who a campaign is, and who its baseline arm is; `nonce` is empty unless a new campaign was forced."""

    campaign: str
    baseline: str
    nonce: str = ""


def campaign_ids(config: CampaignConfig, sources: Mapping[str, str], nonce: str = "") -> CampaignIds:
    """Identities from the configuration, the hashes of the sources' files, and the component versions.

    `sources` maps a source's name to the SHA-256 of its file.
    """
    versions = {name: version(name) for name in COMPONENTS}

    def identity(of: CampaignConfig) -> str:
        settings = {**of.model_dump(mode="json", exclude={"models"}), "models": of.models.identity}
        return content_hash("campaign", settings, dict(sources), versions, nonce)

    other = with_scheduler(config, config.curriculum.baseline or config.curriculum.scheduler)
    return CampaignIds(campaign=identity(config), baseline=identity(other), nonce=nonce)


def _named(path: Path, error: ValidationError) -> UserError:
    """The first thing wrong with a configuration, as one line."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        *tables, _ = first["loc"]
        model: type[BaseModel] = CampaignConfig
        for table in tables:
            model = _table(model, str(table))
        return unknown_name(
            f"key in {path}", place, [".".join([*map(str, tables), name]) for name in model.model_fields], str(path)
        )
    said = first["msg"].removeprefix("Value error, ")
    if isinstance(first["input"], Mapping):
        return UserError(f"{said}; see: {f'{place} in ' if place else ''}{path}")
    return UserError(f"{place} in {path} is {_shown(first['input'])}: {said}; see: {path}")


def _shown(value: object) -> str:
    """A value out of range; tables and lists are named only: what they hold may be a credential."""
    if isinstance(value, (Mapping, list)):
        return "a table" if isinstance(value, Mapping) else "a list"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _table(model: type[BaseModel], name: str) -> type[BaseModel]:
    """The model of a table within a configuration; the outer one where the table is a list."""
    annotation = model.model_fields[name].annotation if name in model.model_fields else None
    options = [annotation, *get_args(annotation)]
    return next((one for one in options if isinstance(one, type) and issubclass(one, BaseModel)), model)


def with_scheduler(config: CampaignConfig, scheduler: str) -> CampaignConfig:
    """The same campaign drawn by another scheduler, with that one's default settings and no baseline of its own.

    It is the yardstick: nothing is done about its collapse, within stages or between them.
    """
    curriculum = config.curriculum.model_copy(update={"scheduler": scheduler, "scheduler_config": {}, "baseline": None})
    guard = config.guard.model_copy(update={"watch_only": True})
    watch = config.watch.model_copy(update={"enabled": False})
    return config.model_copy(update={"curriculum": curriculum, "guard": guard, "watch": watch})
