"""The math checker: golds prepared once, answers extracted and compared with four outcomes."""

from synth.math.check import check
from synth.math.equality import Equality, MathError
from synth.math.extraction import AnswerFormat, Extracted, extract
from synth.math.gold import AnswerKind, Gold, prepare_gold

__all__ = [
    "AnswerFormat",
    "AnswerKind",
    "Equality",
    "Extracted",
    "Gold",
    "MathError",
    "check",
    "extract",
    "prepare_gold",
]
