"""What the steps since a guard's last look amount to: sums and counts, small enough to lie in a checkpoint."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from curriculum.detectors import by_arm
from trainer.recording import outcomes
from warehouse.records import JsonValue, Judgement

MEANS = ("mean_entropy", "reward", "passed")
"""What has a mean by arm; `passed` counts decided samples alone, whatever the reward made of them."""

COUNTS = ("samples", "cut", "undecided", "groups", "all_right", "all_wrong", "wrong", "repeated")


class Window:
    """Takes in samples step by step; `group` of them in a row are one group, whose position names the task's arm."""

    def __init__(self, arms: Sequence[str], group: int) -> None:
        self._arms, self._group = arms, group
        self.clear()

    def clear(self) -> None:
        """Begin anew."""
        self._sums: dict[str, dict[str, tuple[float, int]]] = {name: {} for name in MEANS}
        self._counts = dict.fromkeys(COUNTS, 0)
        self._drawn: dict[str, int] = {}

    def add(self, samples: Sequence[Mapping[str, Any]]) -> None:
        """One step's samples, groups whole."""
        for sample in samples:
            arm, word = self._arms[sample["position"]], sample["judgement"]
            self._drawn[arm] = self._drawn.get(arm, 0) + 1
            self._counts["samples"] += 1
            self._counts["cut"] += not sample["finished"]
            self._counts["undecided"] += not word.decided
            passed = word is Judgement.PASS if word.decided else None
            for name, value in zip(MEANS, (sample["mean_entropy"], sample["reward"], passed), strict=True):
                if value is not None:
                    total, n = self._sums[name].get(arm, (0.0, 0))
                    self._sums[name][arm] = total + float(value), n + 1
        for _, n, c in outcomes(samples, self._group):
            if n >= 2:
                self._counts["groups"] += 1
                self._counts["all_right"] += c == n
                self._counts["all_wrong"] += c == 0
        self._count_repeats(samples)

    def _count_repeats(self, samples: Sequence[Mapping[str, Any]]) -> None:
        """Wrong completions that repeat another wrong one of their group; right ones must agree."""
        for start in range(0, len(samples), self._group):
            texts = [
                _written(sample)
                for sample in samples[start : start + self._group]
                if sample["reward"] is not None and sample["judgement"] is not Judgement.PASS
            ]
            self._counts["wrong"] += max(0, len(texts) - 1)
            self._counts["repeated"] += len(texts) - len(set(texts))

    @property
    def empty(self) -> bool:
        """Whether nothing was added since the last look."""
        return not self._counts["samples"]

    def shares(self) -> dict[str, float]:
        """Each drawn arm's share of the samples."""
        return {arm: n / self._counts["samples"] for arm, n in self._drawn.items()}

    def entropy(self, weights: Mapping[str, float]) -> float:
        """Mean entropy, nats a token, arms weighted by `weights`."""
        return by_arm(self._means("mean_entropy"), weights)

    def values(self, weights: Mapping[str, float]) -> dict[str, float]:
        """One look's series values but entropy; shares of nothing are NaN."""
        counts = self._counts
        return {
            "reward": by_arm(self._means("reward"), weights),
            "hidden_pass_rate": by_arm(self._means("passed"), weights),
            "truncated_rate": _share(counts["cut"], counts["samples"]),
            "infra_rate": _share(counts["undecided"], counts["samples"]),
            "all_right": _share(counts["all_right"], counts["groups"]),
            "all_wrong": _share(counts["all_wrong"], counts["groups"]),
            "duplicate_rate": _share(counts["repeated"], counts["wrong"]),
        }

    def _means(self, name: str) -> dict[str, float]:
        return {arm: total / n for arm, (total, n) in self._sums[name].items()}

    def state(self) -> dict[str, JsonValue]:
        """All of it as JSON."""
        sums: dict[str, JsonValue] = {
            name: {arm: [total, n] for arm, (total, n) in own.items()} for name, own in self._sums.items()
        }
        return {"sums": sums, "counts": dict(self._counts), "drawn": dict(self._drawn)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from what `state` returned."""
        self._sums = {
            name: {arm: (float(total), int(n)) for arm, (total, n) in own.items()}
            for name, own in state["sums"].items()
        }
        self._counts, self._drawn = dict(state["counts"]), dict(state["drawn"])


def _written(sample: Mapping[str, Any]) -> object:
    """What the policy wrote in a sample: its messages, or its completion where there was one turn."""
    said = tuple(turn["text"] for turn in sample["turns"] if turn["role"] == "assistant")
    return said or sample["completion"]


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan
