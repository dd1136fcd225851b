"""An export of ours in another home: the same tasks by the same ids, each examined again, nothing on trust."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest
from blake3 import blake3

from flows.settings import Settings
from flows.steps.agents import agent_requests, agent_tasks
from flows.steps.exported import foreseen, import_export
from flows.steps.importing import import_source
from flows.steps.synthesis import make_tasks, requests_for
from flows.workshop import Workshop, workshop
from synth.tasks import item_of, task_of
from warehouse.contracts import contracts
from warehouse.errors import GradatimError, UserError
from warehouse.exports import LAYOUTS, export
from warehouse.records import Attempt, AttemptOutcome, Source, Split, Status, StatusChange, Task, Verdict
from warehouse.store import Store

OWN_WORDS = [
    {"prompt": "Seven crates hold 12 jars each. How many jars are there?", "answer": "84"},
    {"prompt": "A rope of 90 m is cut into 6 equal parts. How long is one, in m?", "answer": "15"},
    {
        "prompt": "Write `double(x)`, twice a whole number.",
        "entry": "double",
        "tests": "assert double(2) == 4\nassert double(0) == 0\nassert double(-3) == -6\nassert double(7) == 14",
        "reference": "def double(x):\n    return 2 * x\n",
    },
]
UNVERIFIED = "unverified: no model or program of another lineage"
EVERYTHING = ("hidden_tests", "heldout", "canary")


@pytest.fixture(scope="module")
def origin(blank: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    """A home with tasks of every kind of maker: families, a corpus, an agent family and a model."""
    folder = tmp_path_factory.mktemp("origin")
    shutil.copytree(blank, folder / "home")
    rows = folder / "rows.jsonl"
    rows.write_text("".join(json.dumps(row) + "\n" for row in OWN_WORDS))
    with workshop(Settings(home=folder / "home", workers=1), flow="test", config={}) as shop:
        make_tasks(shop, requests_for(["rev", "chain", "mix", "induction"], n=6, seed=1), campaign_id="c")
        import_source(shop, "jsonl", rows, source="mine")
        agent_tasks(shop, agent_requests(["toolset"], n=5, seed=2), campaign_id="c")
        shop.commit(_written(), batch="written", purpose="x")
        made = Counter(row.generator for row in shop.store.read(Attempt) if row.outcome is AttemptOutcome.ADMITTED)
        assert set(made) == {"rev", "chain", "mix", "induction", "mine", "toolset", "pocket"}
        assert {task.split for task in shop.store.tasks()} == set(Split)
        yield shop


def _written() -> list[Task | Attempt | StatusChange]:
    """One task that a model wrote, as its home accepted it."""
    item = item_of(_plain("What comes after forty-one, as a number?", "42"))
    task = task_of(item, domain="math", family="words", level=1, params={"version": 1}, source="ada")  # type: ignore[arg-type]
    attempt = Attempt(
        attempt_id="w", campaign_id="c", generator="pocket", generator_kind="model", generator_version="1",
        generator_lineage="ada", seed=0, index=0, task_id=task.task_id, outcome=AttemptOutcome.ADMITTED,
    )  # fmt: skip
    return [task, attempt, StatusChange(task_id=task.task_id, status=Status.ACCEPTED, reason="confirmed")]


def _plain(prompt: str, gold: str) -> Task:
    return Task(
        task_id="", domain="math", family="", level=0, params={}, prompt=prompt, answer_kind="integer", gold=gold,  # type: ignore[arg-type]
        reference=f"\\boxed{{{gold}}}",
    )  # fmt: skip


@pytest.fixture
def new(blank: Path, origin: Workshop, tmp_path: Path) -> Iterator[Workshop]:
    """A new home, with the other's judge."""
    home = shutil.copytree(blank, tmp_path / "new")
    with Store.open(home) as store:
        yield Workshop(settings=Settings(home=home, workers=1), store=store, judge=origin.judge, run="r")


