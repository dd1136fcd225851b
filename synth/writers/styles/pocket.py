"""The pocket style: a family's name, continued by a model with a question and its answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from synth.engines import Ask
from synth.writers.style import Commission, Draft, Rejection, style
from warehouse.records import Domain

MAX_TOKENS = 24
"""Characters of a question's rest, its answer and the end."""


class Form(NamedTuple):
    """How a family's questions read: what stands between its name and the question mark, and the level that it has."""

    body: str
    level: Callable[[str], int]
    levels: range
    answer_kind: str = "text"


FORMS: Mapping[str, Form] = {
    "rev": Form(r"[a-h]+", len, range(2, 10)),
    "sort": Form(r"[a-h]+", len, range(2, 10)),
    "uniq": Form(r"(?=.*([a-h]).*\1)[a-h]+", len, range(3, 11)),
    "inc": Form(r"[0-9]+", len, range(2, 10)),
    "tally": Form(r"[a-d]+", len, range(4, 12)),
    "max": Form(r"(?:0|[1-9][0-9]?)(?: (?:0|[1-9][0-9]?))*", lambda body: body.count(" ") + 1, range(2, 7), "integer"),
}
"""Families whose questions can be written: the form alone, never how they are answered."""


@style("pocket", version=1, domain=Domain.MATH, needs=("family",))
class Pocket:
    """`rev ` is continued as `abcd?dcba`: read by the form of the family, without a look at the answer."""

    name: str
    version: int
    domain: Domain
    needs: tuple[str, ...]

    def ask(self, commission: Commission) -> Ask:
        """The family's name and a space, at temperature 1."""
        return Ask(prompt=f"{commission.family} ", max_tokens=MAX_TOKENS)

    def read(self, text: str, commission: Commission) -> Draft | Rejection:
        """The question up to its mark and the answer after it, where the question has the family's form and a level.

        A commission's parameter `levels` holds the levels asked for; none means any.
        """
        form = FORMS.get(commission.family or "")
        if form is None:
            return Rejection("writer: no such form")
        body, mark, answer = text.partition("?")
        if not mark:
            return Rejection("writer: no question")
        if not re.fullmatch(form.body, body) or form.level(body) not in form.levels:
            return Rejection("writer: not a question of the family")
        wanted = commission.params.get("levels")
        if isinstance(wanted, Sequence) and form.level(body) not in wanted:
            return Rejection("writer: not a level asked for")
        if not answer or "?" in answer or answer != answer.strip():
            return Rejection("writer: no answer")
        return Draft(
            prompt=f"{commission.family} {body}?",
            answer=answer,
            answer_kind=form.answer_kind,
            level=form.level(body),
            params={"answer_format": "bare"},
        )
