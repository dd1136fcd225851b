"""Program first: the computation is written before its story, so that the answer is what the program returns."""

from __future__ import annotations

from synth.engines import Ask
from synth.writers.forms import PROGRAM, program_in, read_question
from synth.writers.style import Commission, Draft, Rejection, style

WISH = """First write a short Python function solve() that takes nothing and returns the answer to a problem of your own
about {topic}. Then tell the problem as a story that gives every number which the program uses.
Reply with one JSON object and nothing else. Its keys:
"program": the function solve(), without imports or printing;
"question": the story and the question, as a solver will read it;
"answer": what solve() returns;
"answer_kind": one of integer, rational, decimal, text.
Write a backslash inside a string twice."""


@style("program_first", version=1)
class ProgramFirst:
    """Asks for a program and the story it answers; evidence runs the program and compares."""

    def ask(self, commission: Commission) -> Ask:
        topic = str(commission.params.get("topic") or commission.family or "everyday quantities")
        return Ask(prompt=WISH.format(topic=topic.replace("_", " ")), schema=PROGRAM, max_tokens=1024)

    def read(self, text: str, commission: Commission) -> Draft | Rejection:
        made = read_question(text)
        if isinstance(made, Draft) and program_in(made.reference or "") is None:
            return Rejection("json: no program that defines solve()", made.repairs)
        return made
