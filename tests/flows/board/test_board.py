"""The board's cells without a browser, and what they must never show."""

from __future__ import annotations

import base64
import re
import socket

import pytest
from board_rows import SECRET

from warehouse.errors import UserError
from warehouse.failures import WarehouseFailed
from warehouse.named import named_query
from warehouse.store import Store

marimo = pytest.importorskip("marimo")

PAGES = {
    "Run": ["pass@1", "0.580", "pass_rate_below_prediction", "rollback_and_halve_rate"],
    "Tasks": ["tasks 1 to 20 of 140", "rev"],
    "SQL": ["current_tasks", "Ask runs it"],
    "Funnel": ["185", "null_probe: guessable", "vegalite"],
    "Collapse": ["pass@1 on held-out tasks", "zero_variance_all_right", "vegalite"],
    "Graders": ["right / short", "flip rate"],
    "Compare": ["policy A", "policy B"],
}


@pytest.fixture(scope="module")
def desk(board_home):
    from flows.board.desk import Desk
    from flows.settings import Settings

    found = Desk(Settings(home=board_home))
    yield found
    found.leave()


def opened(desk, page: str) -> str:
    """Everything that the cells of one page send to a browser, data of tables included."""
    from flows.board.app import app

    outputs, _ = app.run(defs={"desk": desk, "address": {}, "choose": print, "chosen": lambda: page})
    return "\n".join(text_of(output) for output in outputs if output is not None)


def text_of(output) -> str:
    text = marimo.as_html(output).text
    carried = re.findall(r"base64,([A-Za-z0-9+/=]+)", text)
    return "\n".join([text, *(base64.b64decode(data).decode("utf-8", "replace") for data in carried)])


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_what_the_warehouse_holds_and_nothing_private(desk, page):
    text = opened(desk, page)
    for word in PAGES[page]:
        assert word in text
    assert SECRET not in text
    assert "<img src=x" not in text


def test_the_private_files_are_out_of_reach(desk):
    with pytest.raises(WarehouseFailed, match="Permission"):
        desk.ask(lambda store: store.rows("SELECT * FROM private.task_secrets"))
    assert desk.ask(lambda store: store.rows("SELECT count(*) AS n FROM tasks"))[0]["n"] == 140


def test_every_task_in_full_shows_nothing_private(desk):
    from flows.board import tasks

    for i in range(12):
        text = text_of(tasks.detail(desk, f"t{i}"))
        assert f"t{i}" in text
        assert SECRET not in text
    assert "not shown" in text_of(tasks.detail(desk, "t10"))
    assert "rev w1?" in text_of(tasks.detail(desk, "t1"))


SOMETHING = [
    {},
    {"family": "rev"},
    {"level": "5"},
    {"bucket": "easy"},
    {"bucket": "unmeasured", "policy": "p0"},
    {"bucket": "easy", "policy": "p1"},
    {"text": "REV  w1"},
    {"text": "? sort"},
]
NOTHING = [
    {"domain": "code"},
    {"status": "candidate"},
    {"text": "100%_"},
    {"text": SECRET},
    {"family": "no'such"},
    {"family": "re_"},
]


@pytest.mark.parametrize("changed", SOMETHING + NOTHING)
def test_filters_find_what_a_scan_of_all_tasks_finds(desk, board_home, changed):
    from flows.board import tasks

    chosen = dict.fromkeys(("domain", "family", "level", "status", "bucket"), tasks.ANY)
    chosen |= {"text": "", "policy": "%"} | changed
    found, page = [], 1
    while (seen := desk.ask(lambda store: tasks.find(store, chosen, page))).rows:  # noqa: B023
        found += [row["task_id"] for row in seen.rows]
        assert SECRET not in text_of(tasks.listed(seen))
        page += 1
    with Store.open(board_home, read_only=True) as store:
        kept = store.rows("SELECT * FROM current_tasks")
        measured = {}
        for row in store.rows("SELECT task_id, policy_id, bucket FROM calibrations ORDER BY rowid"):
            if chosen["policy"] in ("%", row["policy_id"]):
                measured[row["task_id"]] = row["bucket"]
    words = chosen["text"].lower().split()
    wanted = [
        row["task_id"]
        for row in sorted(kept, key=lambda row: (row["family"], row["level"], row["task_id"]))
        if all(chosen[name] in (tasks.ANY, str(row[name])) for name in ("domain", "family", "level", "status"))
        and chosen["bucket"] in (tasks.ANY, measured.get(row["task_id"], "unmeasured"))
        and (not words or (row["prompt"] and all(word in row["prompt"].lower() for word in words)))
    ]
    assert found == wanted
    assert bool(wanted) == (changed in SOMETHING)


