"""What the words of an action about the mixture make of the next plan's settings."""

from __future__ import annotations

from curriculum.mixture import MixtureConfig
from warehouse.errors import unknown_name

WORDS = ("wider", "up", "down", "floor")
"""Wider: more arms. Up: away from mastered ones. Down: away from those out of reach. Floor: a least weight for one."""

ARM_FLOOR = 0.05
"""Least weight that `floor` gives to its arm."""


def tilted(config: MixtureConfig, word: str, arm: str | None = None) -> MixtureConfig:
    """`config` after one of `WORDS`, within the bounds of its fields; `arm` is whom `floor` is for.

    wider: sharpness / 2, explore up to .2. up: mastered from .9 to .8 (.6 at least), replay / 2.
    down: sharpness x 1.5 (3 at most), explore / 2. Raises `UserError` for another word.

    >>> tilted(MixtureConfig(), "wider").explore
    0.1
    """
    if word == "wider":
        changes: dict[str, object] = {
            "sharpness": config.sharpness / 2,
            "explore": min(0.2, max(0.02, 2 * config.explore)),
        }
    elif word == "up":
        changes = {"mastered": max(0.6, config.mastered - 0.1), "replay": config.replay / 2}
    elif word == "down":
        changes = {"sharpness": min(3.0, max(1.0, 1.5 * config.sharpness)), "explore": config.explore / 2}
    elif word == "floor":
        changes = {"arm_floors": {**config.arm_floors, arm: ARM_FLOOR} if arm else dict(config.arm_floors)}
    else:
        raise unknown_name("mixture word", word, WORDS, "gradatim watch --help")
    return MixtureConfig.model_validate(config.model_dump() | changes)
