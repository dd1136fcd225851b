"""Logs of interactions: masked before anything is written, every line counted, failures shown to the writer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.settings import Settings
from flows.steps.commissions import commissions, training_tasks
from flows.steps.tracing import import_traces
from flows.workshop import Workshop, workshop
from synth.writers import STYLES
from warehouse.errors import UserError
from warehouse.records import Task

HIDDEN = (
    "ann.lee@corp.example",
    "4111 1111 1111 1111",
    "hunter2!",
    "Okonkwo",
    "10.20.30.40",
    "sk-live-abcdefghij0123456789",
)

WHO = "My name is Chidi Okonkwo, mail ann.lee@corp.example."
WHERE = "The server 10.20.30.40 has password: hunter2! and key sk-live-abcdefghij0123456789."


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    with workshop(Settings(home=tmp_path / "home"), flow="test", config={}) as shop:
        yield shop


def log(path: Path, n: int = 12) -> Path:
    rows: list[object] = []
    for i in range(n):
        prompt = f"{WHO} Add the sales tax of {i + 3} % to an invoice of {i} dollars."
        rows.append(
            {
                "prompt": prompt,
                "completion": f"{i}",
                "feedback": "card 4111 1111 1111 1111 was charged",
                "verdict": i % 3 == 0,
            }
        )
        said = f"{WHERE} Which weekday is day {i}?"
        rows.append({"prompt": said, "completion": "Monday", "verdict": "fail", "group": "calendar"})
    rows += [{"prompt": "x ann.lee@corp.example", "verdict": "ann.lee@corp.example"}, rows[0]]
    path.write_text("\n".join([*map(json.dumps, rows), '{"prompt": "hunter2!']), encoding="utf-8")
    return path


def test_a_log_becomes_masked_seeds_and_nothing_hidden_is_written(shop: Workshop, tmp_path: Path):
    file = log(tmp_path / "log.jsonl")
    found = import_traces(shop, file)
    assert found["n_in"] == 27
    assert found["n_out"] == 24
    assert found["rejected"] == {"duplicate: exact": 1, "trace: completion missing": 1, "trace: line is not JSON": 1}
    assert found["outcomes"] == {"passed": 5, "failed": 20}
    assert found["failed_by_group"]["calendar"] == 12
    assert import_traces(shop, file) == found
    for path in (tmp_path / "home").rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert not [secret for secret in HIDDEN if secret.encode() in content], path
    rows = shop.store.rows("SELECT * FROM current_tasks")
    text = json.dumps([{name: str(value) for name, value in row.items()} for row in rows])
    assert not [secret for secret in HIDDEN if secret in text]
    assert {row["status"] for row in rows} == {"candidate"}
    assert {row["kind"] for row in rows} == {"non_verifiable"}
    assert not shop.store.tasks()
    with pytest.raises(UserError, match="no accepted training task"):
        training_tasks(shop, "traces")


def test_a_log_that_has_grown_adds_what_is_new(shop: Workshop, tmp_path: Path):
    import_traces(shop, log(tmp_path / "a.jsonl", 4))
    found = import_traces(shop, log(tmp_path / "b.jsonl", 6))
    assert found["n_out"] == 4
    assert len(shop.store.read(Task, "source = 'traces'")) == 12


def test_failed_traces_are_what_the_weak_spot_style_writes_from(shop: Workshop, tmp_path: Path):
    import_traces(shop, log(tmp_path / "log.jsonl"), source="shop")
    style = STYLES.get("weak_spot")

    def asked(origin: str | None, weakest: int | None = None) -> list[str]:
        made = commissions(shop, style, n=6, seed=1, origin=origin, documents=None, weakest=weakest)
        assert all(len(one.failures) == 4 for one in made)
        return [style.ask(one).prompt for one in made]

    both, one = asked(None), asked(None, 1)
    assert any("weekday" in text for text in both)
    assert any("sales tax" in text for text in both)
    assert all("weekday" in text and "sales tax" not in text for text in one)
    assert asked("calendar") == one
    assert len(asked("shop")) == 6
    tax = next(text for text in both if "sales tax" in text)
    assert "--- said of it\ncard [CARD_1] was charged" in tax
    assert "--- right answer" not in tax
    assert not [secret for secret in HIDDEN if secret in "".join(both)]
    with pytest.raises(UserError, match="no failed rollout of 'nowhere'"):
        asked("nowhere")


def test_the_verb_tries_first_and_refuses_plainly(verb, tmp_path: Path):
    file, home = log(tmp_path / "log.jsonl"), tmp_path / "home"
    ended = verb(home, "import", "traces", str(file), "--dry-run", "--json")
    found = ended.value
    assert (found["n_in"], found["n_readable"], found["failed_by_group"]["calendar"]) == (27, 25, 12)
    assert not [secret for secret in HIDDEN if secret in ended.out + ended.err]
    assert not home.exists()
    for words, reason in (
        (("traces",), "gradatim import traces FILE"),
        (("traces", str(file), "--path", str(file)), "two files are given"),
        (("traces", "nowhere.jsonl"), "'nowhere.jsonl' is not there"),
    ):
        refused = verb(home, "import", *words)
        assert refused.code == 2
        assert reason in refused.err
