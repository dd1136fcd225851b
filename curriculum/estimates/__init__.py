"""What rollouts say of a policy, and how sure that is: pass@k, intervals, paired comparisons, power."""

from curriculum.estimates.intervals import Interval, clustered_interval
from curriculum.estimates.looks import holm, look_alpha
from curriculum.estimates.lost import lost_tasks
from curriculum.estimates.paired import Comparison, Verdict, compare
from curriculum.estimates.pass_rates import majority_at_k, pass_at_k
from curriculum.estimates.power import Components, components, detectable_difference, samples_needed, tasks_needed
from curriculum.estimates.quantiles import clustered_quantile

__all__ = [
    "Comparison",
    "Components",
    "Interval",
    "Verdict",
    "clustered_interval",
    "clustered_quantile",
    "compare",
    "components",
    "detectable_difference",
    "holm",
    "look_alpha",
    "lost_tasks",
    "majority_at_k",
    "pass_at_k",
    "samples_needed",
    "tasks_needed",
]
