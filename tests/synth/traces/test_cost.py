"""What masking costs: every rule reads hostile texts in time that grows no faster than they do."""

from __future__ import annotations

import re
import time

import pytest

from synth.traces import mask
from synth.traces.names import names_in
from synth.traces.patterns import RULES

PUMPS = (
    "a", "A", "1", " ", "-", ".", ",", ":", "=", "\\", '"', "`", "(", "[", "<", "|", "@", "%", "\n", "a ", "-b", "-a ",
    "a=", "a:", '"a" ', "'a',", "password=", "password:\n ", "[A_1]",
)  # fmt: skip
SMALL, LARGE = 2_000, 8_000


def _openings(pattern: str) -> list[str]:
    """Words that a pattern looks for, with what may follow them: where its loops begin."""
    words = re.findall(r"(?<![\\\w\[])[a-zA-Z][a-z\-]{2,}(?: [a-z]+)?", pattern)
    first = list(dict.fromkeys(words))[:1]
    return ["", *(word + after for word in first for after in (" ", " -", "="))]


def _cpu_s(rule: object, text: str) -> float:
    began = time.process_time()
    list(rule.spans(text))  # type: ignore[attr-defined]
    return time.process_time() - began


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.kind}-{getattr(rule, 'pattern', rule)!r:.50}")
def test_no_rule_takes_quadratic_time(rule: object):
    pattern = getattr(getattr(rule, "pattern", None), "pattern", "")
    for opening in _openings(pattern):
        for pump in PUMPS:
            for text in (opening + pump * (LARGE // len(pump)), (opening + pump) * (LARGE // len(opening + pump))):
                large = _cpu_s(rule, text)
                if large > 0.03:
                    assert large < 10 * max(min(_cpu_s(rule, text[:SMALL]) for _ in range(3)), 0.004), (opening, pump)


@pytest.mark.parametrize("head", ["htpasswd -", "htpasswd -b", "mysql -", "curl -u ", "Cookie: ", "password=["])
def test_long_options_and_lists_take_linear_time(head: str):
    for pump in ("b", "a=", "a; ", "'a', ", "-b "):
        began = time.process_time()
        mask([head + pump * (5_000 // len(pump))])
        small = time.process_time() - began
        began = time.process_time()
        mask([head + pump * (20_000 // len(pump))])
        assert time.process_time() - began < 9 * max(small, 0.02), (head, pump)


def test_names_take_linear_time():
    for pump in ("Ab ", "Dear Ab ", "name: A", "a'", "I am A ", "\n"):
        began = time.process_time()
        names_in(pump * (SMALL // len(pump)))
        small = time.process_time() - began
        began = time.process_time()
        names_in(pump * (LARGE // len(pump)))
        assert time.process_time() - began < 9 * max(small, 0.01), pump


@pytest.mark.parametrize(
    "piece",
    [
        "a.",
        "1 ",
        "1-",
        "password:",
        "@",
        "A",
        "a@",
        "+1 ",
        "x=",
        "Dear Ab ",
        "::",
        "eyJ",
        "DE12 ",
        "\\",
        "\\u",
        r"\n\"",
        "%4",
        "mysql ",
        "curl -u ",
        "password: |\n ",
        "password:\n- a1b2\n",
        " -a",
        "A_",
        "x_pass",
        "auth=(",
        "Authorization: ",
    ],
)
def test_long_hostile_texts_take_linear_time(piece: str):
    def cpu_s(length: int) -> float:
        began = time.process_time()
        mask([piece * (length // len(piece))])
        return time.process_time() - began

    assert cpu_s(40_000) < 24 * max(cpu_s(5_000), 0.005), "8 times the text takes 64 times as long when quadratic"
