from __future__ import annotations

import itertools
import json
import statistics

import numpy as np

from curriculum.variance import rank, scores


def test_published_order_of_one_shot_rlvr(corpora):
    history = json.loads((corpora / "oneshot_rlvr_accuracy_history.json").read_text())
    order = rank(history)
    assert len(order) == len(set(order)) == 1209
    # The source ranks by np.std over each whole history, ties in file order.
    wanted = sorted(history, key=lambda key: np.std(history[key]), reverse=True)
    assert order == wanted
    assert order[:13] == ["124", "267", "531", "931", "212", "25", "568", "131", "649", "724", "875", "925", "682"]
    exact = {key: statistics.pstdev(values) for key, values in history.items()}
    assert all(exact[a] >= exact[b] - 1e-12 for a, b in itertools.pairwise(order))


def test_gaps_and_empty_histories_score_what_is_there():
    found = scores({"gap": [0.0, float("nan"), 1.0], "empty": [], "one": [0.7]})
    assert found == {"gap": 0.5, "empty": 0.0, "one": 0.0}
