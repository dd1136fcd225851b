"""The closed sets of words that columns may hold."""

from __future__ import annotations

from enum import StrEnum


class Domain(StrEnum):
    """What a task asks for."""

    MATH = "math"
    CODE = "code"
    AGENT = "agent"
    RUBRIC = "rubric"


class Split(StrEnum):
    """What a task may be used for; no task is in two splits."""

    TRAIN = "train"
    CANARY = "canary"
    HELDOUT = "heldout"


class TaskKind(StrEnum):
    """Whether and how a task can be judged; only `verifiable` tasks train by default."""

    VERIFIABLE = "verifiable"
    NON_VERIFIABLE = "non_verifiable"
    ADVERSARIAL = "adversarial"


class Outcome(StrEnum):
    """A check's three-valued answer: could not judge is never wrong."""

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"


class AttemptOutcome(StrEnum):
    """Where one attempt to make a task ended."""

    ADMITTED = "admitted"
    REJECTED = "rejected"


class Status(StrEnum):
    """Where a task stands; the newest `task_status` row of a task counts."""

    CANDIDATE = "candidate"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    QUARANTINED = "quarantined"
    RETIRED = "retired"


class Bucket(StrEnum):
    """How a task looks to one policy, by the posterior of its pass rate."""

    UNKNOWN = "unknown"
    DEAD = "dead"
    HARD = "hard"
    FRONTIER = "frontier"
    EASY = "easy"
    MASTERED = "mastered"


class Judgement(StrEnum):
    """A judge's word on one completion: the sandbox's verdicts, the math checker's, and ours.

    `INFRA` and `UNDECIDED` say nothing about the policy: their reward is `None`.
    """

    PASS = "PASS"
    WRONG = "WRONG"
    EXCEPTION = "EXCEPTION"
    TIMEOUT_CPU = "TIMEOUT_CPU"
    TIMEOUT_WALL = "TIMEOUT_WALL"
    MEMORY = "MEMORY"
    OUTPUT_LIMIT = "OUTPUT_LIMIT"
    CRASH = "CRASH"
    LOAD_ERROR = "LOAD_ERROR"
    VIOLATION = "VIOLATION"
    UNSTABLE = "UNSTABLE"
    NO_ANSWER = "NO_ANSWER"
    TRUNCATED = "TRUNCATED"
    CHEAT = "CHEAT"
    UNDECIDED = "UNDECIDED"
    INFRA = "INFRA"

    @property
    def decided(self) -> bool:
        """Whether the judgement is evidence about the policy."""
        return self not in (Judgement.UNDECIDED, Judgement.INFRA)


class FinishReason(StrEnum):
    """Why generation of a completion ended."""

    STOP = "stop"
    LENGTH = "length"
    ERROR = "error"


class RolloutPurpose(StrEnum):
    """What a rollout was sampled for; every purpose is counted in rollout budgets."""

    TRAIN = "train"
    PROBE = "probe"
    CANARY = "canary"
    EVAL = "eval"


class RunStatus(StrEnum):
    """Where a run or a stage stands; the newest row counts."""

    STARTED = "started"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


class AlarmLevel(StrEnum):
    """How loud a detector fired."""

    CLEAR = "clear"
    WARN = "warn"
    CRITICAL = "critical"
