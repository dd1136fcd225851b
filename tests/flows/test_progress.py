"""Progress where there is no terminal: lines with the rate and what is left, and none for what is over at once."""

from __future__ import annotations

import re

from flows.progress import Progress, following


def test_long_work_says_its_rate_and_what_is_left(capsys, monkeypatch):
    monkeypatch.setattr("flows.progress.EVERY_S", 0.0)
    with Progress("sample", total=4) as progress:
        progress.to(2, "70 tokens")
    [line] = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"sample: 2/4 [0-9.e+]+/s, [0-9]+ s left 70 tokens", line)


def test_work_of_unknown_size_names_no_size(capsys, monkeypatch):
    monkeypatch.setattr("flows.progress.EVERY_S", 0.0)
    with Progress("grow", total=0) as progress:
        progress.to(257)
    [line] = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"grow: 257 [0-9.e+]+/s", line)


def test_work_that_is_over_at_once_says_nothing(capsys):
    with Progress("sample", total=4) as progress:
        progress.to(4)
    assert capsys.readouterr().err == ""


def test_work_that_learns_late_how_much_there_is_is_followed(capsys, monkeypatch):
    monkeypatch.setattr("flows.progress.EVERY_S", 0.0)
    with following("check") as tell:
        assert capsys.readouterr().err == ""
        for done in (1, 2):
            tell(done, 2)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[1] for line in lines] == ["1/2", "2/2"]
    with following("check"):
        pass
    assert capsys.readouterr().err == "", "nothing was done"
