"""What learner worlds are drawn from: every range with its reason, and which seeds may be tuned on."""

from __future__ import annotations

from typing import NamedTuple

TUNING_SEEDS = range(10_000, 10_016)
"""Constants of schedulers are chosen on these worlds only."""
REPORTING_SEEDS = range(1_000)
"""Figures are reported on these; no constant was ever chosen on them."""

BATCH, GROUP, STEPS = 32, 8, 400
"""Groups a step, rollouts a group, steps of the uniform run that sets the target."""
TARGET_SHARE = 0.8
"""The target is the start plus this share of uniform's gain over `STEPS`."""


class Range(NamedTuple):
    """A parameter's prior: uniform over [low, high]."""

    low: float
    high: float


class Priors(NamedTuple):
    """Ranges that a world's parameters are drawn from by its seed."""

    n_families: Range = Range(4, 8)
    """Real mixes hold a handful of families (topics, generators)."""
    n_levels: Range = Range(5, 8)
    """Generators have 5 to 8 levels; imports are cut into as many quantiles."""
    log10_tasks: Range = Range(3.6, 4.3)
    """4,000 to 20,000 tasks: the size of curated RLVR sets (DAPO-17k, DeepScaleR-40k, MATH-7.5k)."""
    level_step: Range = Range(1.1, 1.7)
    """Logits of difficulty from level to level: pass rates of neighbouring lengths differ by a factor of about 2."""
    spread: Range = Range(0.6, 1.2)
    """Standard deviation of difficulty within an arm, in logits: measured pass rates are close to bimodal."""
    start: Range = Range(-1.5, 1.5)
    """Shift of a family's starting ability: a policy is not equally good at all, and levels do not compare."""
    transfer: Range = Range(0.8, 1.6)
    """Levels over which practice carries to its neighbours (e-folding)."""
    cross: Range = Range(0.02, 0.12)
    """Share of it that reaches other families: small but there (cross-domain gains in 1-shot RLVR)."""
    gate: Range = Range(0.2, 0.5)
    """Learning left at a level whose prerequisite level is at zero: hard tasks alone teach less."""
    rate: Range = Range(0.012, 0.022)
    """Ability gained by one step of perfectly mixed groups on one arm, logits: 400 uniform steps give .15 to .3."""
    forgetting: Range = Range(0.0, 0.0008)
    """Share of gained ability lost a step without practice: the easiest pocket level went .98 to .88 in 200 steps."""
    reuse: Range = Range(2.0, 6.0)
    """Informative groups after which a repeat teaches half: few-epoch data repeats cost little, ten cost a lot."""
    rote: Range = Range(0.1, 0.4)
    """Logits that an informative group adds to its own task alone: memorisation of repeats."""
    wrong: Range = Range(0.01, 0.05)
    """Share of tasks whose gold is wrong: audits of math sets find 1 to 5 %."""
    false_pass: Range = Range(0.0, 0.01)
    """Chance that a wrong answer passes the verifier."""
    false_fail: Range = Range(0.0, 0.04)
    """Chance that a right answer fails it (formatting, equivalence)."""
    cost_spread: Range = Range(0.2, 0.5)
    """Log standard deviation of a group's cost; harder levels cost more on top."""


class PoolShape(NamedTuple):
    """What a pool is made of: dead and trivial shares of every arm, where levels lie, whether labels are shuffled."""

    dead: float
    trivial: float
    centre: float
    shuffled: bool


POOLS: dict[str, PoolShape] = {
    "mixed": PoolShape(dead=0.15, trivial=0.12, centre=0.0, shuffled=False),
    "hard": PoolShape(dead=0.2, trivial=0.05, centre=1.6, shuffled=False),
    "easy": PoolShape(dead=0.05, trivial=0.2, centre=-1.6, shuffled=False),
    "shuffled": PoolShape(dead=0.15, trivial=0.12, centre=0.0, shuffled=True),
}
"""Dead and trivial mass after published zero-variance shares (DAPO, GRESO: 30 to 60 % of groups, growing in training);
`centre` shifts the middle level's difficulty in logits; `shuffled` gives every task a random arm."""
