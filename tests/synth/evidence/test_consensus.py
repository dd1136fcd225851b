"""The rule that weighs blind answers."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from synth.evidence import Rule, Votes, weigh
from warehouse.records import Outcome


@st.composite
def votes(draw: st.DrawFn) -> Votes:
    gold, rival = draw(st.integers(0, 12)), draw(st.integers(0, 12))
    others = draw(st.integers(0, 4)) if rival else 0
    answers = gold + rival + others
    return Votes(answers + draw(st.integers(0, 6)), answers, gold, rival)


rules = st.builds(Rule, st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 1))


@settings(deadline=None)
@given(votes(), rules)
def test_a_pass_needs_the_gold_ahead_and_a_fail_a_rival_ahead(seen: Votes, rule: Rule):
    outcome = weigh(seen, rule).outcome
    if outcome is Outcome.PASS:
        assert seen.n_gold > seen.n_rival
    if outcome is Outcome.FAIL:
        assert seen.n_rival > seen.n_gold
    if outcome is not Outcome.UNDECIDED:
        assert seen.n_answers >= max(1, rule.least_answers * seen.n_asked)


@settings(deadline=None)
@given(votes(), rules, st.floats(0, 0.5))
def test_a_stricter_rule_passes_no_more(seen: Votes, rule: Rule, more: float):
    strict = Rule(rule.least_answers, rule.least_agreement + more, rule.least_margin + more)
    if weigh(seen, strict).outcome is Outcome.PASS:
        assert weigh(seen, rule).outcome is Outcome.PASS


def test_silence_decides_nothing():
    assert weigh(Votes(8, 0, 0, 0), Rule(0.0, 0.0, 0.01)).outcome is Outcome.UNDECIDED
