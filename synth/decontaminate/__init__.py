"""Which texts give a benchmark's tasks away, copied or told in other words."""

from synth.decontaminate.benchmark import Benchmark, find
from synth.decontaminate.match import Match, Reason

__all__ = ["Benchmark", "Match", "Reason", "find"]
