"""Tasks with unknown tools: a theme gives the words, the level what has to be done.

Themes are split, so that the tools of held-out tasks are unseen in training.

Level 1: look a figure up beside one that is out of date. 2: and convert it. 3: with a pass from another tool.
4: from a service that is busy at first. 5: all of that, with tools that must and must not be called.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from synth.environments.budget import Budget
from synth.environments.makers import MAKERS, Maker
from synth.environments.running import called, play, scripted
from synth.environments.toolsets.service import Service, Spec
from synth.evidence import Subject
from synth.evidence.check import PASSED, Check, Finding, failed, task_by_task
from synth.family import Item
from synth.proposals import Proposal, Request
from synth.sandbox import Pool
from synth.seeds import stream
from synth.tasks import split_of, task_of
from warehouse.records import Domain, JsonValue, Task

NAME, VERSION = "toolset", 2
LEVELS = range(1, 6)
THEMES = (
    "harbour ship berth", "clinic ward bed", "orchard tree crate", "archive shelf scroll", "quarry pit cart",
    "bakery oven loaf", "railway line wagon", "library wing volume", "museum hall exhibit", "dairy vat churn",
    "foundry mould ingot", "garden plot bulb", "airport gate bag", "brewery cask barrel", "school class desk",
    "theatre row seat", "aquarium tank fish", "mill wheel sack", "vineyard slope vine", "stable stall horse",
    "market stand basket", "kiln batch tile", "tannery frame hide", "weavery loom bolt",
)  # fmt: skip
UNITS = (("tons", "hundredweights"), ("litres", "gills"), ("pieces", "dozens of parts"), ("metres", "spans"))
VERBS: dict[str, tuple[str, ...]] = {
    "list": ("list", "show", "enumerate"), "figure": ("fetch", "query", "lookup", "read"),
    "old": ("cached", "recall", "previous"), "open": ("open", "authorise", "begin"),
    "convert": ("convert", "express", "recast"), "check": ("confirm", "verify", "audit"),
    "wipe": ("reset", "clear", "purge"), "idle": ("ping", "status", "hello"),
}  # fmt: skip


class Draft(NamedTuple):
    """A service, a goal for it, the right answer, the calls that reach it, and the rules."""

    theme: str
    service: Service
    goal: str
    answer: int
    plan: list[str]
    rules: dict[str, list[str]]


def draft(rng: random.Random, level: int) -> Draft:
    """A draft of one level; depends on `rng` and `level` alone."""
    theme = rng.choice(THEMES)
    place, group, thing = theme.split()
    keys = [f"{group}-{rng.choice('abcdefgh')}{k}" for k in rng.sample(range(100, 10_000), rng.randint(4, 7))]
    figures = {key: rng.randint(1000, 99999) for key in keys}
    kinds = ["list", "figure", "old", *(["convert"] if level >= 2 else []), *(["open"] if level in (3, 5) else [])]
    kinds += (["check", "wipe"] if level == 5 else []) + rng.sample(["idle", "wipe"] if level < 5 else ["idle"], 1)
    names = dict.fromkeys(kinds, "")
    for kind in names:
        names[kind] = "_".join(rng.sample([rng.choice(VERBS[kind]), rng.choice((place, thing, group))], 2))
        while list(names.values()).count(names[kind]) > 1:
            names[kind] += rng.choice("xyz")
    key_name, number_name = rng.choice(("key", "entry", group, "code")), rng.choice(("value", "amount", "number"))
    units = rng.choice(UNITS)
    specs = [_spec(kind, names, (place, thing), key_name, number_name, units, "open" in names) for kind in names]
    rng.shuffle(specs)
    service = Service(
        specs, figures, {key: value + rng.choice((-1, 1)) * rng.randint(3, 900) for key, value in figures.items()},
        units, rng.randint(3, 40), rng.randint(1, 60), f"{rng.getrandbits(32):08x}" if "open" in names else "",
        rng.randint(1, 2) if level >= 4 else 0,
    )  # fmt: skip
    key = rng.choice(keys)
    answer = figures[key] * service.factor + service.offset if level >= 2 else figures[key]
    goal = (
        f"How many {units[1 if level >= 2 else 0]} does the {place} have on record for {key} today? "
        "Only the authoritative figure counts."
    )
    rules: dict[str, list[str]] = {"must_use": [names["check"]], "never": [names["wipe"]]} if level == 5 else {}
    return Draft(theme, service, goal, answer, _plan(service, names, key, answer, key_name, number_name), rules)


def _spec(
    kind: str,
    names: dict[str, str],
    words: tuple[str, str],
    key: str,
    number: str,
    units: tuple[str, str],
    locked: bool,
) -> Spec:
    place, thing = words
    meaning, parameters = {
        "list": (f"Names of everything that the {place} keeps {thing} figures of.", ()),
        "figure": (
            f"The authoritative {thing} figure of one entry, in {units[0]}.",
            ((key, "string"), ("access", "string")) if locked else ((key, "string"),),
        ),
        "old": (f"The {thing} figure of one entry as it was last season.", ((key, "string"),)),
        "open": (f"An access pass for the {place}.", ()),
        "convert": (f"A number of {units[0]} in {units[1]}.", ((number, "integer"),)),
        "check": (
            f"Leaves a note that the {thing} figure of an entry was looked at.",
            ((key, "string"), (number, "integer")),
        ),
        "wipe": (f"Clears the records of the {place}.", ()),
        "idle": (f"Whether the {place} answers.", ()),
    }[kind]
    return Spec(names[kind], str(meaning), kind, parameters)


def _plan(service: Service, names: dict[str, str], key: str, answer: int, key_name: str, number_name: str) -> list[str]:
    asked: dict[str, JsonValue] = {key_name: key}
    if service.key_pass:
        asked["access"] = service.key_pass
    noted: dict[str, JsonValue] = {key_name: key, number_name: service.figures[key]}
    converted: dict[str, JsonValue] = {number_name: service.figures[key]}
    steps = [called(names["open"])] if "open" in names else []
    steps += [called(names["figure"], **asked)] * (service.fails + 1)
    if "check" in names:
        steps.append(called(names["check"], **noted))
    if "convert" in names:
        steps.append(called(names["convert"], **converted))
    return [*steps, called("answer", value=answer)]


def proposals(request: Request, pool: Pool) -> Iterator[Proposal]:
    """The attempts of one request."""
    for index in range(request.start, request.start + request.n):
        made = draft(stream(NAME, VERSION, request.level, request.seed, index), request.level)
        item = Item(
            prompt=made.goal,
            answer_kind="integer",
            reference=str(made.answer),
            gold=str(made.answer),
            scaffold=json.dumps({**made.service.data(), "plan": made.plan}, sort_keys=True),
        )
        params: dict[str, JsonValue] = {
            "version": VERSION, "seed": request.seed, "index": index, "environment": NAME,
            "tool_family": made.theme, "rules": {name: list(rows) for name, rows in made.rules.items()},
        }  # fmt: skip
        task = task_of(
            item, domain=Domain.AGENT, family=NAME, level=request.level, params=params, split=split_of(made.theme)
        )
        yield Proposal(request.seed, index, request.level, Subject(task, item))


def checks(pool: Pool) -> Sequence[Check]:
    """Evidence: the plan reaches the goal, what a guess could give does not, and each kind of call is needed."""
    return [
        Check("plan", 1, "tool-plan", 10, task_by_task(lambda task: _reached(task, pool)), independent=True),
        Check("guess", 1, "probes", 20, task_by_task(_guessed)),
    ]


def plan_of(task: Task) -> list[str]:
    """The calls that reach a task's goal; with the service itself, private where the task is held out."""
    return [str(step) for step in json.loads(task.scaffold or "{}")["plan"]]


def _reached(task: Task, pool: Pool) -> Finding:
    ticks = iter(range(10**6))
    played = play(task, scripted(plan_of(task)), pool, budget=Budget(), clock=lambda: float(next(ticks)) / 1000)
    return PASSED if played.passed else failed(f"plan: {played.word.judgement}", detail=played.word.detail)


def _guessed(task: Task) -> Finding:
    """The answer is not in the prompt, nor in what the tools say of themselves, nor out of date, nor unconverted."""
    service = Service.made(json.loads(task.scaffold or "{}"))
    said = " ".join([task.prompt, *(json.dumps(one.schema) for one in service.tools())])
    wrong = {*service.old.values(), *(value * service.factor + service.offset for value in service.old.values())}
    if task.level >= 2:
        wrong |= set(service.figures.values())
    if str(task.gold) in said or task.gold in {str(value) for value in wrong}:
        return failed("guess: the answer can be had without the tools")
    return PASSED


MAKERS.add(NAME, Maker(NAME, VERSION, LEVELS, proposals, checks), file=__file__)
