"""Any OpenAI-compatible server: bounded retries, adaptive concurrency, no reply lost or taken twice."""

from __future__ import annotations

import os
import queue
import random
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from synth.engines.config import ModelConfig
from synth.engines.endpoints import Endpoints
from synth.engines.exchange import Response, exchange
from synth.engines.gate import LOOK_S, Gate
from synth.engines.kinds import engine_kind
from synth.engines.protocol import Answered, Ask, Reply, in_order
from synth.seeds import stream
from warehouse.errors import UserError
from warehouse.records import FinishReason

BUSY = frozenset({429, 503, 529})
"""Statuses of a server that has too much to do."""
AGAIN = BUSY | {408, 409, 500, 502, 504}
"""Statuses after which the same question is worth another try."""
FIRST_WAIT_S = 0.5
HOPELESS = 3
"""Failures in a row, times the concurrency or 8, after which nothing more is sent."""
MOST_TOKENS = 10**9
"""Tokens of one request above which a server's count is no count."""
ENDS = {"stop": FinishReason.STOP, None: FinishReason.STOP, "length": FinishReason.LENGTH}


class Server:
    """A model behind one or more OpenAI-compatible servers. `key` goes into the request's header and nowhere else."""

    def __init__(self, config: ModelConfig, key: SecretStr | None = None) -> None:
        self.name, self.lineage, self.version = config.model, config.lineage, config.identity
        self._config, self._key = config, key
        self._endpoints = Endpoints(config.endpoints)
        self._gate = Gate(config.concurrency)
        self._schemas = True
        self._in_a_row, self._limit = 0, HOPELESS * min(8, config.concurrency)
        self._lock = threading.Lock()

    def answer(self, asks: Sequence[Ask]) -> list[Answered]:
        """One answer for each ask, in order."""
        return in_order(self.answers(asks))

    def answers(self, asks: Sequence[Ask]) -> Iterator[tuple[int, Answered]]:
        """The place of each ask and its answer, as they come.

        After several failures in a row the rest fails unsent, and a later call starts with one that must succeed. No
        more are asked than as many again as may be under way, so that whoever keeps answers loses few with the process.
        """
        with self._lock:
            self._in_a_row = min(self._in_a_row, self._limit - 1)
        waiting: queue.SimpleQueue[tuple[int, Ask]] = queue.SimpleQueue()
        done: queue.Queue[tuple[int, Answered]] = queue.Queue(self._config.concurrency)
        stop = threading.Event()
        for place, ask in enumerate(asks):
            waiting.put((place, ask))
        for _ in range(min(self._config.concurrency, len(asks))):
            threading.Thread(target=self._work, args=(waiting, done, stop), name="server", daemon=True).start()
        try:
            for _ in asks:
                yield done.get()
        finally:
            stop.set()

    def _work(
        self,
        waiting: queue.SimpleQueue[tuple[int, Ask]],
        done: queue.Queue[tuple[int, Answered]],
        stop: threading.Event,
    ) -> None:
        """Answers questions until there are none; whatever goes wrong with one is its answer."""
        while not stop.is_set():
            try:
                place, ask = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                answered = self._one(ask, stop)
            except Exception as error:
                answered = Answered(failure=f"engine: {type(error).__name__}")
            while not stop.is_set():
                with suppress(queue.Full):
                    done.put((place, answered), timeout=LOOK_S)
                    break

    def healthy(self) -> dict[str, bool]:
        """Which endpoints answer to a look at their models."""
        looks = {url: exchange(f"{url.rstrip('/')}/models", None, key=self._key, timeout_s=10.0) for url in
                 self._config.endpoints}  # fmt: skip
        return {url: look.trouble is None and look.status < 500 for url, look in looks.items()}

    def _one(self, ask: Ask, stop: threading.Event) -> Answered:
        if stop.is_set() or self._hopeless():
            return Answered(failure="the server gave no answers")
        answered = self._gathered(ask, stop)
        with self._lock:
            self._in_a_row = 0 if answered.failure is None else self._in_a_row + 1
        return answered

    def _hopeless(self) -> bool:
        with self._lock:
            return self._in_a_row >= self._limit

    def _gathered(self, ask: Ask, stop: threading.Event) -> Answered:
        """The choices of as many requests as it takes; fewer choices than asked cost a try unless some came."""
        replies: list[Reply] = []
        n_prompt, n_lost, cost, tries, trouble = 0, 0, 0.0, 0, "no choices"
        while len(replies) < ask.n:
            if tries == self._config.tries or stop.is_set():
                break
            response, refused = self._sent(ask, ask.n - len(replies), len(replies) + tries, stop)
            found = _replies(response, ask.n - len(replies))
            if response.status == 200 and response.trouble is None:
                n_in = _count(response, "prompt_tokens") or (_tokens(ask.system or "", ask.prompt) if found else 0)
                n_out = sum(reply.n_tokens for reply in found) if found else _count(response, "completion_tokens")
                n_prompt += n_in
                n_lost += 0 if found else n_out
                cost += (n_in * self._config.price_in + n_out * self._config.price_out) / 1e6
            if found:
                replies += found
                continue
            trouble = _trouble(response, self._key)
            tries += 1
            if response.status == 400 and self._schemas and ask.schema is not None:
                self._schemas = False
            elif response.trouble is None and response.status not in AGAIN | {200}:
                break
            elif not refused and tries < self._config.tries:
                stop.wait(self._pause(tries, response.wait_s))
        else:
            return Answered(replies=tuple(replies), n_prompt_tokens=n_prompt, n_lost_tokens=n_lost, cost=cost)
        n_lost += sum(reply.n_tokens for reply in replies)
        return Answered(n_prompt_tokens=n_prompt, n_lost_tokens=n_lost, cost=cost, failure=trouble)

    def _sent(self, ask: Ask, n: int, place: int, stop: threading.Event) -> tuple[Response, bool]:
        """One request; a server that has too much to do narrows the gate and closes it for a while."""
        entered = self._gate.enter(stop)
        url = self._endpoints.take()
        response = Response(trouble="interrupted")
        refused = False
        try:
            response = exchange(
                f"{url}/chat/completions", self._payload(ask, n, place), key=self._key, timeout_s=self._config.timeout_s
            )
            refused = response.status in BUSY
        finally:
            self._endpoints.give_back(url, healthy=response.trouble is None and response.status < 500)
            wait_s = self._pause(place + 1, response.wait_s) if refused else 0.0
            self._gate.leave(entered, refused=refused, wait_s=wait_s)
        return response, refused

    def _pause(self, tries: int, wished_s: float | None) -> float:
        """Seconds before the next try: what the server wishes, else twice as long each time, with jitter."""
        longest = self._config.longest_wait_s
        if wished_s is not None:
            return min(longest, wished_s)
        return min(longest, FIRST_WAIT_S * 2.0 ** (tries - 1)) * random.uniform(0.5, 1.0)

    def _payload(self, ask: Ask, n: int, place: int) -> Mapping[str, Any]:
        """The request's body; a request for the rest has a seed of its own, else it would bring the same again."""
        config = self._config
        system = [] if ask.system is None else [{"role": "system", "content": ask.system}]
        payload: dict[str, Any] = {
            "model": config.model,
            "messages": [*system, {"role": "user", "content": ask.prompt}],
            "n": n,
            "temperature": ask.temperature if config.temperature is None else config.temperature,
            "max_tokens": ask.max_tokens if config.max_tokens is None else config.max_tokens,
            "seed": ask.seed if place == 0 else stream("rest", ask.seed, place).getrandbits(31),
        }
        if ask.schema is not None and self._schemas:
            shape = {"name": "reply", "strict": True, "schema": dict(ask.schema)}
            payload["response_format"] = {"type": "json_schema", "json_schema": shape}
        return payload


