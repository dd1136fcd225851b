"""A labelled table of how secrets are spelt and of what only looks like one: each row holds."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from synth.syntax import tree_of
from synth.traces import mask

TABLE = Path(__file__).parent / "spellings"


def _rows(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (TABLE / name).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("row", _rows("leaks.jsonl"), ids=lambda row: f"{row['kind']}: {row['text']!r:.60}")
def test_no_spelling_leaks_and_what_stands_beside_it_stays(row: dict[str, object]):
    text, hide, stay = str(row["text"]), row["hide"], row["stay"]
    assert isinstance(hide, list)
    assert isinstance(stay, list)
    for dressed, plain in ((text, True), (json.dumps({"seen": text}), False), (f"$ cat it\n{text}\n\n12 apples", True)):
        found = mask([dressed]).texts
        assert not [secret for secret in hide if secret in found[0] or json.dumps(secret)[1:-1] in found[0]]
        assert not [word for word in stay if word not in found[0]] or not plain
        assert mask(found).texts == found


@pytest.mark.parametrize("row", _rows("keepers.jsonl"), ids=lambda row: f"{row['kind']}: {row['text']!r:.60}")
def test_what_only_looks_like_a_secret_stays(row: dict[str, object]):
    text = str(row["text"])
    assert mask([text]).texts == (text,)
    assert mask([json.dumps({"seen": text})]).texts == (json.dumps({"seen": text}),)


def test_a_program_with_secrets_still_parses_when_they_are_masked():
    program = (
        'password = b"marigold"\nsecret = """mari\ngold"""\nkeys = {"api_key": "q7-rt", "n": 3}\n'
        "def go(pw: str = 'x', api_key='marigold'):\n    return login('bob', password='mari\\'gold', retries=2)\n"
    )
    found = mask([program]).texts[0]
    assert "marigold" not in found
    assert ast.dump(tree_of(found)).count("SECRET_") == 5


def test_a_secret_is_masked_wherever_it_comes_again():
    said = ["PASSWORD=swordfish", "I typed swordfish and it said so", "swordfishes swim"]
    assert mask(said).texts == ("PASSWORD=[SECRET_1]", "I typed [SECRET_1] and it said so", "swordfishes swim")
    assert mask(["pwd: admin", "the admin page"]).texts == ("pwd: [SECRET_1]", "the admin page")