def test_paging_is_in_the_query(desk):
    from flows.board import tasks

    assert "LIMIT $limit" in named_query("task_page").sql
    chosen = dict.fromkeys(("domain", "family", "level", "status", "bucket"), tasks.ANY) | {
        "text": "",
        "policy": "%",
    }
    first, last, past = (desk.ask(lambda store, p=page: tasks.find(store, chosen, p)) for page in (1, 7, 8))
    assert [len(found.rows) for found in (first, last, past)] == [20, 20, 0]
    assert first.n_found == last.n_found == 140
    assert "no such page" in text_of(tasks.listed(past))


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT nothing FROM tasks", "nothing"),
        ("DROP TABLE tasks", "kind DROP"),
        ("SELECT * FROM private.task_secrets", "hidden tests"),
        ("SELECT * FROM read_text('/etc/passwd')", "read_text"),
        ("SELEC 1", "does not parse"),
    ],
)
def test_a_bad_query_is_a_sentence(desk, sql, said):
    from flows.board import asking
    from flows.board.display import shown

    text = shown(lambda: asking.answer(desk, sql)).text
    assert 'role="alert"' in text
    assert said in text


def test_a_query_answers_and_a_long_answer_is_cut(desk):
    from flows.board import asking

    assert "140" in text_of(asking.answer(desk, "SELECT count(*) AS n FROM tasks"))
    assert "the rest is cut" in text_of(asking.answer(desk, "SELECT * FROM range(5000) AS r(i)"))


def test_two_policies_are_compared_and_a_refusal_is_a_sentence(desk):
    from flows.board import quality
    from flows.board.display import shown

    chosen = {"a": "p0", "b": "p1", "metric": "pass@2", "family": None, "force": False}
    text = text_of(desk.ask(lambda store: quality.comparison(store, chosen)))
    assert "B minus A" in text
    assert "interval" in text
    refused = shown(lambda: desk.ask(lambda store: quality.comparison(store, chosen | {"b": "campaign0-p0"})))
    assert "different protocols" in refused.text


def test_an_empty_warehouse_says_so(tmp_path):
    from flows.board.desk import Desk
    from flows.settings import Settings

    Store.open(tmp_path / "home", threads=1).close()
    empty = Desk(Settings(home=tmp_path / "home"))
    assert "no campaign yet" in opened(empty, "Run")
    assert "No task fits" in opened(empty, "Tasks")
    assert "two evaluated policies" in opened(empty, "Compare")
    empty.leave()


def test_a_lost_warehouse_is_a_sentence(tmp_path):
    from flows.board.desk import Desk
    from flows.settings import Settings

    assert "there is no warehouse" in opened(Desk(Settings(home=tmp_path / "home")), "Tasks")


def test_the_verb_refuses_in_one_line(board_home, tmp_path, monkeypatch):
    from flows.board import serve
    from flows.settings import Settings

    settings = Settings(home=board_home)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=f"port {port} .*choose another"):
            serve(settings, host="127.0.0.1", port=port, token=True, ready=print)
    with pytest.raises(UserError, match="not an address"):
        serve(settings, host="no such host", port=0, token=True, ready=print)
    with pytest.raises(UserError, match="there is no warehouse"):
        serve(Settings(home=tmp_path), host="127.0.0.1", port=0, token=True, ready=print)
    monkeypatch.setattr("flows.board.serving.find_spec", lambda name: None)
    with pytest.raises(UserError, match=re.escape("pip install 'gradatim[board]'")):
        serve(settings, host="127.0.0.1", port=0, token=True, ready=print)
