"""Logged production interactions as seeds for weak-spot synthesis, masked before anything else sees them."""

from synth.traces.grouping import grouped
from synth.traces.log import Log, read_log
from synth.traces.masking import MASKING_VERSION, Masked, mask
from synth.traces.trace import Trace, read_trace, seed_task

__all__ = ["MASKING_VERSION", "Log", "Masked", "Trace", "grouped", "mask", "read_log", "read_trace", "seed_task"]
