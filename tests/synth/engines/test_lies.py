"""What a server says of its own answers: wrong counts, ends, waits and errors break nothing and hide no cost."""

from __future__ import annotations

import time

import pytest
from model_server import Handler, serving

from synth.engines import Answered, Ask, BudgetConfig, Budgeted, ModelConfig, Purse
from synth.engines.exchange import exchange
from synth.engines.server import Server
from warehouse.records import FinishReason

ASK = Ask(prompt="What is 2 + 2? " * 10)


def config(url: str, **fields: object) -> ModelConfig:
    settings = {"timeout_s": 5.0, "tries": 2, "longest_wait_s": 0.01, "price_in": 1e6, "price_out": 1e6, **fields}
    return ModelConfig(model="m", lineage="paper", endpoints=(url,), **settings)


def said(body: object, status: int = 200, ask: Ask = ASK, **headers: str) -> Answered:
    with serving(lambda h, p, n: h.say(status, body, **headers)) as server:
        [found] = Server(config(server.url)).answer([ask])
    return found


def chat(content: object = "four", end: object = "stop", **rest: object) -> dict[str, object]:
    return {"choices": [{"message": {"content": content}, "finish_reason": end}], **rest}


@pytest.mark.parametrize("count", [None, -5, 10**400, 10**19, 1.5, "7", True, [1], 0])
def test_a_count_that_is_none_is_estimated_and_never_free(count: object):
    found = said(chat("x" * 39, usage={"prompt_tokens": count, "completion_tokens": count}))
    assert (found.n_prompt_tokens, [one.n_tokens for one in found.replies]) == (38, [10])
    assert found.cost == 48.0
    assert said(chat("x" * 39, usage=count)).n_prompt_tokens == 38


@pytest.mark.parametrize("end", [["stop"], {"a": 1}, 7, "who knows"])
def test_an_end_that_no_one_knows_is_an_error_s(end: object):
    assert said(chat(end=end)).replies[0].finish_reason is FinishReason.ERROR


@pytest.mark.parametrize("content", [0, False, [], {}, 1.5])
def test_what_is_no_text_is_no_reply(content: object):
    assert said(chat(content)).failure == "fewer choices than asked"
    assert said(chat(None)).replies[0].text == ""


@pytest.mark.parametrize(
    "wait",
    ["-5", "nan", "inf", "1e9", "1e999", "soon", "", "Wed, 21 Oct 2099 07:28:00 GMT", "Wed, 21 Oct 2015 07:28:00",
     "Wed, 99 Oct 99999999999 07:28:00 GMT", "Wed, 21 Oct 0001 00:00:00 +2359"],
)  # fmt: skip
def test_no_wish_to_wait_is_a_failure_of_its_own(wait: str):
    assert said({"e": 1}, 429, Retry_After=wait).failure == "HTTP 429"


def test_an_error_s_text_can_be_stored():
    assert said(b'{"error": {"message": "a\\ud800b"}}', 404).failure == "HTTP 404: a?b"


def test_tokens_that_came_to_no_reply_are_counted():
    found = said({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 4}})
    assert (found.n_prompt_tokens, found.n_lost_tokens, found.cost) == (20, 8, 28.0)

    def one_and_no_more(handler: Handler, payload: dict, number: int) -> None:
        handler.reply(["a"]) if number == 1 else handler.say(500, {})

    with serving(one_and_no_more) as server:
        purse = Purse(BudgetConfig(tokens=10_000))
        engine = Budgeted(Server(config(server.url)), purse, config(server.url))
        [found] = engine.answer([Ask(prompt="q", n=2)])
    assert found.failure == "HTTP 500"
    assert purse.used[:2] == (14, 14.0)


def test_a_model_s_own_length_of_reply_counts_against_the_ceiling():
    with serving(lambda h, p, n: h.say(200, chat(usage={"completion_tokens": p["max_tokens"]}))) as server:
        settings = config(server.url, max_tokens=5_000)
        purse = Purse(BudgetConfig(tokens=12_000))
        found = Budgeted(Server(settings), purse, settings).answer(
            [Ask(prompt=f"q{i}", max_tokens=1) for i in range(9)]
        )
    assert (purse.used.tokens or 0) <= 12_000
    assert [one.failure for one in found] == [None, None, *["budget: tokens"] * 7]


def test_headers_that_drip_do_not_hold_a_request_up():
    def drip(handler: Handler, payload: dict, number: int) -> None:
        for _ in range(100):
            handler.wfile.write(b"H")
            handler.wfile.flush()
            time.sleep(0.05)

    with serving(drip) as server:
        began = time.monotonic()
        assert exchange(f"{server.url}/chat/completions", {}, timeout_s=0.2).trouble == "timed out"
        assert time.monotonic() - began < 4, "a byte now and then would go on for 5 s"
