"""Which texts repeat one another, and why."""

from synth.dedup.deduplicate import Cluster, Deduplicated, Duplicate, deduplicate
from synth.dedup.embedder import Embedder
from synth.dedup.index import Index, Match
from synth.dedup.sameness import Reason

__all__ = ["Cluster", "Deduplicated", "Duplicate", "Embedder", "Index", "Match", "Reason", "deduplicate"]
