"""Learner worlds in which schedulers are compared without a GPU."""

from curriculum.simulator.compare import Comparison, Job, Trial, simulate, summary, trial
from curriculum.simulator.priors import POOLS, REPORTING_SEEDS, TUNING_SEEDS
from curriculum.simulator.run import Curve, run
from curriculum.simulator.world import World

__all__ = [
    "POOLS",
    "REPORTING_SEEDS",
    "TUNING_SEEDS",
    "Comparison",
    "Curve",
    "Job",
    "Trial",
    "World",
    "run",
    "simulate",
    "summary",
    "trial",
]
