"""The proposer's side: `deduce +3*2-1 541` asks for the output on 5, `abduce` for an input of it, `induce` for all."""

from __future__ import annotations

import re

from synth.environments.riddles.making import LEVELS, drawn, item_of_question, task_of_question
from synth.environments.riddles.riddle import KINDS, lines_of
from synth.evidence import Subject
from synth.proposals import Proposal
from synth.seeds import stream

UNREADABLE = "proposal: not a kind of question, a program and three inputs"
_TEXT = re.compile(rf"({'|'.join(KINDS)}) (\S+) ([0-9]{{3}})")


def proposed(text: str, *, seed: int, index: int) -> Proposal:
    """The attempt that a text is."""
    found = _TEXT.fullmatch(text.strip())
    program = None if found is None else lines_of(found[2])
    if found is None or program is None or len(set(found[3])) < len(found[3]):
        return Proposal(seed, index, 0, None, UNREADABLE)
    level = KINDS.index(found[1]) + 1
    item = item_of_question(found[1], program, [int(one) for one in found[3]])
    return Proposal(seed, index, level, Subject(task_of_question(item, level=level, seed=seed, index=index), item))


def demonstrations(n: int, *, seed: int) -> list[tuple[str, str]]:
    """(prompt, proposal) pairs of our own generator's draws, kinds in turn; a function of its arguments alone."""
    rng, pairs = stream("riddles", seed), []
    for k in range(n):
        level = list(LEVELS)[k % len(LEVELS)]
        program, starts = drawn(rng)
        pairs.append((prompt(level), f"{KINDS[level - 1]} {''.join(program)} {''.join(map(str, starts))}"))
    return pairs


def prompt(level: int) -> str:
    """What a proposer is asked: a question of a kind."""
    return f"{KINDS[level - 1]}?"
