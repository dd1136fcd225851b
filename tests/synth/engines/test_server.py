"""The HTTP client against a real server that misbehaves: bounded, never a reply lost or doubled."""

from __future__ import annotations

import threading
import time

import pytest
from model_server import Handler, close_midway, echo, fewer, first, hang, serving, status
from pydantic import SecretStr, ValidationError

from synth.engines import ENGINES, Ask, ModelConfig
from synth.engines.exchange import exchange
from synth.engines.gate import Gate
from synth.engines.server import Server
from warehouse.errors import UserError
from warehouse.records import FinishReason


def config(*urls: str, **fields: object) -> ModelConfig:
    settings = {"concurrency": 4, "timeout_s": 5.0, "tries": 3, "longest_wait_s": 0.02, **fields}
    return ModelConfig(model="m", lineage="paper", endpoints=urls, **settings)


def asks(count: int, n: int = 1) -> list[Ask]:
    return [Ask(prompt=f"q{i}", n=n, seed=i) for i in range(count)]


def texts(answered) -> list[list[str]]:
    return [[reply.text for reply in one.replies] for one in answered]


def test_choices_usage_and_money():
    with serving(echo) as server:
        found = Server(config(server.url, price_in=1e6, price_out=2e6)).answer(asks(3, n=2))
    assert texts(found) == [[f"q{i}/{i}/{k}" for k in range(2)] for i in range(3)]
    assert [(one.n_prompt_tokens, one.cost) for one in found] == [(10, 26.0)] * 3
    assert found[0].replies[0].n_tokens == 4
    assert found[0].replies[0].finish_reason is FinishReason.STOP


@pytest.mark.parametrize(
    "bad",
    [status(500), status(503), status(429, Retry_After="0"), close_midway, lambda h, p, n: h.say(200, b"<html>"),
     lambda h, p, n: h.say(200, {"choices": []}), lambda h, p, n: h.say(200, {"choices": "many"})],
)  # fmt: skip
def test_what_passes_is_tried_again(bad):
    with serving(first(2, bad)) as server:
        found = Server(config(server.url, concurrency=1)).answer(asks(4))
    assert [one.failure for one in found] == [None] * 4
    assert [one[0].split("/")[0] for one in texts(found)] == ["q0", "q1", "q2", "q3"]


@pytest.mark.parametrize(
    ("bad", "failure"),
    [(status(500), "HTTP 500"), (status(429), "HTTP 429"), (close_midway, "connection closed"),
     (lambda h, p, n: h.say(200, b"<html>"), "answer is not JSON"), (status(404), "HTTP 404: no"),
     (lambda h, p, n: h.say(200, {"choices": []}), "fewer choices than asked"), (hang, "timed out")],
)  # fmt: skip
def test_what_does_not_pass_is_a_failure_within_bounds(bad, failure):
    with serving(bad) as server:
        found = Server(config(server.url, timeout_s=0.2)).answer(asks(3, n=2))
        assert {one.failure for one in found} == {failure}
        assert len(server.requests) <= 3 * 3
    assert all(one.replies == () for one in found)


def test_a_server_that_gives_no_answers_is_not_asked_for_ever():
    with serving(status(429)) as server:
        engine = Server(config(server.url, longest_wait_s=0.001))
        found = engine.answer(asks(60))
        n_first = len(server.requests)
        engine.answer(asks(60))
    assert {one.failure for one in found} == {"HTTP 429", "the server gave no answers"}
    assert n_first <= 3 * (12 + 4)
    assert len(server.requests) - n_first <= 3 * 4


def test_missing_choices_are_asked_for_again_under_another_seed():
    with serving(fewer) as server:
        [found] = Server(config(server.url)).answer([Ask(prompt="q", n=5, seed=7)])
        assert [request["n"] for request in server.requests] == [5, 3, 1]
        assert len({request["seed"] for request in server.requests}) == 3
    assert len(found.replies) == len({reply.text for reply in found.replies}) == 5


def test_more_choices_than_asked_are_not_taken():
    with serving(lambda h, p, n: h.reply(["a", "b", "c"])) as server:
        [found] = Server(config(server.url)).answer(asks(1))
    assert texts([found]) == [["a"]]


def test_the_gate_halves_once_a_burst_and_opens_by_one_a_round():
    now, never = [0.0], threading.Event()
    gate = Gate(8, clock=lambda: now[0])
    entered = [gate.enter(never) for _ in range(8)]
    now[0] = 1.0
    for at in entered:
        gate.leave(at, refused=True, wait_s=5.0)
    assert gate.width == 4
    now[0] = 6.0
    for _ in range(4 + 1):
        gate.leave(gate.enter(never))
    assert gate.width == 5
    for _ in range(100):
        gate.leave(gate.enter(never))
    assert gate.width == 8


