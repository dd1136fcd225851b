"""Judges and graders: what decides and scores a completion."""

from synth.graders.config import StackConfig, default_config, read_config, with_stack
from synth.graders.conflicts import Conflict, Scored, conflicts
from synth.graders.failures import cause, failures
from synth.graders.grader import GRADERS, Case, Grade, Grader, Kind, Params, Referee, grader
from synth.graders.graph import Problem, StackInvalid, order, problems
from synth.graders.judge import Judge, judge_math
from synth.graders.judged import Judged, judged
from synth.graders.programs import program_of
from synth.graders.reward import reward, settle
from synth.graders.rubrics import RubricJudge
from synth.graders.stack import Stack
from synth.graders.verifier import Verifier, verifier_of

__all__ = [
    "GRADERS",
    "Case",
    "Conflict",
    "Grade",
    "Grader",
    "Judge",
    "Judged",
    "Kind",
    "Params",
    "Problem",
    "Referee",
    "RubricJudge",
    "Scored",
    "Stack",
    "StackConfig",
    "StackInvalid",
    "Verifier",
    "cause",
    "conflicts",
    "default_config",
    "failures",
    "grader",
    "judge_math",
    "judged",
    "order",
    "problems",
    "program_of",
    "read_config",
    "reward",
    "settle",
    "verifier_of",
    "with_stack",
]
