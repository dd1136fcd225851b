import math
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from trainer.advantages import pass_k_advantages

REWARDS = st.lists(st.one_of(st.just(math.nan), st.sampled_from([0.0, 0.5, 1.0])), min_size=4, max_size=8)


def brute(group: list[float], k: int) -> list[float]:
    decided = [i for i, r in enumerate(group) if not math.isnan(r)]
    if len(decided) <= k:
        return [0.0] * len(group)
    sets = list(combinations(decided, k))
    out = []
    for i in range(len(group)):
        if i not in decided:
            out.append(0.0)
            continue
        inside = [max(group[j] for j in s) for s in sets if i in s]
        outside = [max(group[j] for j in s) for s in sets if i not in s]
        out.append(sum(inside) / len(inside) - sum(outside) / len(outside))
    return out


@given(REWARDS, st.integers(1, 4))
def test_agrees_with_brute_force(group, k):
    k = min(k, len(group) // 2)
    found = pass_k_advantages(np.array([group]), k)[0]
    assert np.allclose(found, brute(group, k))


@given(REWARDS)
def test_k_of_one_is_reward_minus_the_others_mean(group):
    found = pass_k_advantages(np.array([group]), 1)[0]
    decided = [r for r in group if not math.isnan(r)]
    for reward, advantage in zip(group, found, strict=True):
        if math.isnan(reward) or len(decided) < 2:
            assert advantage == 0
        else:
            assert math.isclose(advantage, reward - (sum(decided) - reward) / (len(decided) - 1), abs_tol=1e-12)


def test_pass_k_prefers_rare_successes():
    """At k = 4 one success of eight is worth more than one of six successes; at k = 1 the gap is smaller."""
    rare, common = [1.0] + [0.0] * 7, [1.0] * 6 + [0.0] * 2
    at = {k: pass_k_advantages(np.array([rare, common]), k)[:, 0] for k in (1, 4)}
    assert at[4][1] == 0 < at[4][0]
    assert at[4][0] - at[4][1] > at[1][0] - at[1][1]
