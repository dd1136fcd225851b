"""Plain: two lines instead of JSON, for models that are too small to write it."""

from __future__ import annotations

import re

from synth.answers import INSTRUCTION
from synth.engines import Ask
from synth.math import prepare_gold
from synth.writers.style import Commission, Draft, Rejection, style

_LINES = re.compile(
    r"(?:Q(?:uestion)?\s*:\s*)?(?P<question>\S.*?)\s*\n\s*A(?:nswer)?\s*:\s*(?P<answer>[^\n]+)", re.DOTALL
)
LONGEST = 2_000
"""Characters of a reply that are read."""
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)*(?:/\d+)?")


@style("plain", version=1, needs=("parent",))
class Plain:
    """Shows one task as `Question:` and `Answer:` and asks for another in the same form."""

    def ask(self, commission: Commission) -> Ask:
        parent = commission.parent
        shown = parent.prompt.removesuffix(INSTRUCTION).strip() if parent else ""
        wish = (
            f"Question: {shown}\nAnswer: {parent.gold if parent else ''}\n\n"
            "Write one more question of this kind with other names and other numbers, and its answer, "
            "as one line that begins with Question: and one that begins with Answer:"
        )
        return Ask(prompt=wish, max_tokens=160)

    def read(self, text: str, commission: Commission) -> Draft | Rejection:
        found = _LINES.search(text[:LONGEST])
        if found is None:
            return Rejection("plain: no question and answer")
        question, said = found["question"].strip(), found["answer"].strip().rstrip(".")
        numbers = _NUMBER.findall(said)
        read = prepare_gold(said)
        answer = numbers[-1] if numbers and (read.kind == "text" or read.invalid) else said
        repairs = () if answer == said else ("answer in words",)
        if len(question) < 8:
            return Rejection("plain: no question and answer", repairs)
        return Draft(
            prompt=f"{question} {INSTRUCTION}", answer=answer, answer_kind=prepare_gold(answer).kind, repairs=repairs
        )
