"""A torn line ends the reading, named by its number; one that no warehouse can hold is refused alone."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from synth.importers.reading import read_lines, read_rows
from warehouse.errors import UserError

GOOD = b'{"a": "x"}\n'
TORN = [
    b'{"a": "\xff"}',
    b"[1]",
    b"null",
    b"{",
]
UNKEPT = {
    b'{"a": NaN}': "NaN is no JSON number",
    b'{"a": [1, {"b": -Infinity}]}': "-Infinity is no JSON number",
    b'{"a": 1e999}': "a number beyond all floats",
    b'{"a": [-1E400]}': "a number beyond all floats",
    b'{"a": 12.5e-999}': "a number beyond all floats",
    b'{"a": "\\ud800"}': "half a character",
    b'{"\\uDFFF": 1}': "half a character",
    b'{"a": "\\udc00\\ud800"}': "half a character",
    b'{"a": ' + b"[" * 100_000: "nested too deep",
    b'{"a": ' + b"9" * 5000 + b"}": "a number of too many digits",
}


@pytest.mark.parametrize("line", TORN, ids=lambda line: repr(line[:24]))
def test_a_line_that_is_no_object_of_json_ends_the_reading(tmp_path: Path, line: bytes) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(GOOD + line + b"\n" + GOOD)
    raw = read_rows(file)
    assert raw.rows == [(1, {"a": "x"})]
    assert raw.error is not None
    assert f"{file}:2 is " in str(raw.error)


@pytest.mark.parametrize("line", UNKEPT, ids=lambda line: repr(line[:24]))
def test_a_line_that_cannot_be_kept_is_refused_and_the_next_one_read(tmp_path: Path, line: bytes) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(GOOD + line + b"\n" + GOOD)
    raw = read_rows(file)
    assert raw.rows == [(1, {"a": "x"}), (2, UNKEPT[line]), (3, {"a": "x"})]
    assert raw.error is None
    assert read_lines(file).rows == [{"a": "x"}, UNKEPT[line], {"a": "x"}]


def test_whole_pairs_escaped_and_not_are_read_alike(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b'\xef\xbb\xbf{"a": "\\ud83d\\ude00"}\r\n\r\n{"a": "\xf0\x9f\x98\x80"}')
    raw = read_rows(file)
    assert raw.error is None
    assert [row for _, row in raw.rows] == [{"a": "\U0001f600"}] * 2


@pytest.mark.parametrize("n", [0, 1, 70_000, 3_000_000])
def test_a_gzip_is_read_in_members_to_its_end_or_to_where_it_was_cut(tmp_path: Path, n: int) -> None:
    row = b'{"a": "' + b"x" * n + b'"}\n'
    file = tmp_path / "rows.jsonl.gz"
    for packed in (gzip.compress(row * 3), gzip.compress(row) * 3, gzip.compress(row) * 3 + b"\0" * 512):
        file.write_bytes(packed)
        whole = read_rows(file)
        assert (len(whole.rows), whole.error) == (3, None)
    file.write_bytes(gzip.compress(row) * 2 + gzip.compress(row)[:-9])
    cut = read_rows(file)
    assert len(cut.rows) in (2, 3)
    assert "ends early" in str(cut.error)


def test_a_gzip_that_unpacks_beyond_all_bounds_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("synth.importers.reading.MOST_BYTES", 4 << 20)
    file = tmp_path / "bomb.jsonl.gz"
    file.write_bytes(gzip.compress(b"\n" * (5 << 20)))
    for read in (read_rows, read_lines):
        with pytest.raises(UserError, match="unpacks to more than 4 MB; unpack it, split it"):
            read(file)
