"""The audit of verifiers: mistakes measured on answers of known truth, and tasks judged again by newer versions."""

from synth.audit.measure import CHECK, VERSION, audit
from synth.audit.rejudging import Rejudged, rejudge, signature, stale

__all__ = ["CHECK", "VERSION", "Rejudged", "audit", "rejudge", "signature", "stale"]
