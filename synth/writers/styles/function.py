"""A programming task: what a function does, one that does it, and calls that tell right from wrong."""

from __future__ import annotations

from synth.engines import Ask
from synth.writers.forms import FUNCTION, read_function
from synth.writers.style import Commission, Draft, Rejection, style
from warehouse.records import Domain

WISH = """Write a programming task for one pure Python function {topic}.
Reply with one JSON object and nothing else. Its keys:
"question": what the function takes and returns, exact enough that only one behaviour is right;
"entry": the name of the function;
"program": the function, without imports, input or output;
"tests": at least six objects {{"args": [...], "expected": ...}}, edge cases among them, in plain JSON values.
Write a backslash inside a string twice."""


@style("function", version=1, domain=Domain.CODE)
class Function:
    """Asks for a function with its tests; out of a parent's where one is given."""

    def ask(self, commission: Commission) -> Ask:
        parent = commission.parent
        topic = f"about {commission.params.get('topic') or 'lists, strings or numbers'}"
        if parent is not None:
            topic = f"that needs an idea of this one and is no copy of it:\n{parent.prompt}"
        return Ask(prompt=WISH.format(topic=topic), schema=FUNCTION, max_tokens=1536)

    def read(self, text: str, commission: Commission) -> Draft | Rejection:
        return read_function(text)
