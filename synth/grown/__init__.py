"""Tasks grown from corpora without a model: new numbers for word problems, new questions about known programs."""

from synth.grown.growing import NAMES, grow

__all__ = ["NAMES", "grow"]
