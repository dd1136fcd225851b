"""Settings of the pocket writer and the pocket checker; imports no torch."""

from __future__ import annotations

from pydantic import Field, field_validator, model_validator

from trainer.config import Frozen


class LearnerConfig(Frozen):
    """How one of the two small models is taught."""

    n_steps: int = Field(ge=1)
    """Optimizer steps."""
    n_lessons: int = Field(16_000, ge=1)
    """Lessons to learn from, each seen about `n_steps * batch_size / n_lessons` times."""
    batch_size: int = Field(128, ge=1)
    """Lessons a step."""
    matrix_rate: float = Field(0.02, gt=0)
    """Peak rate of Muon, which moves the weight matrices."""
    rate: float = Field(4e-3, gt=0)
    """Peak rate of AdamW, which moves all else."""


class WritingConfig(Frozen):
    """Tasks that a pocket writer proposes and a pocket checker of another lineage solves blind."""

    n_proposals: int = Field(0, ge=0)
    """Replies asked of the writer, spread evenly over the families; 0 turns writing off."""
    families: tuple[str, ...] = ("rev", "sort", "inc", "uniq")
    """Families in whose form tasks are written; the two models learn them from demonstrations."""
    levels: tuple[int, ...] = Field((4, 5), min_length=1)
    """Levels that both models are taught and that tasks are asked for."""
    writer: LearnerConfig = LearnerConfig(n_steps=120)
    """Taught for a short time, so that it makes the mistakes of a model that half knows."""
    checker: LearnerConfig = LearnerConfig(n_steps=300)
    """Taught longer, on other lessons."""
    n_votes: int = Field(4, ge=1)
    """Blind answers of the checker to each proposal, at temperature 1."""
    least_agreement: float = Field(0.75, gt=0.5, le=1)
    """Share of all the votes that must agree with the writer's answer."""

    @field_validator("families")
    @classmethod
    def _written(cls, families: tuple[str, ...]) -> tuple[str, ...]:
        from synth.writers.styles.pocket import FORMS
        from warehouse.errors import unknown_name

        for name in families:
            if name not in FORMS:
                raise unknown_name("family that can be written", name, FORMS, "[writing] families")
        return families

    @model_validator(mode="after")
    def _taught(self) -> WritingConfig:
        from synth.writers.styles.pocket import FORMS

        for name in self.families:
            if missing := sorted(set(self.levels) - set(FORMS[name].levels)):
                known = FORMS[name].levels
                raise ValueError(f"family '{name}' has no level {missing[0]}; its levels: {known[0]} to {known[-1]}")
        return self