@engine_kind("server")
def open_server(config: ModelConfig, home: Path) -> Server:
    """The server that `config` names; raises `UserError` when the key's variable is not set."""
    if config.api_key_env is None:
        return Server(config)
    key = os.environ.get(config.api_key_env)
    if not key:
        raise UserError(f"the key of model '{config.model}' is not set; see: export {config.api_key_env}=...")
    return Server(config, SecretStr(key))


def _replies(response: Response, most: int) -> list[Reply]:
    """The choices in an answer, at most `most`; none where it is no chat completion."""
    if response.status != 200 or not isinstance(response.body, dict):
        return []
    choices = response.body.get("choices")
    if not isinstance(choices, list):
        return []
    said = [(choice["message"].get("content"), choice.get("finish_reason")) for choice in choices[:most]
            if isinstance(choice, dict) and isinstance(choice.get("message"), dict)]  # fmt: skip
    texts = [(_sound(text or ""), end) for text, end in said if text is None or isinstance(text, str)]
    tokens = _split(_count(response, "completion_tokens"), [text for text, _ in texts])
    return [Reply(text, count, _end(end)) for (text, end), count in zip(texts, tokens, strict=True)]


def _end(said: object) -> FinishReason:
    return ENDS.get(said, FinishReason.ERROR) if said is None or isinstance(said, str) else FinishReason.ERROR


def _sound(text: str) -> str:
    """`text` without half characters, which nothing can store."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _count(response: Response, name: str) -> int:
    """What the server counted; 0 where it counted nothing, or more than any request can hold."""
    usage = response.body.get("usage") if isinstance(response.body, dict) else None
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS else 0


def _split(total: int, texts: Sequence[str]) -> list[int]:
    """The tokens of each text: its share by length of what the server counted, else one for four bytes."""
    if not total:
        return [_tokens(text) for text in texts]
    sizes = [len(text.encode("utf-8", "replace")) + 1 for text in texts]
    ends = [round(total * sum(sizes[: i + 1]) / sum(sizes)) for i in range(len(sizes))]
    return [end - start for start, end in zip([0, *ends], ends, strict=False)]


def _tokens(*texts: str) -> int:
    """Tokens of texts that nobody counted: one for four bytes."""
    return -(-(sum(len(text.encode("utf-8", "replace")) for text in texts) + 1) // 4)


def _trouble(response: Response, key: SecretStr | None) -> str:
    """Why an answer holds no choice, as a reason for the funnel; the key never stands in it."""
    if response.trouble is not None:
        return response.trouble
    if response.status == 200:
        return "fewer choices than asked"
    detail = ""
    if response.status not in AGAIN and isinstance(response.body, dict):
        error = response.body.get("error")
        message = error.get("message") if isinstance(error, dict) else response.body.get("message")
        detail = f": {_sound(message[:80]).replace(chr(0), '?')}" if isinstance(message, str) else ""
    if key is not None and any(piece in detail for piece in _pieces(key.get_secret_value())):
        detail = ""
    return f"HTTP {response.status}{detail}"


def _pieces(secret: str) -> list[str]:
    """Pieces of a secret of which none may be told."""
    return [secret[i : i + 6] for i in range(max(1, len(secret) - 5))]
