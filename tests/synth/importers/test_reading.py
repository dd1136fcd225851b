"""Lines that are no JSON a warehouse can hold end the reading, named by their number; what came before stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from synth.importers.reading import read_rows

GOOD = b'{"a": "x"}\n'
BAD = [
    b'{"a": NaN}',
    b'{"a": [1, {"b": -Infinity}]}',
    b'{"a": Infinity}',
    b'{"a": "\\ud800"}',
    b'{"\\uDFFF": 1}',
    b'{"a": "\\udc00\\ud800"}',
    b'{"a": "\xff"}',
    b'{"a": ' + b"[" * 100_000,
    b'{"a": ' + b"9" * 5000 + b"}",
    b"[1]",
    b"null",
    b"{",
]


@pytest.mark.parametrize("line", BAD, ids=lambda line: repr(line[:24]))
def test_a_line_that_cannot_be_kept_ends_the_reading(tmp_path: Path, line: bytes) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(GOOD + line + b"\n" + GOOD)
    raw = read_rows(file)
    assert raw.rows == [(1, {"a": "x"})]
    assert raw.error is not None
    assert f"{file}:2 is " in str(raw.error)


def test_whole_pairs_escaped_and_not_are_read_alike(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b'\xef\xbb\xbf{"a": "\\ud83d\\ude00"}\r\n\r\n{"a": "\xf0\x9f\x98\x80"}')
    raw = read_rows(file)
    assert raw.error is None
    assert [row for _, row in raw.rows] == [{"a": "\U0001f600"}] * 2
