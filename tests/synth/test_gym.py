"""reasoning-gym through the adapter: own seeds, audited scorers, every attempt a row."""

from __future__ import annotations

import pytest

pytest.importorskip("reasoning_gym", reason="reasoning-gym is not installed: pip install 'gradatim[gym]'")

from synth.graders import Judge
from synth.gym import audit, generator_of, gym_proposals, names
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from warehouse.errors import UserError
from warehouse.records import Status


def prompts(name: str, seed: int) -> set[str]:
    return {one.subject.task.prompt for one in gym_proposals(name, n=40, seed=seed) if one.subject is not None}


def test_neighbouring_seeds_share_no_items_and_the_same_seed_gives_the_same():
    for name in ("number_sorting", "products", "word_sorting"):
        assert not prompts(name, 0) & prompts(name, 1)
        assert prompts(name, 0) == prompts(name, 0)


def test_sound_items_are_admitted_and_doubtful_ones_quarantined():
    found = {}
    with Judge(workers=1) as judge:
        for name in ("lcm", "countdown", "chain_sum"):
            rows = gym_proposals(name, n=10, seed=0)
            [found[name]] = admit(rows, generator_of(name), Admission("c", judge, Novelty()))
    assert found["lcm"].n_out >= 8
    assert found["countdown"].n_out == 0
    assert {change.status for change in found["countdown"].statuses} == {Status.QUARANTINED}
    for batch in found.values():
        assert batch.n_in == batch.n_out + sum(batch.rejected.values())


class Rounding:
    """A scorer that only takes an answer cut to two places."""

    seed = 0

    def __getitem__(self, place: int) -> dict[str, object]:
        return {}

    def score_answer(self, answer: str | None, entry: dict[str, object]) -> float:
        return float(answer == "0.33" or answer == "7" or answer == "8")


def test_the_audit_names_what_is_wrong():
    assert audit(Rounding(), {"answer": "1/3"}) == "rejects its own answer"
    assert audit(Rounding(), {"answer": "0.33"}) == "the answer may be rounded"
    assert audit(Rounding(), {"answer": "7"}) == "accepts a wrong answer"


def test_an_unknown_data_set_is_refused():
    assert len(names()) > 90
    with pytest.raises(UserError, match="unknown reasoning-gym data set 'lcn'; nearest: lcm"):
        next(gym_proposals("lcn", n=1, seed=0))
