"""A re-run costs nothing, a changed prompt only its own; ceilings are kept and what is done stays."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_server import echo, serving, status

from synth.engines import Answered, Ask, BudgetConfig, Budgeted, Cached, ModelConfig, Purse, Reply
from synth.engines.server import Server
from warehouse.blobs import Blobs, BlobsUnreadable
from warehouse.records import FinishReason

CONFIG = ModelConfig(engine="words", model="m", lineage="paper", price_out=1e6)


class Words:
    """Says the question back, each word a token; refuses questions that hold `no`."""

    name, version, lineage = "words", "1", "paper"

    def __init__(self) -> None:
        self.asked: list[Ask] = []

    def answer(self, asks: Sequence[Ask]) -> list[Answered]:
        self.asked += asks
        return [self._one(ask) for ask in asks]

    def _one(self, ask: Ask) -> Answered:
        if "no" in ask.prompt:
            return Answered(failure="refused")
        n_tokens = min(len(ask.prompt.split()), ask.max_tokens)
        replies = tuple(Reply(f"{ask.prompt} {k} ‑ Ω", n_tokens, FinishReason.STOP) for k in range(ask.n))
        return Answered(replies=replies, n_prompt_tokens=3, cost=float(ask.n * n_tokens))


def test_a_second_run_asks_nothing_and_a_changed_prompt_only_its_own(tmp_path: Path):
    asks = [Ask(prompt=f"q{i}", n=2, seed=i) for i in range(5)]
    with Blobs(tmp_path / "replies.sqlite") as texts:
        first = Cached(Words(), texts).answer(asks)
    with Blobs(tmp_path / "replies.sqlite") as texts:
        inner = Words()
        again = Cached(inner, texts).answer(asks)
        assert inner.asked == []
        assert [one.replies for one in again] == [one.replies for one in first]
        assert all(one.cached and one.cost == 0 for one in again)
        changed = [*asks[:2], Ask(prompt="other", n=2, seed=2), *asks[3:]]
        Cached(inner, texts).answer(changed)
        assert [ask.prompt for ask in inner.asked] == ["other"]


def test_failures_are_asked_again_and_twins_once(tmp_path: Path):
    with Blobs(tmp_path / "replies.sqlite") as texts:
        inner = Words()
        asks = [Ask(prompt="q"), Ask(prompt="no"), Ask(prompt="q")]
        found = Cached(inner, texts).answer(asks)
        assert [one.failure for one in found] == [None, "refused", None]
        assert found[2].replies == found[0].replies
        assert found[2].cost == 0
        Cached(inner, texts).answer(asks)
    assert [ask.prompt for ask in inner.asked] == ["q", "no", "no"]


def test_every_part_of_a_question_and_its_engine_counts(tmp_path: Path):
    base = Ask(prompt="q")
    others = [
        Ask(prompt="q2"), Ask(prompt="q", system="s"), Ask(prompt="q", n=2), Ask(prompt="q", temperature=0.5),
        Ask(prompt="q", max_tokens=9), Ask(prompt="q", seed=1), Ask(prompt="q", schema={"type": "object"}),
    ]  # fmt: skip
    with Blobs(tmp_path / "replies.sqlite") as texts:
        cached = Cached(Words(), texts)
        keys = {cached.key(ask) for ask in [base, *others]}
        inner = Words()
        inner.version = "2"
        keys.add(Cached(inner, texts).key(base))
    assert len(keys) == len(others) + 2


def test_of_a_hundred_only_those_that_failed_are_asked_again(tmp_path: Path):
    settings = {"model": "m", "lineage": "paper", "concurrency": 4, "tries": 1, "longest_wait_s": 0.001}
    asks = [Ask(prompt=f"q{i}") for i in range(100)]

    def some(handler, payload, number) -> None:
        bad = int(payload["messages"][0]["content"][1:]) % 5 == 1
        (status(500) if bad else echo)(handler, payload, number)

    with Blobs(tmp_path / "replies.sqlite") as texts:
        with serving(some) as server:
            found = Cached(Server(ModelConfig(endpoints=(server.url,), **settings)), texts).answer(asks)
        assert sum(one.failure is not None for one in found) == 20
        with serving(echo) as server:
            found = Cached(Server(ModelConfig(endpoints=(server.url,), **settings)), texts).answer(asks)
            assert len(server.requests) == 20
    assert [one.replies[0].text.split("/")[0] for one in found] == [ask.prompt for ask in asks]


def test_an_interrupted_run_pays_only_for_what_was_under_way(tmp_path: Path):
    settings = {"model": "m", "lineage": "paper", "concurrency": 2, "tries": 1}
    asks = [Ask(prompt=f"q{i}") for i in range(30)]
    with Blobs(tmp_path / "replies.sqlite") as texts, serving(echo) as server:
        engine = Cached(Server(ModelConfig(endpoints=(server.url,), **settings)), texts)
        answers = engine.answers(asks)
        for _ in range(10):
            next(answers)
        answers.close()
        assert len(texts) == 10
        found = engine.answer(asks)
        assert all(one.failure is None for one in found)
        again = {request["messages"][0]["content"] for request in server.requests}
        assert len(again) == 30


def test_damaged_texts_count_as_not_there(tmp_path: Path):
    path = tmp_path / "replies.sqlite"
    with Blobs(path) as texts:
        texts.put("a", "whole")
        texts.put("b", "torn")
    raw = sqlite3.connect(path)
    raw.execute("UPDATE blobs SET body = x'00' WHERE key = 'b'")
    raw.commit()
    raw.close()
    with Blobs(path) as texts:
        assert (texts.get("a"), texts.get("b"), texts.get("c")) == ("whole", None, None)
    path.write_bytes(b"not a database, not at all" * 100)
    with pytest.raises(BlobsUnreadable, match="move it away"):
        Blobs(path)


def test_what_was_put_before_a_kill_is_there(tmp_path: Path):
    path = tmp_path / "replies.sqlite"
    program = (
        "import sys\nfrom pathlib import Path\nfrom warehouse.blobs import Blobs\n"
        "texts = Blobs(Path(sys.argv[1]))\n"
        "for i in range(10**6):\n    texts.put(str(i), 'text')\n    print(i, flush=True)\n"
    )
    root = Path(__file__).parents[3]
    child = subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, text=True, cwd=root)
    said = [child.stdout.readline() for _ in range(50)]
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    with Blobs(path) as texts:
        assert all(texts.get(line.strip()) == "text" for line in said)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 4), st.integers(1, 8)), max_size=20), st.integers(1, 900))
def test_no_ceiling_is_crossed_and_every_question_gets_an_answer(shapes: list[tuple[int, int, int]], ceiling: int):
    asks = [
        Ask(prompt=" ".join("w" * words), n=n, max_tokens=most, seed=i) for i, (words, n, most) in enumerate(shapes)
    ]
    purse = Purse(BudgetConfig(tokens=ceiling))
    found = Budgeted(Words(), purse, CONFIG).answer(asks)
    assert len(found) == len(asks)
    assert (purse.used.tokens or 0) <= ceiling
    done = [one for one in found if one.failure is None]
    assert {one.failure for one in found} <= {None, "budget: tokens"}
    assert purse.used.tokens == sum(one.n_prompt_tokens + sum(r.n_tokens for r in one.replies) for one in done)


def test_ceilings_in_money_and_minutes_and_the_forecast():
    now = [0.0]
    purse = Purse(BudgetConfig(money=10.0), clock=lambda: now[0])
    found = Budgeted(Words(), purse, CONFIG).answer([Ask(prompt="a b c", max_tokens=3) for _ in range(5)])
    assert [one.failure for one in found] == [None, None, None, "budget: money", "budget: money"]
    now[0] = 60.0
    assert purse.forecast(3, 6) == (36.0, 18.0, 2.0)
    late = Purse(BudgetConfig(minutes=1.0), clock=lambda: now[0])
    now[0] = 150.0
    assert Budgeted(Words(), late, CONFIG).answer([Ask(prompt="a")])[0].failure == "budget: minutes"


def test_kept_replies_cost_nothing_of_a_budget(tmp_path: Path):
    asks = [Ask(prompt=f"q{i}") for i in range(3)]
    with Blobs(tmp_path / "replies.sqlite") as texts:
        Cached(Words(), texts).answer(asks)
        purse = Purse(BudgetConfig(tokens=1))
        found = Cached(Budgeted(Words(), purse, CONFIG), texts).answer(asks)
    assert [one.failure for one in found] == [None] * 3
    assert purse.used.tokens == 0
