"""The two set-ups of the pocket policy in which collapse is studied: what each trains on, and where it starts.

`levels`: clean demonstrations in which long levels are rare; healthy at a rate of 3e-4. `noisy`: half of the
demonstrations are wrong; at 5e-4 reinforcement buys pass@1 with pass@8.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from pocket_levels import LEVELS, tasks_of

from synth.demonstrations import demonstrations, level_weights
from synth.family import FAMILIES
from trainer import policies
from trainer.config import WarmStartConfig
from trainer.sft import clean_pairs, warm_start
from warehouse.records import Split, Task


class Setup(NamedTuple):
    """What a set-up teaches in the warm start, and the rate and steps that reinforcement is studied at.

    `level_weights` are those of the warm start; levels beyond them are neither taught nor trained nor measured.
    """

    families: tuple[str, ...]
    level_weights: tuple[float, ...]
    wrong_rate: float
    learning_rate: float
    n_steps: int

    def tasks(self, split: Split, per_level: int, seed: int) -> list[Task]:
        """At most `per_level` tasks of each family and level, by task id."""
        own = {(name, level) for name in self.families
               for level, _ in zip(FAMILIES.get(name).levels, self.level_weights, strict=False)}  # fmt: skip
        made = tasks_of(list(self.families), split, per_level, seed)
        return [task for task in made if (task.family, task.level) in own]


CANARY = 32
"""Canary tasks of a guard's look: half of the default, as a step has half of the default's prompts."""

SETUPS = {
    "noisy": Setup(("rev", "sort", "inc", "tally"), (1, 1, 1), 0.5, 5e-4, 150),
    "levels": Setup(LEVELS, WarmStartConfig().level_weights, 0.0, 3e-4, 200),
}


def warm(folder: Path, setup: Setup, seed: int) -> policies.LoadedPolicy:
    """The policy that a set-up starts from, made once and kept in `folder`."""
    if not (folder / "config.json").is_file():
        config, families = WarmStartConfig(level_weights=setup.level_weights), list(setup.families)
        if setup.wrong_rate:
            weights, n = level_weights(families, setup.level_weights), config.n_steps * config.batch_size
            made = demonstrations(weights, seed=seed, n=n, wrong_rate=setup.wrong_rate)
            pairs = [(one.prompt, one.completion) for one in made]
        else:
            pairs = clean_pairs(families, config, seed=seed)
        started = warm_start(policies.fresh_pocket(seed), pairs, config, seed=seed)
        draft = folder.with_name(f"{folder.name}.draft")
        policies.save(started.policy, draft)
        draft.rename(folder)
    return policies.load(str(folder), folder.parent)