def test_concurrency_stays_below_its_limit():
    with serving(first(6, status(429))) as server:
        engine = Server(config(server.url, concurrency=8, tries=10))
        found = engine.answer(asks(30))
        assert server.most_busy <= 8
    assert all(one.failure is None for one in found)


def test_requests_are_spread_and_a_dead_endpoint_is_left_alone():
    with serving(echo) as one, serving(echo) as two, serving(close_midway) as dead:
        engine = Server(config(one.url, two.url, dead.url))
        found = engine.answer(asks(40))
        assert [a.failure for a in found] == [None] * 40
        assert len(one.requests) > 5 < len(two.requests)
        assert len(dead.requests) <= 6
        assert engine.healthy() == {one.url: True, two.url: True, dead.url: True}
    assert set(engine.healthy().values()) == {False}


def test_a_schema_is_sent_and_left_out_where_the_server_knows_none():
    def old(handler: Handler, payload: dict, number: int) -> None:
        (status(400) if "response_format" in payload else echo)(handler, payload, number)

    ask = Ask(prompt="q", schema={"type": "object"})
    with serving(old) as server:
        [found] = Server(config(server.url)).answer([ask])
        assert server.requests[0]["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert found.failure is None


def test_the_key_goes_nowhere_but_into_the_header(monkeypatch):
    def tell(handler: Handler, payload: dict, number: int) -> None:
        handler.say(401, {"error": {"message": f"wrong key {handler.headers['Authorization'][-12:]}"}})

    monkeypatch.setenv("SOME_KEY", "sk-secret-0123456789")
    with serving(tell) as server:
        settings = config(server.url, api_key_env="SOME_KEY")
        engine = ENGINES.get("server")(settings, None)
        [found] = engine.answer(asks(1))
        assert server.keys == ["Bearer sk-secret-0123456789"]
    assert found.failure == "HTTP 401"
    assert "0123456789" not in f"{settings!r} {settings.model_dump()} {vars(engine)!r} {found!r} {settings.identity}"
    assert "secret" in SecretStr("secret").get_secret_value()
    monkeypatch.delenv("SOME_KEY")
    with pytest.raises(UserError, match="export SOME_KEY"):
        ENGINES.get("server")(settings, None)


def test_an_endpoint_with_a_password_is_refused():
    for url in ("http://me:pw@host/v1", "http://host/v1?key=1", "ftp://host", "host"):
        with pytest.raises(ValidationError):
            config(url)
    with pytest.raises(ValidationError, match="needs endpoints"):
        ModelConfig(model="m", lineage="paper")


def test_where_and_how_fast_a_model_runs_is_no_part_of_its_identity():
    one = config("http://a/v1", concurrency=1)
    assert one.identity == config("http://b/v1", concurrency=9, timeout_s=3.0).identity
    assert one.identity != config("http://a/v1", revision="2").identity


def drip(handler: Handler, payload: dict, number: int) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    for _ in range(100):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.02)


def test_a_server_that_drips_does_not_hold_a_request_up():
    with serving(drip) as server:
        started = exchange(f"{server.url}/chat/completions", {}, timeout_s=0.2)
    assert started.trouble == "timed out"


def test_an_endless_answer_is_not_read_to_its_end(monkeypatch):
    monkeypatch.setattr("synth.engines.exchange.LARGEST", 1_000)
    with serving(lambda h, p, n: h.say(200, b"x" * 100_000)) as server:
        assert exchange(server.url, {}).trouble == "answer too long"


def test_half_characters_do_not_come_in():
    def half(handler: Handler, payload: dict, number: int) -> None:
        body = b'{"choices": [{"message": {"content": "a\\ud800b"}, "finish_reason": "stop"}]}'
        handler.say(200, body)

    with serving(half) as server:
        assert texts(Server(config(server.url)).answer(asks(1))) == [["a?b"]]


def test_no_more_is_asked_than_is_taken():
    with serving(echo) as server:
        answers = Server(config(server.url, concurrency=2)).answers(asks(40))
        taken = [next(answers)[0] for _ in range(3)]
        time.sleep(0.3)
        assert len(server.requests) <= len(taken) + 2 + 2
        rest = [place for place, _ in answers]
    assert sorted([*taken, *rest]) == list(range(40))
