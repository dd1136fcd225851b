"""Values that no warehouse, no judge and no policy can take: a row with its reason each, and the next row is read."""

from __future__ import annotations

import json
import random
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "synth" / "engines"))

from model_server import Handler, ModelServer, serving

from flows.settings import Settings
from flows.steps.importing import import_source
from flows.steps.tracing import import_traces
from flows.steps.writing import WritingOrder, campaign_of, write_tasks
from flows.workshop import Workshop
from synth.engines import ModelsConfig
from synth.family import FAMILIES
from synth.tasks import make_item, to_task
from warehouse.records import Split, Status, StatusChange
from warehouse.store import Store

VALUES = (
    "1e999", "1e-999", "NaN", "-Infinity", "9" * 6000, "[" * 3000 + "]" * 3000, '"\\ud800"', '"a\\u0000b"', '"inf"',
    '"nan"', '"9e99999999999"', '""', '"\\u202e\\ufffe"', "null", "true", "7", "[]", '{"a": [1e999, "\\u0000"]}',
    json.dumps(" ".join(random.Random(1).choices(["one", "two", "three", "because", "7"], k=100_000))),
    json.dumps("again " * 80_000),
)  # fmt: skip
QUESTION = {
    "question": '"Ann has 3 apples and buys 4 more in shop @. How many has she?"', "solution": '"3 + 4"',
    "answer": '"7"', "answer_kind": '"integer"',
}  # fmt: skip
FUNCTION = {
    "question": '"Write a function that adds one to its argument, for the shop @."', "entry": '"f"',
    "program": '"def f(x):\\n    return x + 1\\n"',
    "tests": '[{"args": [1], "expected": 2}, {"args": [3], "expected": 4}, {"args": [-7], "expected": -6}]',
}  # fmt: skip
RUBRIC = {
    "question": '"Write a note to a friend in the town @."',
    "criteria": '[{"text": "Kind?", "weight": 1}, {"text": "Short?", "weight": 1}, {"text": "A note?", "weight": 2}]',
    "good_answer": '"Dear friend, all is well."', "bad_answers": '["No."]',
}  # fmt: skip
FORMS: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "harder": (QUESTION, {"answer": "V"}),
    "program_first": ({"program": '"def solve():\\n    return 7\\n"', **QUESTION}, {}),
    "function": (FUNCTION, {"tests": '[{"args": [V], "expected": 2}, {"args": [1], "expected": V}]'}),
    "rubric": (
        RUBRIC,
        {"criteria": '[{"text": V, "weight": 1}, {"text": "b", "weight": V}, {"text": "c", "weight": 1}]',
         "bad_answers": "[V]"},
    ),
}  # fmt: skip
"""For each style a good reply, and fields in which the value stands deeper."""
CORPORA: dict[str, dict[str, str]] = {
    "gsm8k": {"question": '"What is @ and 17?"', "answer": '"it is #### 7@"'},
    "jsonl": {"prompt": '"What is @ and 17?"', "answer": '"7@"', "kind": "null", "answer_format": "null",
              "reference": "null"},
    "jsonl code": {"prompt": '"Add @."', "tests": '["assert f(1) == 1 + @", "assert f(2) == 2 + @"]', "entry": '"f"',
                   "reference": '"def f(x):\\n    return x + @"', "scaffold": "null"},
    "mbpp": {"task_id": "@", "text": '"Add @."', "code": '"def f(x):\\n    return x + @"',
             "test_list": '["assert f(1) == 1 + @", "assert f(2) == 2 + @"]', "test_imports": "[]",
             "test_setup_code": '""'},
    "humaneval": {"task_id": '"@"', "prompt": '"def f(x):\\n    \\"\\"\\"Add @\\"\\"\\"\\n"', "entry_point": '"f"',
                  "canonical_solution": '"    return x + @\\n"',
                  "test": '"assert candidate(1) == 1 + @\\nassert candidate(2) == 2 + @\\n"'},
}  # fmt: skip
TRACE = {"prompt": '"Add @ and two"', "completion": '"it is @"', "verdict": '"fail"', "feedback": '"no, @"',
         "group": '"sums"'}  # fmt: skip


def variants(form: dict[str, str], deeper: dict[str, str] | None = None) -> list[str]:
    """The form with each value in each field, between two good ones; no two tell of the same number."""
    made = [form]
    made += [{**form, name: value} for name in form for value in VALUES]
    made += [{**form, name: inner.replace("V", value)} for name, inner in (deeper or {}).items() for value in VALUES]
    told = [", ".join(f'"{name}": {said}' for name, said in row.items()) for row in [*made, form]]
    return ["{" + row.replace("@", str(i + 11)) + "}" for i, row in enumerate(told)]


@pytest.fixture
def shop(tmp_path: Path, blank: Path, one_judge: Any) -> Iterator[Workshop]:
    family = FAMILIES.get("urn")
    task = to_task(family, make_item(family, level=2, seed=0, index=0), level=2, seed=0, index=0)
    task = replace(task, split=Split.TRAIN)
    home = shutil.copytree(blank, tmp_path / "home")
    with Store.open(home, threads=1) as store:
        shop = Workshop(settings=Settings(home=home), store=store, judge=one_judge, run="run")
        shop.commit(
            [task, StatusChange(task_id=task.task_id, status=Status.ACCEPTED, reason="")], batch="p", purpose="p"
        )
        yield shop


