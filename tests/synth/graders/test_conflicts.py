import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from synth.graders.conflicts import Scored, conflicts, spearman

few = st.integers(0, 3).map(float)


@given(st.lists(st.tuples(few, few), min_size=2, max_size=12))
def test_rank_correlation_is_scipys(points):
    x, y = [a for a, _ in points], [b for _, b in points]
    ours = spearman(x, y)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert ours is None
    else:
        assert ours == pytest.approx(spearmanr(x, y).statistic)


def rollout(task: str, bucket: str, right: float, brief: float) -> Scored:
    return Scored(task, bucket, f"group of {task}", {"right": right, "brief": brief, "other": 0.5})


def test_graders_that_fight_are_found_with_the_tasks_they_fight_over():
    rows = [
        rollout("a", "hard", 1, 0), rollout("a", "hard", 0, 1), rollout("b", "hard", 1, 1), rollout("b", "hard", 0, 0),
        rollout("c", "easy", 1, 1), rollout("c", "easy", 0, 0),
    ]  # fmt: skip
    cells = {(cell.bucket, cell.first, cell.second): cell for cell in conflicts(rows, ["right", "brief", "other"])}
    hard = cells["hard", "right", "brief"]
    assert (hard.flip_rate, hard.n_flips, hard.tasks, hard.correlation, hard.n) == (0.5, 1, ("a",), 0.0, 4)
    assert cells["easy", "right", "brief"].flip_rate == 0.0
    assert cells["hard", "right", "other"].correlation is None


def test_a_cost_is_turned_round():
    rows = [rollout("a", "hard", 1, 0), rollout("a", "hard", 0, 1)]
    assert conflicts(rows, ["right", "brief"])[0].flip_rate == 1.0
    assert conflicts(rows, ["right", "brief"], worse=frozenset({"brief"}))[0].flip_rate == 0.0


def test_what_was_not_graded_is_left_out():
    assert conflicts([Scored("a", "hard", "g", {"right": 1.0})], ["right", "brief"]) == []
