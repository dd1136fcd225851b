"""The pages of the documentation as text: their fenced and indented blocks, and the commands in them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "AGENTS.md", *sorted(DOCS.rglob("*.md"))]
_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```\s*$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """One fenced block: its language, its title where it has one, and its text."""

    language: str
    title: str
    body: str


def blocks(text: str) -> list[Block]:
    """Every fenced block of a page in order."""
    found = []
    for match in _FENCE.finditer(text):
        language, _, rest = match["info"].strip().partition(" ")
        title = re.search(r'title="([^"]+)"', rest)
        found.append(Block(language, title[1] if title else "", match["body"]))
    return found


def commands(text: str) -> Iterator[list[str]]:
    """The words after `gradatim` of every command line in fenced blocks, indented blocks and inline code."""
    shells = [block.body for block in blocks(text) if block.language in ("", "bash", "sh", "console")]
    prose = _FENCE.sub("", text)
    lines = [line for shell in shells for line in re.sub(r"\\\n\s*", " ", shell).splitlines()]
    lines += [line for line in prose.splitlines() if line.startswith("    ")]
    lines += re.findall(r"`(gradatim [^`]+)`", re.sub(r"\n(?!\n)", " ", prose))
    for line in lines:
        lexer = shlex.shlex(line.strip().removeprefix("$ "), posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        try:
            words = list(lexer)
        except ValueError:
            continue
        for part in _parts(words):
            while part and re.fullmatch(r"[A-Z_]+=.*", part[0]):
                part.pop(0)
            if part and part[0] in ("gradatim", ".venv/bin/gradatim"):
                yield part[1:]


def _parts(words: list[str]) -> list[list[str]]:
    """The commands of a line, apart at `&&`, `;`, `|` and `>`."""
    parts: list[list[str]] = [[]]
    for word in words:
        if re.fullmatch(r"[&;|<>]+", word):
            parts.append([])
        else:
            parts[-1].append(word)
    return parts
