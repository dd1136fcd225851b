"""Judges and graders: what decides and scores a completion."""

from synth.graders.judge import Judge, judge_math
from synth.graders.judged import Judged, judged
from synth.graders.programs import program_of

__all__ = ["Judge", "Judged", "judge_math", "judged", "program_of"]
