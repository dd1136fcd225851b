"""Writers: a model's text becomes task proposals, one for each reply."""

from synth.writers.style import STYLES, Commission, Draft, Rejection, Style, style
from synth.writers.writer import Writer

__all__ = ["STYLES", "Commission", "Draft", "Rejection", "Style", "Writer", "style"]