@pytest.fixture(scope="module")
def words(origin: Workshop, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of one family."""
    folder = tmp_path_factory.mktemp("words") / "x"
    export(origin.store, folder, family="rev")
    return folder


def _counts(shop: Workshop) -> dict[str, int]:
    return {name: shop.store.rows(f"SELECT count(*) AS n FROM {name}")[0]["n"] for name in contracts()}


def _makers(shop: Workshop) -> dict[str | None, tuple[str, ...]]:
    rows = [row for row in shop.store.read(Attempt) if row.task_id]
    return {
        row.task_id: (row.generator, row.generator_kind, row.generator_version, row.generator_lineage) for row in rows
    }


@pytest.mark.parametrize(
    ("layout", "form"),
    [
        ("gradatim", "jsonl"),
        pytest.param("verl", "datasets", marks=pytest.mark.slow),
        *(pytest.param(one, "parquet", marks=pytest.mark.slow) for one in sorted({*LAYOUTS} - {"gradatim", "verl"})),
    ],
)
def test_an_export_gives_the_same_tasks_in_another_home(
    origin: Workshop, new: Workshop, tmp_path: Path, layout: str, form: str
) -> None:
    export(origin.store, tmp_path / "x", layout_name=layout, format_name=form, private=EVERYTHING)
    told = import_export(new, tmp_path / "x")
    assert told["rejected"] == {UNVERIFIED: 1}, "a model's task needs a verifier of another lineage here too"
    assert new.store.tasks() == [task for task in origin.store.tasks() if task.source != "ada"]
    assert told["n_in"] == told["n_out"] + 1 == len(origin.store.tasks())
    assert [task.source for task in new.store.tasks(status=Status.QUARANTINED)] == ["ada"]
    assert {task: maker for task, maker in _makers(origin).items() if task in _makers(new)} == _makers(new)
    assert {row.task_id for row in new.store.read(Verdict)} == {task.task_id for task in new.store.tasks(status=None)}
    assert {(row.source, row.licence) for row in new.store.read(Source)} == {
        ("mine", "LicenseRef-own"),
        ("ada", "unknown"),
    }
    before = _counts(new)
    assert import_export(new, tmp_path / "x") == told
    assert _counts(new) == before, "the same export again is a no-op"


def test_what_was_left_out_is_not_made_up(origin: Workshop, new: Workshop, tmp_path: Path) -> None:
    export(origin.store, tmp_path / "x")
    told = import_export(new, tmp_path / "x")
    shown = [task for task in origin.store.tasks() if task.split is Split.TRAIN and task.source != "ada"]
    judged = [task for task in shown if task.hidden_tests is None]
    assert new.store.tasks() == judged
    assert told["rejected"]["intake: its hidden tests were not exported"] == len(shown) - len(judged) > 0
    assert told["n_in"] == told["n_out"] + sum(told["rejected"].values())


def test_trying_it_first_writes_nothing(origin: Workshop, tmp_path: Path) -> None:
    export(origin.store, tmp_path / "x", private=EVERYTHING)
    told = foreseen(Settings(home=tmp_path / "none"), tmp_path / "x")
    assert (told["n_in"], told["n_readable"], told["imported_before"]) == (len(origin.store.tasks()),) * 2 + (False,)
    assert not (tmp_path / "none").exists()


def test_its_own_home_has_every_task_already(origin: Workshop, tmp_path: Path) -> None:
    home = shutil.copytree(origin.home.root, tmp_path / "home")
    with Store.open(home) as store:
        shop = Workshop(settings=Settings(home=home, workers=1), store=store, judge=origin.judge, run="r")
        first = shop.store.tasks()[0]
        aside = StatusChange(task_id=first.task_id, status=Status.QUARANTINED, reason="doubtful")
        export(shop.store, tmp_path / "x", private=EVERYTHING)
        shop.commit([aside], batch="aside", purpose="x")
        told, n = import_export(shop, tmp_path / "x"), len(origin.store.tasks())
        assert told["rejected"] == {"duplicate: exact": n - 1, "duplicate: it stands here as quarantined": 1}
        assert [task.task_id for task in shop.store.tasks(status=Status.QUARANTINED)] == [first.task_id]
        assert len(shop.store.tasks()) == n - 1


class Stopped(Exception):
    """What ends an import in the middle."""


def test_an_import_that_broke_off_goes_on(origin: Workshop, new: Workshop, tmp_path: Path) -> None:
    class Breaking(Workshop):
        n_left = 2

        def commit(self, *args, **kwargs):  # type: ignore[no-untyped-def]
            self.n_left -= 1
            if self.n_left < 0:
                raise Stopped
            return super().commit(*args, **kwargs)

    export(origin.store, tmp_path / "x", private=EVERYTHING)
    breaking = Breaking(settings=new.settings, store=new.store, judge=new.judge, run=new.run)
    with pytest.raises(Stopped):
        import_export(breaking, tmp_path / "x")
    assert 0 < len(new.store.tasks()) < len(origin.store.tasks()) - 1
    assert import_export(new, tmp_path / "x")["rejected"] == {UNVERIFIED: 1}
    assert new.store.tasks() == [task for task in origin.store.tasks() if task.source != "ada"]
    attempts = [row["attempt_id"] for row in new.store.rows("SELECT attempt_id FROM attempts")]
    assert len(attempts) == len(set(attempts)) == len(origin.store.tasks())


def _signed_again(folder: Path, change: Callable[[dict], None]) -> None:
    """Change rows of an export as someone would who also corrects its checksums."""
    for path in folder.glob("*.jsonl"):
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        for row in rows:
            change(row)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["files"][path.name] = blake3(path.read_bytes()).hexdigest()
        (folder / "manifest.json").write_text(json.dumps(manifest))


def _named_again(row: dict) -> None:
    """Gives a changed row the id of what it now says."""
    task = Task(
        **{**{k: row[k] for k in (f.name for f in fields(Task))}, "params": json.loads(row["params"]), "parents": ()}
    )
    made = task_of(item_of(task), domain=task.domain, family=task.family, level=task.level, params=dict(task.params))
    row["task_id"] = made.task_id


def _wrong_gold(row: dict) -> None:
    if row["gold"] is not None:
        row["gold"] = f"{row['gold']}9"


def test_a_changed_gold_is_seen_whoever_corrects_what_is_said_of_it(
    origin: Workshop, new: Workshop, tmp_path: Path
) -> None:
    export(origin.store, tmp_path / "x")
    n = sum(task.gold is not None and task.split is not Split.HELDOUT for task in origin.store.tasks())
    _signed_again(tmp_path / "x", _wrong_gold)
    told = foreseen(new.settings, tmp_path / "x")
    assert told["rejected"]["intake: it is not the task that its id names"] + _stripped_golds(origin) == n

    def renamed(row: dict) -> None:
        if row["gold"] is not None:
            _named_again(row)

    _signed_again(tmp_path / "x", renamed)
    told = import_export(new, tmp_path / "x")
    assert not [task for task in new.store.tasks() if task.gold is not None]
    assert {"intake: its recipe makes another task", "reference: WRONG"} <= set(told["rejected"]), told


def _stripped_golds(origin: Workshop) -> int:
    """Changed tasks of programs and agents, of which an export without hidden tests cannot say what is missing."""
    tasks = [task for task in origin.store.tasks() if task.split is not Split.HELDOUT and task.gold is not None]
    return sum(task.domain in ("code", "agent") for task in tasks)


def test_a_recipe_that_is_no_recipe_is_a_reason(origin: Workshop, new: Workshop, tmp_path: Path) -> None:
    export(origin.store, tmp_path / "x", family="chain")

    def change(row: dict) -> None:
        params = json.loads(row["params"])
        row["params"] = json.dumps({**params, "seed": "many"})

    _signed_again(tmp_path / "x", change)
    told = import_export(new, tmp_path / "x")
    assert set(told["rejected"]) == {"intake: its recipe cannot be read"}
    assert told["n_out"] == 0


def _manifest(folder: Path, **changes: object) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def _cut(folder: Path) -> None:
    path = folder / "train.jsonl"
    path.write_bytes(path.read_bytes()[:-40])


def _doubled(folder: Path) -> None:
    path = folder / "train.jsonl"
    first, *rest = path.read_text().splitlines(keepends=True)
    path.write_text("".join([first, first, *rest[1:]]))
    _signed_again(folder, lambda row: None)


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "cut": (_cut, "was cut or changed"),
    "gone": (lambda folder: (folder / "train.jsonl").unlink(), "is missing"),
    "another layout": (lambda folder: _manifest(folder, layout="verl"), "is no task of layout verl"),
    "an unknown layout": (lambda folder: _manifest(folder, layout="tlr"), "unknown layout 'tlr'; nearest: trl"),
    "a newer format": (
        lambda folder: _manifest(folder, version=2, extra=1),
        "of format 2, this gradatim reads up to 1",
    ),
    "fewer tasks": (lambda folder: _manifest(folder, n_tasks={"train": 1}), "its manifest says 1"),
    "a file elsewhere": (lambda folder: _manifest(folder, files={"../../x": "0"}), "is not within the export"),
    "no list of files": (lambda folder: _manifest(folder, files=3), "is damaged"),
    "no manifest": (lambda folder: (folder / "manifest.json").unlink(), "is no export"),
    "half a manifest": (lambda folder: (folder / "manifest.json").write_text('{"layout": "tr'), "is damaged"),
    "a list": (lambda folder: (folder / "manifest.json").write_text("[]"), "is damaged"),
    "twice": (_doubled, "holds a task twice"),
    "no level": (lambda folder: _signed_again(folder, lambda row: row.update(level=None)), "level is missing"),
    "an unknown split": (lambda folder: _signed_again(folder, lambda row: row.update(split="dev")), "is no task"),
    "an origin of its own": (lambda folder: _signed_again(folder, lambda row: row.update(origin="[]")), "is no task"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_export_is_refused_whole(words: Path, tmp_path: Path, damage: str) -> None:
    shutil.copytree(words, tmp_path / "x")
    change, told = DAMAGE[damage]
    change(tmp_path / "x")
    with pytest.raises(GradatimError, match=told):
        foreseen(Settings(home=tmp_path / "none"), tmp_path / "x")


def test_an_export_of_an_earlier_version_has_no_makers_and_is_read(
    origin: Workshop, new: Workshop, tmp_path: Path
) -> None:
    export(origin.store, tmp_path / "x", family="chain")
    _signed_again(tmp_path / "x", lambda row: row.pop("origin"))
    manifest = json.loads((tmp_path / "x" / "manifest.json").read_text())
    (tmp_path / "x" / "manifest.json").write_text(
        json.dumps({k: v for k, v in manifest.items() if k not in ("version", "licences")})
    )
    assert import_export(new, tmp_path / "x")["rejected"] == {}
    assert {maker[:2] for maker in _makers(new).values()} == {("chain", "procedural")}


def test_the_verb_refuses_what_it_cannot_mean(verb, tmp_path: Path) -> None:
    for words, told in (
        (("import", "export"), "an export is a folder"),
        (("import", "export", str(tmp_path)), "is no export"),
        (("import", "export", str(tmp_path), "--source", "mine"), "leave --source out"),
    ):
        ended = verb(tmp_path / "home", *words)
        assert ended.code == 2
        assert told in ended.err.replace("\n", " ")
    assert not (tmp_path / "home").exists()


def test_an_import_of_a_corpus_is_no_import_of_an_export(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is no export"):
        foreseen(Settings(home=tmp_path / "home"), tmp_path)


def test_a_changed_task_is_another_task() -> None:
    task = _plain("How many legs has a stool with three?", "3")
    ids = {
        task_of(item_of(one), domain="math", family="f", level=0, params={}).task_id  # type: ignore[arg-type]
        for one in (task, replace(task, gold="4"), replace(task, prompt="x"))
    }
    assert len(ids) == 3
