"""Patches: unified differences between two sets of text files, written and applied without a file system.

Covered: paths that leave the repository, links, binary files, renames, sizes, carriage returns, files without a last
line end. A patch is applied whole or not at all.
"""

from __future__ import annotations

import difflib
import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from synth.environments.tools import ToolError

MAX_CHARACTERS = 1 << 18
"""Longest patch that is read."""
MAX_FILES, MAX_TEXT = 200, 1 << 20
"""Most files of a repository after a patch, and their characters in all."""
NO_NEWLINE = "\\ No newline at end of file"
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_PATH = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.\- ]*(?:/[A-Za-z0-9_.][A-Za-z0-9_.\- ]*)*")

Files = Mapping[str, str]


class PatchError(ToolError):
    """A patch that cannot be applied; the message says where and why."""


class Hunk(NamedTuple):
    """What one hunk takes out and puts in, as lines with their ends, at a line of the old file counted from 0."""

    at: int
    old: list[str]
    new: list[str]


class FilePatch(NamedTuple):
    """What becomes of one file; `before` or `after` is none for one that is made or removed.

    `returns` says that the lines of the patch itself end in carriage returns, which then are not the file's.
    """

    before: str | None
    after: str | None
    hunks: list[Hunk]
    returns: bool


def placed(path: str) -> str:
    """A path within the repository in its normal form; raises `ToolError` for one that is not."""
    if len(path) > 200 or not _PATH.fullmatch(path) or ".." in path.split("/") or path == ".":
        raise ToolError(f"{path[:100]!r} is no path within the repository; give one like package/module.py")
    return posixpath.normpath(path)


def difference(before: Files, after: Files) -> str:
    """The patch that makes `after` out of `before`; empty when they are equal."""
    pieces: list[str] = []
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if old == new:
            continue
        pieces.append(f"--- {'a/' + path if old is not None else '/dev/null'}\n")
        pieces.append(f"+++ {'b/' + path if new is not None else '/dev/null'}\n")
        lines = difflib.unified_diff(_LINE.findall(old or ""), _LINE.findall(new or ""), lineterm="\n")
        for line in list(lines)[2:]:
            pieces.append(line if line.endswith("\n") else f"{line}\n{NO_NEWLINE}\n")
    return "".join(pieces)


def applied(files: Files, patch: str) -> dict[str, str]:
    """The files after a patch, all of it or nothing; raises `PatchError` for what cannot be applied."""
    result = dict(files)
    for change in parsed(patch):
        _apply(result, change)
    if len(result) > MAX_FILES or sum(map(len, result.values())) > MAX_TEXT:
        raise PatchError(f"the repository would hold more than {MAX_FILES} files or {MAX_TEXT} characters")
    return result


def parsed(patch: str) -> list[FilePatch]:
    """The changes that a patch asks for; an empty patch asks for none."""
    if len(patch) > MAX_CHARACTERS:
        raise PatchError(f"the patch has {len(patch)} characters; at most {MAX_CHARACTERS} are read")
    if "\0" in patch or re.search(r"^(GIT binary patch|Binary files )", patch, re.MULTILINE):
        raise PatchError("the patch holds a binary file; only text can be patched")
    if found := re.search(r"^(rename|copy) (from|to) ", patch, re.MULTILINE):
        raise PatchError(f"the patch has a {found[1]}; remove the one file and make the other")
    if re.search(r"^(new file mode|new mode|old mode|deleted file mode) (?!100644)", patch, re.MULTILINE):
        raise PatchError("the patch has links or modes; only plain text files can be patched")
    lines = patch.split("\n")
    changes, place = [], 0
    while place < len(lines):
        if lines[place].startswith("--- ") and lines[place + 1 : place + 2] and lines[place + 1].startswith("+++ "):
            change, place = _file(lines, place)
            changes.append(change)
        elif lines[place].startswith("@@"):
            raise PatchError(f"line {place + 1} of the patch: a hunk without '--- a/PATH' and '+++ b/PATH' before it")
        else:
            place += 1
    if patch.strip() and not changes:
        raise PatchError("no change in the patch: it needs '--- a/PATH', '+++ b/PATH' and '@@' lines")
    return changes


