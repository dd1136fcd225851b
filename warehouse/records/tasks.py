"""Rows about tasks: where they come from, who made them, what admitted them, where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from warehouse.records.columns import Column
from warehouse.records.identity import JsonValue
from warehouse.records.words import AttemptOutcome, Domain, Outcome, Split, Status, TaskKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One imported corpus at one revision."""

    TABLE: ClassVar[str] = "sources"
    GRAIN: ClassVar[str] = "one imported corpus"

    source: Annotated[str, Column("name of the corpus", key=True)]
    revision: Annotated[str, Column("revision of the corpus, or its content hash", key=True)]
    licence: Annotated[str, Column("SPDX identifier of the licence")]
    n_rows: Annotated[int, Column("rows read", low=0)]
    sha256: Annotated[str, Column("SHA-256 of the file read")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attempt to make a task, admitted or not: the funnel is a view over these rows."""

    TABLE: ClassVar[str] = "attempts"
    GRAIN: ClassVar[str] = "one attempt to make a task"

    attempt_id: Annotated[str, Column("hash of campaign, generator, version, seed and index", key=True)]
    campaign_id: Annotated[str, Column("hash of the resolved configuration, sources and versions")]
    generator: Annotated[str, Column("family, importer or writer that made the attempt")]
    generator_kind: Annotated[str, Column("procedural, imported, corpus_grown, model or adapter")]
    generator_version: Annotated[str, Column("version of the generator")]
    generator_lineage: Annotated[str, Column("family of weights or of programs that the generator belongs to")]
    prompt_hash: Annotated[str | None, Column("hash of the prompt sent to a model generator")] = None
    seed: Annotated[int, Column("seed of the request", low=0)]
    index: Annotated[int, Column("place within the request", low=0)]
    task_id: Annotated[str | None, Column("the task made, when one was made", references="tasks.task_id")] = None
    outcome: Annotated[AttemptOutcome, Column("admitted or rejected")]
    reason: Annotated[str | None, Column("why it was rejected; none when admitted")] = None
    kept_task_id: Annotated[str | None, Column("for a duplicate: the task kept in its place")] = None
    similarity: Annotated[float | None, Column("for a duplicate: similarity to the kept task", low=0, high=1)] = None
    n_tokens: Annotated[int, Column("tokens generated", low=0, unit="tokens")] = 0
    cost: Annotated[float, Column("cost of the attempt", low=0, unit="CPU-s or money, by generator")] = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One version of a task; its identity is the hash of what the policy sees and how it is judged.

    A `math` task is judged by `gold` under `answer_kind`. A `code` task is judged by running
    `scaffold` with its `{completion}` marker replaced (the bare completion when there is none),
    calling `entry` on every visible and hidden test: a list of `{"args", "kwargs", "expected"}`
    in the sandbox's tagged JSON.
    """

    TABLE: ClassVar[str] = "tasks"
    GRAIN: ClassVar[str] = (
        "one writing of a task version (two makers of one task write it twice; current_tasks has it once)"
    )

    task_id: Annotated[str, Column("content hash", key=True)]
    domain: Annotated[Domain, Column("math, code, agent or rubric")]
    family: Annotated[str, Column("family that made the task, or the corpus's name")]
    level: Annotated[int, Column("the generator's own level; for imports a length quantile", low=0)]
    params: Annotated[Mapping[str, JsonValue], Column("recipe: version, seed, index and parameters", json=True)]
    prompt: Annotated[str, Column("what the policy reads", private="heldout")]
    answer_kind: Annotated[str, Column("how an answer is read: integer, text, ..., or program")]
    gold: Annotated[str | None, Column("the right answer", private="heldout")] = None
    entry: Annotated[str | None, Column("function that tests call")] = None
    scaffold: Annotated[
        str | None,
        Column("program around the completion, with the marker {completion}; an agent task's world", private="heldout"),
    ] = None
    tests: Annotated[str | None, Column("visible tests, tagged JSON", json=True, private="heldout")] = None
    hidden_tests: Annotated[str | None, Column("hidden tests, tagged JSON", json=True, private=True)] = None
    reference: Annotated[str | None, Column("a right completion", private="heldout")] = None
    parents: Annotated[tuple[str, ...], Column("tasks it was grown from", json=True)] = ()
    source: Annotated[str, Column("corpus or `gradatim` for our own families")] = "gradatim"
    split: Annotated[Split, Column("train, canary or heldout")] = Split.TRAIN
    kind: Annotated[TaskKind, Column("verifiable, non_verifiable or adversarial")] = TaskKind.VERIFIABLE

    @property
    def arm(self) -> str:
        """The curriculum's arm: family, generator level and source; never a bucket of the posterior."""
        return f"{self.family}/{self.level}/{self.source}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One check of one task by one verifier."""

    TABLE: ClassVar[str] = "verdicts"
    GRAIN: ClassVar[str] = "one check of one task by one verifier version"

    task_id: Annotated[str, Column("the task checked", key=True, references="tasks.task_id")]
    check: Annotated[str, Column("name of the evidence check", key=True)]
    verifier: Annotated[str, Column("who decided", key=True)]
    verifier_version: Annotated[str, Column("version of who decided", key=True)]
    verifier_lineage: Annotated[str, Column("family of weights or of programs; never the generator's")]
    outcome: Annotated[Outcome, Column("pass, fail or undecided")]
    reason: Annotated[str | None, Column("why it failed or could not be decided")] = None
    evidence: Annotated[Mapping[str, JsonValue], Column("what was seen", json=True)] = field(default_factory=dict)
    cost: Annotated[float, Column("cost of the check", low=0, unit="CPU-s")] = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusChange:
    """One change of a task's status; the newest counts."""

    TABLE: ClassVar[str] = "task_status"
    GRAIN: ClassVar[str] = "one change of status of one task"

    task_id: Annotated[str, Column("the task", key=True, references="tasks.task_id")]
    status: Annotated[Status, Column("candidate, accepted, rejected, quarantined or retired")]
    reason: Annotated[str, Column("why it changed")]
