"""Judges and graders: what decides and scores a completion."""

from synth.graders.judge import Judge, judge_math, program_of
from synth.graders.judged import Judged, judged

__all__ = ["Judge", "Judged", "judge_math", "judged", "program_of"]