def _file(lines: list[str], place: int) -> tuple[FilePatch, int]:
    returns = lines[place].endswith("\r")
    before, after = _name(lines[place], "a/"), _name(lines[place + 1], "b/")
    if before is None and after is None:
        raise PatchError(f"line {place + 1} of the patch: names no file")
    if before is not None and after is not None and before != after:
        raise PatchError(f"the patch moves {before} to {after}; remove the one file and make the other")
    place += 2
    hunks = []
    while place < len(lines) and (found := _HUNK.match(lines[place].rstrip("\r"))):
        hunk, place = _hunk(lines, place + 1, found, after or before or "")
        hunks.append(hunk)
    return FilePatch(before, after, hunks, returns), place


def _name(line: str, prefix: str) -> str | None:
    name = line[4:].partition("\t")[0].strip()
    return None if name == "/dev/null" else placed(name.removeprefix(prefix))


def _hunk(lines: list[str], place: int, header: re.Match[str], path: str) -> tuple[Hunk, int]:
    n_old, n_new = (int(header[k]) if header[k] is not None else 1 for k in (2, 4))
    old: list[str] = []
    new: list[str] = []
    while len(old) < n_old or len(new) < n_new or (place < len(lines) and lines[place].startswith("\\")):
        line = lines[place] if place < len(lines) else None
        if line is None or (line == "" and place == len(lines) - 1):
            raise PatchError(f"{path}: hunk '{header[0]}' ends early: {len(old)} old and {len(new)} new lines of it")
        sign, text = line[:1], line[1:]
        if sign == "\\":
            _unended(lines[place - 1][:1], old, new, path)
        elif sign in (" ", "") or line == "\r":
            old.append(text + "\n")
            new.append(text + "\n")
        elif sign == "-":
            old.append(text + "\n")
        elif sign == "+":
            new.append(text + "\n")
        else:
            raise PatchError(f"{path}: line {place + 1} of the patch begins with {sign!r}, not with ' ', '-' or '+'")
        place += 1
    if len(old) != n_old or len(new) != n_new:
        raise PatchError(f"{path}: hunk '{header[0]}' holds {len(old)} old and {len(new)} new lines")
    return Hunk(max(0, int(header[1]) - (n_old > 0)), old, new), place


def _unended(sign: str, old: list[str], new: list[str], path: str) -> None:
    """Takes the line end from the last line of the side, or of both sides, that a patch says has none."""
    for side in {"-": (old,), "+": (new,)}.get(sign, (old, new)):
        if not side:
            raise PatchError(f"{path}: '{NO_NEWLINE}' follows no line")
        side[-1] = side[-1].removesuffix("\n")


def _apply(files: dict[str, str], change: FilePatch) -> None:
    path = change.after or change.before or ""
    if change.before is None and path in files:
        raise PatchError(f"{path} is there already; patch it instead of making it")
    if change.before is not None and path not in files:
        raise PatchError(f"there is no file {path} to patch")
    text = files.get(path, "")
    lines = _LINE.findall(text)
    shift = 0
    for hunk in change.hunks:
        old, new = hunk.old, hunk.new
        if change.returns and "\r\n" not in text:
            old, new = _without_returns(old), _without_returns(new)
        at = _position(lines, old, hunk.at + shift, path)
        lines[at : at + len(old)] = new
        shift = at - hunk.at + len(new) - len(old)
    if change.after is None:
        if lines:
            raise PatchError(f"{path} is removed, but {len(lines)} of its lines are not in the patch")
        del files[path]
    else:
        files[path] = "".join(lines)


def _without_returns(lines: list[str]) -> list[str]:
    return [line[:-2] + "\n" if line.endswith("\r\n") else line for line in lines]


def _position(lines: list[str], old: list[str], at: int, path: str) -> int:
    """Where a hunk's old lines stand: where it says, else at the only other place."""
    if lines[at : at + len(old)] == old and at <= len(lines):
        return at
    found = list(_places(lines, old)) if old else []
    if len(found) == 1:
        return found[0]
    if len(found) > 1:
        raise PatchError(f"{path}: the hunk for line {at + 1} fits at {len(found)} places; give more lines around it")
    wrong = next((k for k, line in enumerate(old) if lines[at + k : at + k + 1] != [line]), 0)
    there = lines[at + wrong].rstrip("\n")[:80] if at + wrong < len(lines) else "the end of the file"
    said = old[wrong].rstrip("\n")[:80] if old else "nothing"
    raise PatchError(f"{path}: does not apply: line {at + wrong + 1} is {there!r}, the patch expects {said!r}")


def _places(lines: list[str], old: list[str]) -> Iterator[int]:
    return (k for k in range(len(lines) - len(old) + 1) if lines[k : k + len(old)] == old)
