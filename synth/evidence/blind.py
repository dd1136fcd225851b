"""Blind solving: a model of another lineage than the generator's answers the task without seeing its gold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from synth.engines import Answered, Ask, Engine
from synth.evidence.check import Bench, Check, Finding, Subject
from synth.evidence.consensus import RULE, Rule, Votes, weigh
from synth.math import Equality, extract, prepare_gold
from synth.math import check as equal
from synth.math.extraction import AnswerFormat
from synth.seeds import stream
from warehouse.records import FinishReason, JsonValue, Judgement, Outcome, Task, content_hash

_DOUBT = re.compile(r"(?i)\b(?:do(?:es)? not|don't|cannot|can't|unable|not sure|no idea|impossible to say)\b")

Pose = Callable[[Task], Ask]
"""How a task is put to the solver; its `n` and `seed` are set by the check."""


def posed(task: Task) -> Ask:
    """The task's own prompt, as a policy reads it, at temperature .8 and 1,024 tokens."""
    return Ask(prompt=task.prompt, temperature=0.8, max_tokens=1024)


def blind_check(
    engine: Engine, *, n: int = 8, rule: Rule = RULE, pose: Pose = posed, version: int = 1, order: int = 70
) -> Check:
    """The check `blind`: `engine` answers each task `n` times, and `rule` weighs the answers against the gold.

    Admission refuses a generator of the engine's lineage. The verdict is the engine's, and its version holds the rule.
    Tasks that are answered by programs are not examined here.
    """

    def examine(subjects: Sequence[Subject], bench: Bench) -> list[Finding]:
        tasks = [subject.task for subject in subjects]
        seeds = [stream("blind", task.task_id).getrandbits(31) for task in tasks]
        asks = [replace(pose(task), n=n, seed=seed) for task, seed in zip(tasks, seeds, strict=True)]
        answered = engine.answer(asks)
        return [
            _finding(task, one, votes, rule)
            for task, one, votes in zip(tasks, answered, count_votes(tasks, answered, n, bench), strict=True)
        ]

    terms = content_hash("blind", n, list(rule))[:8]
    return Check(
        name="blind",
        version=version,
        lineage=engine.lineage,
        order=order,
        examine=examine,
        applies=lambda subject: subject.task.answer_kind != "program",
        independent=True,
        by=(engine.name, f"{engine.version}.{terms}"),
    )


def count_votes(tasks: Sequence[Task], answered: Sequence[Answered], n: int, bench: Bench) -> list[Votes]:
    """How the replies to each task fall; a reply that was cut off, says nothing or is undecided is no answer."""
    whole = [[reply.text for reply in one.replies if reply.finish_reason is FinishReason.STOP] for one in answered]
    flat = [(task, text) for task, texts in zip(tasks, whole, strict=True) for text in texts]
    words = iter(bench.judge([task for task, _ in flat], [text for _, text in flat]))
    votes = []
    for task, texts in zip(tasks, whole, strict=True):
        judged = [(text, next(words)) for text in texts]
        right = sum(word is Judgement.PASS for _, word in judged)
        answers = [_stated(task, text) for text, word in judged if word is Judgement.WRONG]
        wrong = [answer for answer in answers if answer is not None]
        votes.append(Votes(n, right + len(wrong), right, max(_classes(task, wrong), default=0)))
    return votes


def _finding(task: Task, answered: Answered, votes: Votes, rule: Rule) -> Finding:
    spent: dict[str, JsonValue] = {"n_tokens": sum(reply.n_tokens for reply in answered.replies)}
    if answered.cost:
        spent["cost"] = round(answered.cost, 6)
    if answered.failure is not None:
        return Finding(Outcome.UNDECIDED, f"infrastructure: {answered.failure}", spent, quarantine=True)
    found = weigh(votes, rule)
    return found._replace(evidence={**found.evidence, **spent})


def _stated(task: Task, text: str) -> str | None:
    """The answer in a reply, where it is one of the task's kind and not a word of doubt."""
    format = str(task.params.get("answer_format", "boxed"))
    reading: AnswerFormat = "bare" if format == "bare" else "gsm8k" if format == "gsm8k" else "boxed"
    answer = extract(text, format=reading).answer
    if answer is None or _DOUBT.search(answer) or prepare_gold(answer, task.answer_kind).invalid is not None:
        return None
    return answer


def _classes(task: Task, answers: Sequence[str]) -> list[int]:
    """How many answers agree with each other, for each answer among them."""
    kept: dict[str, int] = {}
    for answer, count in Counter(answers).most_common():
        same = next((other for other in kept if _same(other, answer, task)), answer)
        kept[same] = kept.get(same, 0) + count
    return list(kept.values())


def _same(one: str, other: str, task: Task) -> bool:
    return task.answer_kind != "text" and equal(prepare_gold(one, task.answer_kind), other) is Equality.EQUAL
