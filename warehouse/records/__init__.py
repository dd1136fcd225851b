"""The rows of every table, frozen and free of I/O: the words that all packages share."""

from warehouse.records.columns import Column, Record
from warehouse.records.identity import JsonValue, canonical_json, content_hash
from warehouse.records.rollouts import Calibration, DrawRecord, Rollout
from warehouse.records.tasks import Attempt, Source, StatusChange, Task, Verdict
from warehouse.records.training import Action, Alarm, Evaluation, Metric, Mixture, Policy, Run, Stage
from warehouse.records.upkeep import Batch, DataFile
from warehouse.records.words import (
    AlarmLevel,
    AttemptOutcome,
    Bucket,
    Domain,
    FinishReason,
    Judgement,
    Outcome,
    RolloutPurpose,
    RunStatus,
    Split,
    Status,
    TaskKind,
)

RECORDS: tuple[type[Record], ...] = (
    Source,
    Attempt,
    Task,
    Verdict,
    StatusChange,
    Rollout,
    Calibration,
    DrawRecord,
    Policy,
    Mixture,
    Stage,
    Run,
    Metric,
    Evaluation,
    Alarm,
    Action,
    Batch,
    DataFile,
)

__all__ = [
    "RECORDS",
    "Action",
    "Alarm",
    "AlarmLevel",
    "Attempt",
    "AttemptOutcome",
    "Batch",
    "Bucket",
    "Calibration",
    "Column",
    "DataFile",
    "Domain",
    "DrawRecord",
    "Evaluation",
    "FinishReason",
    "JsonValue",
    "Judgement",
    "Metric",
    "Mixture",
    "Outcome",
    "Policy",
    "Record",
    "Rollout",
    "RolloutPurpose",
    "Run",
    "RunStatus",
    "Source",
    "Split",
    "Stage",
    "Status",
    "StatusChange",
    "Task",
    "TaskKind",
    "Verdict",
    "canonical_json",
    "content_hash",
]
