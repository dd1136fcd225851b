"""Questions on programs of three lines: deduce an output, abduce an input, induce the program."""

from synth.environments.riddles.making import draft
from synth.environments.riddles.riddle import Riddle

__all__ = ["Riddle", "draft"]
