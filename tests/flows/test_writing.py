"""Tasks from models over HTTP, end to end: rows, verdicts, resumption, ceilings, and rooms reached from the shell."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "synth" / "engines"))

from model_server import Handler, ModelServer, serving, status

from flows.cli.orders import models_of
from flows.settings import Settings
from flows.steps.growing import grown_tasks
from flows.steps.writing import WritingOrder, campaign_of, foreseen, write_tasks
from flows.workshop import Workshop, workshop
from synth.engines import ModelsConfig
from synth.family import FAMILIES
from synth.tasks import make_item, to_task
from warehouse.errors import UserError
from warehouse.records import Status, StatusChange, Task

N = 40
ORDER = WritingOrder(style="harder", n=N, n_votes=4)
LIMITS = {"concurrency": 4, "tries": 2, "longest_wait_s": 0.01, "timeout_s": 20.0}
THINGS = ("apples", "bricks", "candles", "drums", "eggs", "flags", "gloves", "hats", "jars", "kites")


def speak(handler: Handler, payload: dict[str, Any], number: int) -> None:
    """A writer that sometimes errs, and a checker that can add; each reply follows from question and seed."""
    prompt = payload["messages"][-1]["content"]
    rng = random.Random(f"{prompt} {payload['seed']}")
    handler.reply([_written(rng) if "Reply with one JSON" in prompt else _solved(prompt) for _ in range(payload["n"])])


def _written(rng: random.Random) -> str:
    a, b, c = rng.randint(100, 999), rng.randint(100, 999), rng.randint(2, 9)
    thing, other = rng.sample(THINGS, 2)
    question = (
        f"A store holds {a} {thing} and {b} {other}. Then {c} more boxes arrive, each with {c} {thing}. "
        "How many things are in the store?"
    )
    answer = a + b + c * c + rng.choice([0, 0, 0, 1])
    whole = json.dumps({"question": question, "solution": "Add.", "answer": str(answer), "answer_kind": "integer"})
    return rng.choice([whole, whole, f"```json\n{whole}\n```", whole[: rng.randint(20, len(whole) - 2)], "I cannot."])


def _solved(prompt: str) -> str:
    a, b, c, _ = map(int, re.findall(r"\d+", prompt)[:4])
    return f"\\boxed{{{a + b + c * c}}}"


def models(server: ModelServer, **budget: object) -> ModelsConfig:
    one = {"endpoints": [server.url], "price_in": 1.0, "price_out": 2.0, **LIMITS}
    roles = {"writer": {"model": "w", "lineage": "paper", **one}, "checker": {"model": "c", "lineage": "abacus", **one}}
    return ModelsConfig.model_validate({**roles, "budget": budget})


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    with workshop(Settings(home=tmp_path), flow="test", config={}) as shop:
        family = FAMILIES.get("urn")
        made = [
            to_task(family, make_item(family, level=2, seed=0, index=i), level=2, seed=0, index=i) for i in range(9)
        ]
        statuses = [StatusChange(task_id=task.task_id, status=Status.ACCEPTED, reason="planted") for task in made]
        shop.commit([*made, *statuses], batch="planted", purpose="planted")
        yield shop


def run(shop: Workshop, config: ModelsConfig, order: WritingOrder = ORDER) -> dict[str, Any]:
    return dict(write_tasks(shop, order, config, campaign_id=campaign_of(order, config)))


def rows(shop: Workshop, sql: str) -> list[dict[str, Any]]:
    return shop.store.rows(sql)


def test_every_reply_is_a_row_and_only_right_tasks_are_admitted(shop: Workshop):
    with serving(speak) as server:
        found = run(shop, models(server))
        n_first = len(server.requests)
        again = run(shop, models(server))
        assert len(server.requests) == n_first
    assert found["n_in"] == N == found["n_out"] + sum(found["rejected"].values())
    assert {"json: cut off", "json: no object", "blind: consensus on another answer"} <= set(found["rejected"])
    assert found["stopped"] is None
    assert found["repairs"]["fence"] > 0
    assert {key: again[key] for key in ("n_in", "n_out", "rejected")} == {
        key: found[key] for key in ("n_in", "n_out", "rejected")
    }
    attempts = rows(shop, "SELECT * FROM attempts")
    assert len({row["attempt_id"] for row in attempts}) == len(attempts) == N
    assert {row["generator"] for row in attempts} == {"w/harder"}
    assert all(row["prompt_hash"] and row["n_tokens"] > 0 and row["cost"] > 0 for row in attempts)
    verdicts = rows(shop, "SELECT * FROM verdicts WHERE \"check\" = 'blind'")
    assert {(row["verifier"], row["verifier_lineage"]) for row in verdicts} == {("c", "abacus")}
    admitted = shop.store.read(Task, "status = 'accepted' AND source = 'w'")
    assert len(admitted) == found["n_out"] > 5
    for task in admitted:
        assert _solved(task.prompt) == f"\\boxed{{{task.gold}}}"
        assert (task.level, len(task.parents)) == (3, 1)


def test_what_a_server_failed_is_asked_again_and_nothing_else(shop: Workshop):
    def some(handler: Handler, payload: dict[str, Any], number: int) -> None:
        (status(500) if payload["seed"] % 3 == 0 else speak)(handler, payload, number)

    with serving(some) as server:
        config = models(server)
        found = run(shop, config)
    n_failed = found["rejected"]["infrastructure: HTTP 500"]
    assert found["n_in"] == N
    with serving(speak) as server:
        later = run(shop, models(server))
        assert 0 < len(server.requests) <= 2 * n_failed
    assert later["n_in"] == N
    assert not any(reason.startswith("infrastructure") for reason in later["rejected"])
    assert later["n_out"] > found["n_out"]


def test_a_ceiling_stops_cleanly_and_a_higher_one_goes_on(shop: Workshop):
    with serving(speak) as server:
        found = run(shop, models(server, tokens=2_600))
        assert found["used"]["tokens"] <= 2_600
        assert found["stopped"] == "budget: tokens"
        assert 0 < found["n_in"] <= N
        rest = run(shop, models(server))
    assert rest["n_in"] == N
    assert (rest["stopped"], rest["n_out"] > found["n_out"]) == (None, True)


def test_a_dead_server_ends_soon(shop: Workshop):
    with serving(status(503)) as server:
        found = run(shop, models(server), WritingOrder(style="harder", n=400))
        assert len(server.requests) <= 200
    assert found["n_out"] == 0
    assert found["n_in"] < 400
    assert set(found["rejected"]) <= {"infrastructure: HTTP 503", "infrastructure: the server gave no answers"}


def test_foresight_and_refusals(shop: Workshop, tmp_path: Path):
    file = tmp_path / "models.toml"
    with serving(speak) as server:
        config = models(server)
        ahead = foreseen(shop, ORDER, config)
        assert ahead["most_tokens"] > 40 * 5 * 1024
        assert ahead["servers"] == {server.url: True}
        assert server.requests == []
    for order, reason in {
        WritingOrder(style="harder", n=1, origin="nowhere"): "no accepted training task of 'nowhere'",
        WritingOrder(style="weak_spot", n=1): "no failed rollout",
        WritingOrder(style="document", n=1): "give --documents",
        WritingOrder(style="hardr", n=1): "nearest: harder",
        WritingOrder(style="harder", n=0): "n is 0",
    }.items():
        with pytest.raises(UserError, match=reason):
            run(shop, config, order)
    with pytest.raises(UserError, match="no writer is configured"):
        run(shop, ModelsConfig())
    same = 'engine = "transformers"\nlineage = "llama"\n'
    file.write_text(f"[models.writer]\nmodel = 'a'\n{same}[models.checker]\nmodel = 'b'\n{same}")
    with pytest.raises(UserError, match="share the lineage 'llama'"):
        models_of(file, None, None, {})
    file.write_text(f"[models.writer]\nmodel = 'a'\nmodell = 'a'\n{same}")
    with pytest.raises(UserError, match=r"models\.writer\.modell: Extra inputs"):
        models_of(file, None, None, {})
    with pytest.raises(UserError, match="must read ENGINE:MODEL:LINEAGE"):
        models_of(None, "gpt", None, {})


def test_tasks_are_grown_from_an_imported_source(shop: Workshop, corpora: Path):
    from flows.steps.importing import import_source

    import_source(shop, "gsm8k", corpora / "gsm8k_train.jsonl", limit=24)
    found = grown_tasks(shop, "gsm8k", campaign_id="grown")
    assert found["n_in"] >= 40
    assert found["n_out"] > 0
    assert grown_tasks(shop, "gsm8k", campaign_id="grown") == found
    for n in (1, 5, 30):
        assert grown_tasks(shop, "gsm8k", n=n, campaign_id=f"grown {n}")["n_in"] == n, "as many attempts as asked for"
    kept = grown_tasks(shop, "gsm8k", n=30, seed=9, campaign_id="unlike", benchmarks=["gsm8k"])
    assert kept["n_in"] == 30
    assert sum(n for reason, n in kept["rejected"].items() if reason.startswith("contaminated")) > 0
    with pytest.raises(UserError, match="benchmark 'aime' is no imported source"):
        grown_tasks(shop, "gsm8k", n=30, campaign_id="unlike", benchmarks=["aime"])
    with pytest.raises(UserError, match="can be grown: gsm8k_variants"):
        grown_tasks(shop, "gsm8k", generators=["repair_program"], campaign_id="grown")
    with pytest.raises(UserError, match="nearest: repair_program"):
        grown_tasks(shop, "gsm8k", generators=["repair_programs"], campaign_id="grown")


def test_planted_defects_are_rows_with_intervals(shop: Workshop):
    from flows.steps.attacking import attack_admission

    found = attack_admission(shop, ModelsConfig(), n=4, seed=0)
    by_defect = {row["defect"]: row for row in found}
    assert by_defect["wrong_gold"]["n"] == 4
    assert by_defect["wrong_gold"]["n_admitted"] == 0
    assert 0 < by_defect["wrong_gold"]["high"] < 0.6
    assert attack_admission(shop, ModelsConfig(), n=4, seed=0) == found
    stored = rows(shop, "SELECT DISTINCT status FROM current_tasks WHERE kind = 'adversarial'")
    assert stored == [{"status": "quarantined"}]


def test_reasoning_gym_is_reached(shop: Workshop):
    pytest.importorskip("reasoning_gym", reason="reasoning-gym is not installed: pip install 'gradatim[gym]'")
    from flows.steps.growing import gym_tasks

    found = gym_tasks(shop, ["lcm"], n=10, seed=0, campaign_id="gym")
    assert found["n_in"] == 10
    assert found["n_out"] >= 8
    assert gym_tasks(shop, ["lcm"], n=10, seed=0, campaign_id="gym") == found
    with pytest.raises(UserError, match="nearest: lcm"):
        gym_tasks(shop, ["lcn"], n=1, seed=0, campaign_id="gym")
