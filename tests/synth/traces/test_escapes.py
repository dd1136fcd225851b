"""Secrets within JSON within strings, in addresses of the web, in HTML and between what cannot be seen."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.traces import mask
from synth.traces.escapes import decoded

TOLD = (
    ("password", "hunter2x"), ("email", "ann@example.org"), ("name", "Ada Lovelace"), ("card", "4111 1111 1111 1111"),
    ("k", "AKIAIOSFODNN7EXAMPLE"), ("iban", "DE89370400440532013000"), ("phone", "415.867.5309"),
    ("ip", "10.20.30.40"), ("text", "Regards,\nAda Lovelace"), ("id", "123-45-6789"),
)  # fmt: skip
UNSEEN = "\u200b\u200d\u2060\ufeff\u00ad\u034f\ufe0f\u115f\u3164\u2800\U000e0041"
SHOWN = (
    ("deadbeef99", "https://x.example.net/?sig=deadbeef99%2Fabc%3D&se=2020"),
    ("dXNlcjpwYXNz", "Authorization: Basic dXNlcjpwYXNz"),
    ("XXXXXXXX", "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"),
    ("Zm9vYmFy", "AccountKey=Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4abc123=="),
    ("swordfish", "my password is swordfish"), ("swordfish", "Passwort: swordfish"),
    ("swordfish", "contrase\u00f1a: swordfish"), ("swordfish", "mot de passe : swordfish"),
    ("s3cretpw", "tool --password s3cretpw"), ("s3cretpw", "curl -u bob:s3cretpw https://x.org"),
    ("s3cretpw", "<password>s3cretpw</password>"), ("s3cretpw", "**Password:** s3cretpw"),
    ("hunter2x", "password%3Dhunter2x"), ("hunter2x", "password&#58; hunter2x"), ("ann", "ann&#x40;example.org"),
    ("ann", r'{"e": "ann\u0040example.org"}'), ("ann", "ann AT example DOT org"),
    ("45 67", "joignez-moi au 06 12 45 67 89"), ("12345678", "0049 30 12345678"), ("2b3c", "MAC 001a.2b3c.4d5e"),
    ("3704", "DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000"), ("1111", "4111\u30001111\u20071111\u20001111"),
)  # fmt: skip


@pytest.mark.parametrize("deep", [1, 2, 3, 4])
@pytest.mark.parametrize(("key", "value"), TOLD)
def test_json_within_strings_hides_nothing(key: str, value: str, deep: int):
    text: object = {key: value, "n": 12}
    for _ in range(deep):
        text = json.dumps(text)
    _gone(value.split("\n")[-1], str(text))
    lines: object = {"text": f"see\n{value if key == 'text' else f'{key}: {value}'}\nn is 12"}
    for _ in range(deep):
        lines = json.dumps(lines)
    _gone(value.split("\n")[-1], str(lines))


def _gone(value: str, text: str) -> None:
    found = mask([text]).texts
    assert not any(part in found[0] for part in (value, *value.split(" ")))
    assert "12" in found[0]
    assert mask(found).texts == found


@pytest.mark.parametrize("unseen", list(UNSEEN))
@pytest.mark.parametrize("secret", ["ann@example.org", "AKIAIOSFODNN7EXAMPLE", "4111111111111111", "10.20.30.40"])
def test_what_cannot_be_seen_hides_nothing_written_or_escaped(secret: str, unseen: str):
    for dressed in (
        unseen.join(secret),
        json.dumps(unseen.join(secret)),
        json.dumps({"a": json.dumps(secret[:4] + unseen + secret[4:])}),
    ):
        left = mask([dressed]).texts[0]
        assert secret[-4:] not in left.replace(unseen, "")
        assert "_1]" in left


@pytest.mark.parametrize(("secret", "text"), SHOWN)
def test_each_dress_is_seen_through(secret: str, text: str):
    found = mask([text]).texts
    assert secret not in found[0]
    assert mask(found).texts == found


@settings(max_examples=100, deadline=None)
@given(st.text(st.sampled_from("ab1 \n\"'\\u0n%4&#;x\u200b"), max_size=60))
def test_each_letter_read_has_its_place_and_masking_is_idempotent(text: str):
    view = decoded(text)
    if view is not None:
        assert len(view.text) == len(view.starts) == len(view.ends)
        assert all(start < end for start, end in zip(view.starts, view.ends, strict=True))
        assert all(end <= start for end, start in zip(view.ends, view.starts[1:], strict=False))
    once = mask([text]).texts
    assert mask(once).texts == once


def test_the_address_of_a_page_is_read():
    view = decoded(quote("user=ann@example.org", safe=""))
    assert view is not None
    assert view.text == "user=ann@example.org"


def test_many_names_are_masked_in_one_pass():
    text = "".join(f"Dear Ab{chr(97 + i % 26)}{chr(97 + i // 26)},\\n" for i in range(200))
    found = mask([text])
    assert found.counts["NAME"] == 200
    assert "Ab" not in found.texts[0]
