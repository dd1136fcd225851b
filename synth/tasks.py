"""From a family's item to a task: content identity, split by prompt, and back again from the recipe."""

from __future__ import annotations

from collections.abc import Sequence

from synth.family import FAMILIES, Family, Item
from synth.sandbox import Test, load_tests
from synth.seeds import stream
from warehouse.errors import UserError
from warehouse.records import Domain, JsonValue, Split, Task, content_hash

OWN_SOURCE = "gradatim"
OWN_LINEAGE = "gradatim-programs"

CANARY_RATE = 0.05
HELDOUT_RATE = 0.15


def split_of(prompt: str) -> Split:
    """The split of every task with this prompt: 80 % train, 5 % canary, 15 % held-out, by hash of the prompt.

    >>> split_of("rev abcd?") == split_of("rev abcd?")
    True
    """
    place = int(content_hash("split", prompt)[:8], 16) / 0x1_0000_0000
    if place < HELDOUT_RATE:
        return Split.HELDOUT
    return Split.CANARY if place < HELDOUT_RATE + CANARY_RATE else Split.TRAIN


def make_item(family: Family, *, level: int, seed: int, index: int) -> Item:
    """The item of one recipe; its RNG is a hash of family, version, level, seed and index.

    Raises `UserError` when the family has no such level.
    """
    if level not in family.levels:
        levels = ", ".join(map(str, family.levels))
        raise UserError(f"family '{family.name}' has no level {level}; levels: {levels}; see: gradatim synth --list")
    return family.generate(stream(family.name, family.version, level, seed, index), level)


def to_task(family: Family, item: Item, *, level: int, seed: int, index: int) -> Task:
    """`item` as a task whose identity is the hash of what the policy reads and how it is judged.

    `params` hold the recipe (`version`, `seed`, `index`), `answer_format` and the item's own parameters.
    """
    params: dict[str, JsonValue] = {"version": family.version, "seed": seed, "index": index, **item.params}
    if family.pocket:
        params.setdefault("answer_format", "bare")
    return task_of(item, domain=family.domain, family=family.name, level=level, params=params)


def task_of(
    item: Item,
    *,
    domain: Domain,
    family: str,
    level: int,
    params: dict[str, JsonValue],
    source: str = OWN_SOURCE,
    parents: Sequence[str] = (),
    split: Split | None = None,
) -> Task:
    """A task from an item of any origin; `split` defaults to the hash of the prompt."""
    tests, hidden = _stored(item.tests), _stored(item.hidden_tests)
    identity = content_hash(
        domain, item.prompt, item.answer_kind, item.gold, item.entry, item.scaffold, tests, hidden,
        params.get("answer_format"),
    )  # fmt: skip
    return Task(
        task_id=identity,
        domain=domain,
        family=family,
        level=level,
        params=params,
        prompt=item.prompt,
        answer_kind=item.answer_kind,
        gold=item.gold,
        entry=item.entry,
        scaffold=item.scaffold,
        tests=tests,
        hidden_tests=hidden,
        reference=item.reference,
        parents=tuple(parents),
        source=source,
        split=split_of(item.prompt) if split is None else split,
    )


def regenerate(task: Task) -> Task:
    """The same task, made again from its recipe; raises `UserError` when the family's version has moved on."""
    family = FAMILIES.get(task.family)
    version, seed, index = (int(str(task.params[key])) for key in ("version", "seed", "index"))
    if version != family.version:
        raise UserError(
            f"task {task.task_id} was made by {task.family} version {version}, installed is {family.version}; "
            "see: gradatim synth --list"
        )
    item = make_item(family, level=task.level, seed=seed, index=index)
    return to_task(family, item, level=task.level, seed=seed, index=index)


def _stored(tests: tuple[Test, ...]) -> str | None:
    if not tests:
        return None
    from synth.sandbox import dump_tests

    return dump_tests(tests)


def item_of(task: Task) -> Item:
    """The item that a stored task says it was made from."""
    return Item(
        prompt=task.prompt,
        answer_kind=task.answer_kind,
        reference=task.reference or "",
        gold=task.gold,
        entry=task.entry,
        scaffold=task.scaffold,
        tests=load_tests(task.tests or "[]"),
        hidden_tests=load_tests(task.hidden_tests or "[]"),
        params=task.params,
    )
