"""Synthesis killed (SIGKILL) at a commit or amid a model's answers: the same order again ends with the same rows."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import sys
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "synth" / "engines"))

from model_server import Handler, serving

import synth.pipeline
from flows.settings import Settings
from flows.steps.agents import agent_requests, agent_tasks
from flows.steps.growing import grown_tasks
from flows.steps.importing import import_source
from flows.steps.synthesis import make_tasks, requests_for
from flows.steps.writing import WritingOrder, campaign_of, write_tasks
from flows.workshop import Workshop, workshop
from synth.engines import ModelsConfig
from warehouse.store import Store

N_WRITTEN = 40
SMALL = 16
"""Attempts of one batch."""
PURPOSES = ("synthesise", "write tasks")


def make(shop: Workshop, kind: str, url: str = "") -> Any:
    """What the verb does for one kind of synthesis, in pieces of 16 attempts."""
    if kind == "procedural":
        return make_tasks(shop, requests_for(["rev", "repair"], n=24, seed=3), campaign_id="c")
    if kind == "agent":
        return agent_tasks(shop, agent_requests(["toolset"], n=6, seed=3), campaign_id="c")
    if kind == "grown":
        return grown_tasks(shop, "gsm8k", seed=3, campaign_id="c")
    one = {"endpoints": [url], "concurrency": 2, "tries": 1}
    roles = {"writer": {"model": "w", "lineage": "paper", **one}, "checker": {"model": "c", "lineage": "abacus", **one}}
    config, order = ModelsConfig.model_validate(roles), WritingOrder(style="harder", n=N_WRITTEN, n_votes=2)
    return write_tasks(shop, order, config, campaign_id=campaign_of(order, config))


def open_shop(home: Path) -> Any:
    """A workshop without an orchestrator."""
    return workshop(Settings(home=home, workers=1), flow="test", config={})


def doomed(home: str, kind: str, url: str, moment: str) -> None:
    """Makes tasks until this process kills itself: `before 2`, the second commit; `after 1`, the first."""
    when, n = moment.split()
    synth.pipeline.BATCH = SMALL
    done, commit = 0, Store.commit

    def counted(self: Store, records: Any, *, batch: str, purpose: str, run: str) -> Any:
        nonlocal done
        counts = purpose.startswith(PURPOSES) and not purpose.endswith("done")
        done += counts
        if counts and when == "before" and done == int(n):
            os.kill(os.getpid(), signal.SIGKILL)
        found = commit(self, records, batch=batch, purpose=purpose, run=run)
        if counts and when == "after" and done == int(n):
            os.kill(os.getpid(), signal.SIGKILL)
        return found

    Store.commit = counted  # type: ignore[method-assign]
    with open_shop(Path(home)) as shop:
        make(shop, kind, url)


def start(home: Path, kind: str, url: str, moment: str) -> ForkServerProcess:
    """A process that will kill itself, or be killed; it has everything imported when it starts."""
    context = get_context("forkserver")
    context.set_forkserver_preload([__name__, "trainer.engines.referee"])
    child = context.Process(target=doomed, args=(str(home), kind, url, moment))
    child.start()
    return child


def rows_of(home: Path) -> list[list[dict[str, Any]]]:
    """Everything that synthesis left, as written, without what differs between any two runs."""
    with Store.open(home, read_only=True) as store:
        return [
            store.rows(sql)
            for sql in (
                'SELECT attempt_id, "index", outcome, reason, task_id, kept_task_id, similarity, n_tokens, prompt_hash '
                "FROM attempts ORDER BY ALL",
                "SELECT task_id, prompt, gold, params, split, status, status_reason FROM current_tasks ORDER BY ALL",
                'SELECT task_id, "check", verifier, outcome, reason, evidence FROM verdicts ORDER BY ALL',
                "SELECT task_id, status, reason FROM task_status ORDER BY ALL",
                "SELECT task_id, hidden_tests FROM private.task_secrets ORDER BY ALL",
            )
        ]


def speak(handler: Handler, payload: dict[str, Any], number: int) -> None:
    """A writer that errs now and then and repeats itself, and a checker that can add; by prompt and seed alone."""
    prompt = payload["messages"][-1]["content"]
    rng = random.Random(f"{prompt} {payload['seed']}")
    if "Reply with one JSON" not in prompt:
        a, b = map(int, re.findall(r"\d+", prompt)[:2])
        handler.reply([f"\\boxed{{{a + b}}}"] * payload["n"])
        return
    a, b = rng.randint(20, 24), rng.randint(30, 33)
    question = f"Ann has {a} apples and buys {b} pears. How many fruits has she?"
    fields = {"question": question, "solution": "", "answer": a + b + (rng.random() < 0.2), "answer_kind": "integer"}
    handler.reply([json.dumps(fields)[: rng.choice([20, 1000, 1000, 1000])]])


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synth.pipeline, "BATCH", SMALL)


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory, corpora: Path) -> Path:
    home = tmp_path_factory.mktemp("imported") / "home"
    with open_shop(home) as shop:
        import_source(shop, "gsm8k", corpora / "gsm8k_train.jsonl", limit=12)
    return home


@pytest.mark.parametrize(
    ("kind", "moments"),
    [
        ("procedural", ["after 1"]),
        ("grown", ["before 2"]),
        pytest.param("procedural", ["after 1", "before 4"], marks=pytest.mark.slow),
        pytest.param("agent", ["after 1"], marks=pytest.mark.slow),
        pytest.param("grown", ["before 1", "after 2"], marks=pytest.mark.slow),
        pytest.param("written", ["after 1", "before 3"], marks=pytest.mark.slow),
    ],
)
def test_what_was_killed_ends_as_what_was_not(kind: str, moments: list[str], imported: Path, tmp_path: Path):
    killed, whole = (shutil.copytree(imported, tmp_path / name) for name in ("killed", "whole"))
    with serving(speak) as server:
        with open_shop(whole) as shop:
            found = make(shop, kind, server.url)
        n_requests = len(server.requests)
        for moment in moments:
            child = start(killed, kind, server.url, moment)
            child.join(300)
            assert child.exitcode == -signal.SIGKILL
        with open_shop(killed) as shop:
            again = make(shop, kind, server.url)
    assert [again[name] for name in ("n_in", "n_out", "rejected")] == [
        found[name] for name in ("n_in", "n_out", "rejected")
    ]
    assert rows_of(killed) == rows_of(whole)
    assert len(server.requests) - n_requests <= n_requests, "what was answered before the kill is not asked again"
    assert found["n_in"] == found["n_out"] + sum(found["rejected"].values())


def test_what_was_killed_amid_a_models_answers_loses_none(imported: Path, tmp_path: Path):
    killed, whole = (shutil.copytree(imported, tmp_path / name) for name in ("killed", "whole"))
    child: list[ForkServerProcess] = []

    def deadly(handler: Handler, payload: dict[str, Any], number: int) -> None:
        if child and number == 25:
            child[0].kill()
        speak(handler, payload, number)

    with serving(deadly) as server:
        child.append(start(killed, "written", server.url, "after 99"))
        child[0].join(300)
        assert child[0].exitcode == -signal.SIGKILL
        child.clear()
        n_before = len(server.requests)
        with open_shop(killed) as shop:
            make(shop, "written", server.url)
        n_killed = len(server.requests)
    with serving(speak) as server, open_shop(whole) as shop:
        make(shop, "written", server.url)
        n_whole = len(server.requests)
    assert rows_of(killed) == rows_of(whole)
    assert n_before < n_killed <= n_whole + 5, "at most what was under way is asked again"
