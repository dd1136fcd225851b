"""Questions about known programs: predict an output, find an input, repair a mutated copy, write it from examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from synth.answers import asked
from synth.evidence import Subject
from synth.family import Item
from synth.graders import Judge
from synth.grown.known_programs import Known, known_programs
from synth.proposals import Generator, Proposal
from synth.sandbox import Test, load_tests
from synth.tasks import task_of
from warehouse.records import Domain, Task

VERSION = 1
LINEAGE = "corpus-programs"
PREDICT = Generator("predict_output", "corpus_grown", str(VERSION), LINEAGE)
FIND = Generator("find_input", "corpus_grown", str(VERSION), LINEAGE)
REPAIR = Generator("repair_program", "corpus_grown", str(VERSION), LINEAGE)
WRITE = Generator("write_function", "corpus_grown", str(VERSION), LINEAGE)
N_FIND, N_REPAIR = 3, 6
N_SHOWN, LEAST_SHOWN, LEAST_KEPT = 8, 4, 3
"""Examples shown of a function to write, at most and at least, and new calls that are kept for its tests."""
STRIDE = 16
"""Places between the attempts of two parents."""

Made = list[Item | str]


def program_tasks(parents: Sequence[Task], judge: Judge, *, seed: int) -> Iterator[tuple[Generator, list[Proposal]]]:
    """For each kind of question its attempts over all parents; a parent of which nothing is known gives the reason."""
    known = known_programs(parents, judge, seed=seed)
    for generator, make in (
        (PREDICT, _predictions),
        (FIND, _inputs),
        (REPAIR, _repairs),
        (WRITE, _functions),
    ):
        yield generator, list(_proposals(generator, make, parents, known, seed))


def _proposals(
    generator: Generator,
    make: Callable[[Known], Made],
    parents: Sequence[Task],
    known: Sequence[Known | str],
    seed: int,
) -> Iterator[Proposal]:
    for place, (parent, one) in enumerate(zip(parents, known, strict=True)):
        made: Made = [one] if isinstance(one, str) else make(one)
        for k, item in enumerate(made[:STRIDE]):
            index = place * STRIDE + k
            subject = None if isinstance(item, str) else _subject(generator, item, parent, seed, index)
            yield Proposal(seed, index, parent.level, subject, item if isinstance(item, str) else None)


def _subject(generator: Generator, item: Item, parent: Task, seed: int, index: int) -> Subject:
    task = task_of(
        item,
        domain=Domain.CODE if item.answer_kind == "program" else Domain.MATH,
        family=generator.name,
        level=parent.level,
        params={"version": VERSION, "seed": seed, "index": index, **item.params},
        source=parent.source,
        parents=(parent.task_id,),
        split=parent.split,
    )
    return Subject(task, item)


def _written(entry: str, test: Test) -> str:
    return f"{entry}({', '.join(map(repr, test.args))})"


def _predictions(known: Known) -> Made:
    """What a call returns, where that is a whole number, a word or a short list of numbers."""
    made: Made = []
    for call in known.calls:
        kind = _kind(call.expected)
        if kind is None:
            made.append("predict: the output is of no kind that can be asked for")
            continue
        question = f"What does {_written(known.entry, call)} return?\n\n{known.program}\n"
        made.append(asked(question, call.expected, kind))
    return made


def _kind(value: object) -> str | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int) and abs(value) < 10**12:
        return "integer"
    if isinstance(value, str) and 0 < len(value) <= 40 and value.isascii() and value.isalnum():
        return "text"
    if isinstance(value, list) and 0 < len(value) <= 12 and all(type(x) is int for x in value):
        return "text"
    return None


def _inputs(known: Known) -> Made:
    """Arguments for which the program returns a given value; any that do are right."""
    made: Made = []
    for call in known.calls:
        if len(made) == N_FIND:
            break
        value = call.expected
        if value is None or isinstance(value, bool) or len(repr(value)) < 2 or len(repr(value)) > 120:
            continue
        check = f"{known.program}\n\ndef check(candidate):\n    assert {known.entry}(*candidate()) == {value!r}\n"
        made.append(
            Item(
                prompt=(
                    f"Write a Python function find() that takes nothing and returns a tuple of arguments with which "
                    f"{known.entry} returns {value!r}.\n\n{known.program}\n"
                ),
                answer_kind="program",
                reference=f"def find():\n    return {call.args!r}\n",
                entry="find",
                hidden_tests=(Test(check=check),),
                params={"open_answer": True},
            )
        )
    return made or ["find: every output is too easy to hit"]


def _repairs(known: Known) -> Made:
    """A mutant of the program that one call shows to be wrong; the whole program is to be written."""
    made: Made = []
    tests = (*load_tests(known.parent.hidden_tests or "[]"), *known.calls)
    for broken in known.broken[:N_REPAIR]:
        call = broken.shown
        made.append(
            Item(
                prompt=(
                    "This program has one mistake. Write the whole program as it should be; for example, "
                    f"{_written(known.entry, call)} should return {call.expected!r}.\n\n{broken.program}\n"
                ),
                answer_kind="program",
                reference=known.program,
                entry=known.entry,
                tests=(call,),
                hidden_tests=tuple(test for test in tests if test is not call),
            )
        )
    return made or ["repair: no mutant is told from the program"]


def _functions(known: Known) -> Made:
    """The function that examples show; they tell it from each of its mutants that any call tells from it."""
    if not known.broken:
        return ["write: no mutant is told from the program"]
    telling = list(dict.fromkeys(known.calls.index(broken.shown) for broken in known.broken))
    others = [place for place in range(len(known.calls)) if place not in telling]
    n = min(N_SHOWN, len(known.calls) - LEAST_KEPT)
    places = [*telling, *others[: max(0, min(LEAST_SHOWN, n) - len(telling))]]
    shown = tuple(known.calls[place] for place in sorted(places))
    if not LEAST_SHOWN <= len(shown) <= n:
        return ["write: too few calls to show and to keep"]
    if any(len(repr(call.expected)) > 200 for call in shown):
        return ["write: an output is too long to show"]
    if len({repr(call.expected) for call in shown}) < 2:
        return ["write: every example returns the same"]
    told = "\n".join(f"{_written(known.entry, call)} returns {call.expected!r}" for call in shown)
    hidden = (*load_tests(known.parent.hidden_tests or "[]"), *known.calls)
    return [
        Item(
            prompt=(
                f"Write a Python function {known.entry} that does what these examples show; it is tested on other "
                f"calls.\n\n{told}\n"
            ),
            answer_kind="program",
            reference=known.program,
            entry=known.entry,
            tests=shown,
            hidden_tests=tuple(test for test in hidden if test not in shown),
        )
    ]
