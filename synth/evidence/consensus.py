"""What blind answers say of a gold: the one rule that decides, as a pure function of votes."""

from __future__ import annotations

from typing import NamedTuple

from synth.evidence.check import Finding
from warehouse.records import JsonValue, Outcome


class Votes(NamedTuple):
    """Blind answers to one task: how many were asked for, and how they fall.

    `n_gold` agree with the writer's answer, `n_rival` are the most that agree on one other; `n_answers` is every reply
    that states an answer whose equality with the gold was decided. What is missing from `n_asked` came to nothing.
    """

    n_asked: int
    n_answers: int
    n_gold: int
    n_rival: int

    @property
    def agreement(self) -> float:
        """Share of the answers that agree with the gold, in [0, 1]; 0 without answers."""
        return self.n_gold / self.n_answers if self.n_answers else 0.0

    @property
    def margin(self) -> float:
        """Lead of the gold over its strongest rival as a share of the answers, in [-1, 1]; 0 without answers."""
        return (self.n_gold - self.n_rival) / self.n_answers if self.n_answers else 0.0


class Rule(NamedTuple):
    """When votes decide. Shares are of the answers that were given."""

    least_answers: float = 0.5
    """Share of the answers asked for that must have been given, in [0, 1]; below it nothing is decided."""
    least_agreement: float = 0.5
    """Agreement from which a task passes, in [0, 1]."""
    least_margin: float = 0.25
    """Lead over the strongest rival from which a task passes, and a rival's lead from which it fails, in (0, 1]."""


RULE = Rule()
"""The rule where none is given."""


def weigh(votes: Votes, rule: Rule = RULE) -> Finding:
    """Pass where the answers agree on the gold, fail where they agree on another answer, undecided otherwise.

    >>> weigh(Votes(8, 8, 7, 1)).outcome.value, weigh(Votes(8, 8, 1, 6)).outcome.value
    ('pass', 'fail')
    >>> weigh(Votes(8, 8, 4, 3)).reason, weigh(Votes(8, 2, 2, 0)).reason
    ('blind: no consensus', 'blind: too few answers')
    """
    seen: dict[str, JsonValue] = {
        **votes._asdict(),
        "agreement": round(votes.agreement, 4),
        "margin": round(votes.margin, 4),
    }
    if votes.n_answers < max(1.0, rule.least_answers * votes.n_asked):
        return Finding(Outcome.UNDECIDED, "blind: too few answers", seen, quarantine=True)
    if votes.agreement >= rule.least_agreement and votes.margin >= rule.least_margin:
        return Finding(Outcome.PASS, None, seen)
    rivals = votes.n_rival / votes.n_answers
    if rivals >= rule.least_agreement and -votes.margin >= rule.least_margin:
        return Finding(Outcome.FAIL, "blind: consensus on another answer", seen)
    return Finding(Outcome.UNDECIDED, "blind: no consensus", seen, quarantine=True)