def written(shop: Workshop, style: str, n: int, write: Callable[[int], str], check: Callable[[str], str]) -> Any:
    """What comes of `n` tasks that a server writes by their place and another model checks by the prompt."""
    n_written = 0

    def speak(handler: Handler, payload: dict[str, Any], number: int) -> None:
        nonlocal n_written
        if payload["model"] == "w":
            n_written += 1
            handler.reply([write(n_written - 1)])
        else:
            handler.reply([check(payload["messages"][-1]["content"])] * payload["n"])

    with serving(speak) as server:
        order = WritingOrder(style=style, n=n, n_votes=2)
        config = models(server)
        return write_tasks(shop, order, config, campaign_id=campaign_of(order, config))


def models(server: ModelServer) -> ModelsConfig:
    one = {"endpoints": [server.url], "concurrency": 1, "tries": 1, "timeout_s": 60.0}
    roles = {"writer": ("w", "paper"), "checker": ("c", "abacus"), "referee": ("r", "slate")}
    return ModelsConfig.model_validate(
        {role: {"model": model, "lineage": lineage, **one} for role, (model, lineage) in roles.items()}
    )


def whole(shop: Workshop, found: Any, n: int) -> list[str | None]:
    """The reason of each of `n` attempts in their order; none is lost, none doubled, and what is kept can be read."""
    rows = shop.store.rows('SELECT "index", reason FROM attempts ORDER BY "index"')
    assert [row["index"] for row in rows] == list(range(n))
    assert found["n_in"] == n == found["n_out"] + sum(found["rejected"].values())
    for task in shop.store.tasks(status=None):
        assert b"\0" not in "".join([task.prompt, task.gold or "", task.reference or ""]).encode()
        assert len(task.prompt) < 10_000
    return [row["reason"] for row in rows]


@pytest.mark.parametrize("style", FORMS)
def test_a_reply_that_holds_what_cannot_be_kept_is_a_row(style: str, shop: Workshop):
    items = variants(*FORMS[style])

    def check(prompt: str) -> str:
        if "Write tests" in prompt:
            return '{"tests": [{"args": [1], "expected": 2}, {"args": [5], "expected": 6}]}'
        return "\\boxed{7}" if style != "function" else FUNCTION["program"].encode().decode("unicode_escape").strip('"')

    reasons = whole(shop, written(shop, style, len(items), items.__getitem__, check), len(items))
    assert not [reason for reason in reasons if reason and reason.startswith(("infrastructure", "engine"))]
    if style != "rubric":
        assert (reasons[0], reasons[-1]) == (None, None)
    assert {"json: not valid", "json: not text", "writer: repeats itself", "writer: control characters"} <= {*reasons}


@pytest.mark.parametrize("style", ["harder", "function"])
def test_a_checker_that_says_such_things_admits_nothing_and_breaks_nothing(style: str, shop: Workshop):
    form = FORMS[style][0]
    items = [variants(form)[0].replace("11", str(i + 11)) for i in range(len(VALUES))]

    def check(prompt: str) -> str:
        value = VALUES[int(prompt.partition("shop ")[2].partition(".")[0]) % len(VALUES)]
        if "Write tests" in prompt:
            return f'{{"tests": [{{"args": [{value}], "expected": {value}}}]}}'
        said = json.loads(value) if value.startswith('"') else value
        return said if style == "harder" else f"```python\ndef f(x):\n    return {value}\n```"

    reasons = whole(shop, written(shop, style, len(items), items.__getitem__, check), len(items))
    assert all(reason or VALUES[(i + 11) % len(VALUES)] == "7" for i, reason in enumerate(reasons))


@pytest.mark.parametrize("corpus", CORPORA)
def test_a_row_that_holds_what_cannot_be_kept_is_refused_and_the_next_one_read(
    corpus: str, shop: Workshop, tmp_path: Path
):
    rows = variants(CORPORA[corpus])
    (tmp_path / "rows.jsonl").write_text("\n".join(rows))
    found = import_source(shop, corpus.split()[0], tmp_path / "rows.jsonl")
    reasons = whole(shop, found, len(rows))
    assert (reasons[0], reasons[-1]) == (None, None)
    assert {f"intake: {said}" for said in (
        "a number beyond all floats", "a number of too many digits", "half a character", "nested too deep",
        "NaN is no JSON number", "-Infinity is no JSON number",
    )} <= {*reasons}  # fmt: skip
    assert corpus == "humaneval" or "intake: a prompt of more than 400000 characters" in reasons


def test_a_logged_row_that_holds_what_cannot_be_kept_is_refused_and_the_next_one_read(shop: Workshop, tmp_path: Path):
    rows = variants(TRACE)
    (tmp_path / "log.jsonl").write_text("\n".join(rows))
    reasons = whole(shop, import_traces(shop, tmp_path / "log.jsonl"), len(rows))
    assert (reasons[0], reasons[-1]) == (None, None)
    assert {f"trace: {said}" for said in (
        "a number beyond all floats", "half a character", "nested too deep", "NaN is no JSON number", "not text",
        "longer than 40000 characters",
    )} <= {*reasons}  # fmt: skip
