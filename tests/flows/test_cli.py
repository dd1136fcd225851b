"""The command line's frame: what it loads, and that every verb explains itself."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {"torch", "transformers", "trl", "prefect", "duckdb", "pyarrow", "sympy", "scipy", "numpy", "datasets"}


def loaded_by(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; import sys; print(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return {name.split(".")[0] for name in done.stdout.split()}


def test_the_command_line_starts_without_heavy_imports():
    assert loaded_by("import flows.cli.app") & HEAVY == set()


def test_settings_and_configuration_load_no_torch_and_no_orchestrator():
    assert loaded_by("import flows.settings, trainer.config") & {"torch", "prefect", "duckdb", "trl"} == set()


def verbs() -> list[str]:
    from flows.cli.app import app

    return sorted(command.name for command in app.registered_commands) + sorted(
        group.name for group in app.registered_groups
    )


@pytest.mark.parametrize("verb", verbs())
def test_every_verb_has_a_line_of_help_and_an_example(verb):
    from typer.testing import CliRunner

    from flows.cli.app import app

    shown = CliRunner().invoke(app, [verb, "--help"])
    assert shown.exit_code == 0
    assert verb in {group.name for group in app.registered_groups} or "Example:" in shown.output


PLAIN = {"COLUMNS": "60", "NO_COLOR": "1", "TERM": "dumb", "LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0"}
"""A terminal of 60 columns, without colour and without UTF-8."""


@pytest.mark.parametrize("verb", verbs())
def test_help_fits_60_columns_without_colour_or_utf_8(verb, monkeypatch):
    import io

    from flows.cli import boundary

    raw = io.BytesIO()
    for name, value in PLAIN.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    monkeypatch.setattr(sys, "argv", ["gradatim", verb, "--help"])
    with pytest.raises(SystemExit) as ended:
        boundary.main()
    sys.stdout.flush()
    assert ended.value.code == 0
    shown = raw.getvalue().decode("ascii")
    assert max(len(line) for line in shown.splitlines()) <= 60
    assert "\x1b" not in shown


def test_json_stays_json_where_the_terminal_cannot_say_its_characters(monkeypatch):
    import io
    import json

    from flows.cli.output import print_json

    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii", errors="backslashreplace"))
    print_json({"prompt": "é … 𝒙"})
    sys.stdout.flush()
    assert json.loads(raw.getvalue()) == {"prompt": "é … 𝒙"}


def test_a_server_that_is_gone_is_one_line_and_other_faults_are_told_apart(monkeypatch, capsys):
    import httpx

    import flows.cli.app
    from flows.cli import boundary

    def gone():
        raise httpx.ConnectError("All connection attempts failed")

    monkeypatch.setattr(flows.cli.app, "app", gone)
    with pytest.raises(SystemExit) as ended:
        boundary.main()
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "what is committed stays" in said

    def broken():
        raise ZeroDivisionError

    monkeypatch.setattr(flows.cli.app, "app", broken)
    with pytest.raises(SystemExit) as ended:
        boundary.main()
    said = capsys.readouterr().err
    assert (ended.value.code, said.count("\n")) == (1, 1)
    assert "ZeroDivisionError" in said
    assert "what is committed stays" not in said


def test_no_help_text_holds_brackets_that_rich_would_take_for_markup():
    from flows.cli.app import app

    def texts(command):
        import typing

        yield command.callback.__doc__ or ""
        for hint in typing.get_type_hints(command.callback, include_extras=True).values():
            yield from (getattr(extra, "help", None) or "" for extra in getattr(hint, "__metadata__", ()))

    found = [text for command in app.registered_commands for text in texts(command)]
    found += [t for g in app.registered_groups for c in g.typer_instance.registered_commands for t in texts(c)]
    assert [text for text in found if "[" in text] == []


def test_a_table_keeps_values_under_their_headers_and_turns_into_blocks_where_it_would_not_fit(capsys, monkeypatch):
    from flows.cli.output import print_table

    monkeypatch.setenv("COLUMNS", "80")
    print_table([{"group": "all", "pass@1": 0.5, "tokens": 4.0}, {"group": "rev", "tokens": 5.5}])
    header, _, first, second = [line for line in capsys.readouterr().out.splitlines() if line.strip()][-4:]
    assert second.index("5.5") >= header.index("tokens") - 1
    assert first.index("0.5") < second.index("5.5")
    print_table([{f"a long name {i}": i for i in range(20)}])
    shown = capsys.readouterr().out.splitlines()
    assert [line.split("│")[0].strip() for line in shown if "│" in line] == [f"a long name {i}" for i in range(20)]
    print_table([{f"a long name {i}": i for i in range(20)}] * 70)
    printed = capsys.readouterr()
    assert printed.out.count("a long name 19") == 60
    assert "first 60 of 70 rows" in printed.err
    print_table([], title="children")
    assert capsys.readouterr().out.strip() == "children: no rows"
