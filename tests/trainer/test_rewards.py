import threading

import pytest

from synth.graders import judged
from trainer.errors import RewardFailed
from trainer.rewards import MAX_UNDECIDED_STEPS, TaskReward
from warehouse.records import Judgement


class Counting:
    def __init__(self, answer):
        self.asked, self.answer = [], answer

    def judge(self, tasks, completions, *, truncated=None):
        self.asked += completions
        return [judged(self.answer(text)) for text in completions]


def test_rewards_are_in_order_and_the_same_completion_is_judged_once():
    judge = Counting(lambda text: Judgement.PASS if text == "a" else Judgement.WRONG)
    reward = TaskReward(["task 0", "task 1"], judge)
    assert reward(["a", "b", "a", "a"], [0, 0, 0, 1], finished=[True] * 4) == [1.0, 0.0, 1.0, 1.0]
    assert reward(["b", "a"], [0, 1], finished=[True, True]) == [0.0, 1.0]
    assert judge.asked == ["a", "b", "a"]


def test_an_undecided_word_is_asked_again():
    judge = Counting(lambda text: Judgement.INFRA)
    reward = TaskReward(["t"], judge)
    assert reward(["a"], [0]) == [None] == reward(["a"], [0])
    assert judge.asked == ["a", "a"]


def test_a_judge_that_raises_is_named():
    def explode(_):
        raise ZeroDivisionError("no")

    with pytest.raises(RewardFailed, match="ZeroDivisionError: no"):
        TaskReward(["t"], Counting(explode))(["a"], [0])


def test_a_judge_that_hangs_is_named():
    never = threading.Event()
    with pytest.raises(RewardFailed, match=r"judging 1 completions took longer than 0\.05 s"):
        TaskReward(["t"], Counting(lambda _: never.wait(5)), timeout_s=0.05)(["a"], [0])
    never.set()


def test_a_judge_that_returns_too_few_is_named():
    class Short:
        def judge(self, tasks, completions, *, truncated=None):
            return []

    with pytest.raises(RewardFailed, match="0 judgements for 1"):
        TaskReward(["t"], Short())(["a"], [0])


def test_nothing_decided_for_several_steps_ends_the_stage():
    reward = TaskReward(["t"], Counting(lambda text: Judgement.INFRA))
    for _ in range(MAX_UNDECIDED_STEPS - 1):
        reward(["a"], [0])
    with pytest.raises(RewardFailed, match="no rollout could be judged"):
        reward(["a"], [0])


def test_truncated_completions_are_told_apart():
    seen = []

    class Seeing:
        def judge(self, tasks, completions, *, truncated=None):
            seen.extend(truncated)
            return [judged(Judgement.WRONG)] * len(tasks)

    TaskReward(["t"], Seeing())(["a", "a"], [0, 0], finished=[True, False])
    assert seen == [False, True]


def test_words_asked_for_at_once_survive_a_full_cache(monkeypatch):
    """While one thread waits for its judge, another may empty the cache that the first has looked into."""
    monkeypatch.setattr("trainer.rewards.CACHE_SIZE", 0)
    inner: list[list[float | None]] = []

    def answer(text):
        if text == "b":
            inner.append([word.reward for word in reward.words(["c"], [0])])
        return Judgement.PASS

    reward = TaskReward(["t"], Counting(answer))
    assert reward(["a"], [0]) == [1.0]
    assert reward(["a", "b"], [0, 0]) == [1.0, 1.0]
    assert inner == [[1.0]]
