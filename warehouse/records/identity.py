"""Content identity: canonical JSON and its hash."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from blake3 import blake3
from typing_extensions import TypeAliasType

JsonValue = TypeAliasType(
    "JsonValue", "str | int | float | bool | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
)
"""Anything that JSON can say."""

HASH_HEX = 32
"""Length of an identity in hexadecimal digits: 128 bits."""


def canonical_json(value: JsonValue) -> str:
    """`value` as JSON with sorted keys and no spaces, so that equal content gives equal text.

    Raises `ValueError` for NaN and infinities, which JSON cannot say.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def content_hash(*parts: JsonValue) -> str:
    """The identity of `parts`: 32 hexadecimal digits of blake3 over their canonical JSON.

    >>> content_hash("a", 1) == content_hash("a", 1) != content_hash("a", "1")
    True
    """
    return blake3(canonical_json(list(parts)).encode("utf-8", "surrogatepass")).hexdigest()[:HASH_HEX]
