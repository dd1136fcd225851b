"""When two names of a lineage are the same: spelling, revisions and sizes make no other family of weights."""

from __future__ import annotations

import re
import unicodedata

_AFTER = re.compile(r"[@:#(].*", re.DOTALL)
_SUFFIX = re.compile(r"(?:[\s._/-]+(?:(?:v|rev|revision|r)[\s._-]?\d[\d.]*|\d+(?:\.\d+)?[bm]|main|latest))+$")


def same_lineage(one: str, other: str) -> bool:
    """Whether two names mean one family of weights: case, spaces, signs, width, a revision and a size say nothing.

    >>> same_lineage("Qwen", " qwen@main"), same_lineage("smol_lm 2", "SmolLM2-135M"), same_lineage("qwen", "llama")
    (True, True, False)
    """
    return _key(one) == _key(other)


def _key(name: str) -> str:
    plain = unicodedata.normalize("NFKC", name).casefold().strip()
    bare = _SUFFIX.sub("", _AFTER.sub("", plain).strip())
    return "".join(filter(str.isalnum, bare)) or plain
