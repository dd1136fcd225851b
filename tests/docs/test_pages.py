"""Every page of the site is there, every link leads somewhere, and every command in them is one that gradatim has."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

import pytest
import typer
import yaml

sys.path.insert(0, str(Path(__file__).parent))

from pages import DOCS, PAGES, ROOT, commands

AT_ONCE = {"--help", "-h", "--install-completion", "--show-completion"}
NAVIGATION = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]


def files_of(entry: object) -> list[str]:
    if isinstance(entry, dict):
        return [file for value in entry.values() for file in files_of(value)]
    return [file for one in entry for file in files_of(one)] if isinstance(entry, list) else [str(entry)]


def slug(heading: str) -> str:
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading.replace("`", "")).strip().lower())


def anchors(page: Path) -> set[str]:
    return {slug(heading) for heading in re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)}


@cache
def command_line():
    from flows.cli.app import app

    return typer.main.get_command(app)


def problem_of(words: list[str]) -> str | None:
    """Why gradatim would refuse a command line before it does anything.

    Options that act at once are only looked up; prose may leave out what a verb needs.
    """
    command = command_line()
    known = {name for param in command.get_params(typer.Context(command)) for name in param.opts}
    if AT_ONCE & {*words}:
        return None if (AT_ONCE & {*words}) <= known else "no such option"
    context, rest = command.make_context("gradatim", list(words)), list(words)
    try:
        while hasattr(command, "resolve_command"):
            rest = [*context._protected_args, *context.args]
            name, command, rest = command.resolve_command(context, rest)
            if not rest and hasattr(command, "resolve_command"):
                return None
            context = command.make_context(str(name), rest, parent=context)
    except Exception as error:
        if type(error).__name__ == "MissingParameter":
            return None
        return f"{type(error).__name__}: {error}"
    return None


def test_the_navigation_names_every_page_and_no_other():
    assert sorted(files_of(NAVIGATION)) == sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(("https://", "http://", "mailto:")):
            continue
        name, _, anchor = target.partition("#")
        other = (page.parent / name).resolve() if name else page
        assert other.is_file(), f"{page.name} links to {target}, which is not there"
        if anchor:
            assert anchor in anchors(other), f"{page.name} links to {target}, which has no such heading"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_files_that_pages_name_are_there(page):
    rooms = "flows|trainer|curriculum|synth|warehouse|benchmarks|configs|scripts|tests|docs"
    for name in re.findall(rf"`((?:{rooms})/[\w./-]+)`", page.read_text()):
        assert (ROOT / name).exists(), f"{page.name} names {name}, which is not there"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_name_verbs_and_options_that_exist(page):
    problems = {" ".join(words): problem_of(words) for words in commands(page.read_text())}
    assert {line: why for line, why in problems.items() if why} == {}


@pytest.mark.parametrize("line", ["runn", "synth --famly rev", "warehouse chekc", "diff one two", "synth --n many"])
def test_a_command_that_does_not_exist_is_found(line):
    assert problem_of(line.split()) is not None


def test_a_quoted_operator_is_no_end_of_a_command():
    text = "```\nX=1 gradatim sql 'select 1 > 0' --json | head && gradatim doctor  # why\n```\n"
    assert list(commands(text)) == [["sql", "select 1 > 0", "--json"], ["doctor"]]


def test_named_queries_and_makefile_targets_that_pages_name_exist():
    queries = {file.stem for file in (ROOT / "warehouse" / "sql").glob("*.sql")}
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in PAGES:
        named = {words[words.index("--named") + 1] for words in commands(page.read_text()) if "--named" in words}
        assert named <= queries, f"{page.name}: {named - queries}"
        made = set(re.findall(r"(?:`|^    )make ([a-z-]+)", page.read_text(), re.MULTILINE))
        assert made <= targets, f"{page.name}: {made - targets}"
