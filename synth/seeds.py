"""Random streams by content: item RNG = hash(family, version, seed, index), so neighbouring seeds share nothing."""

from __future__ import annotations

import random

from warehouse.records import JsonValue, content_hash


def stream(*parts: JsonValue) -> random.Random:
    """An RNG whose state is a hash of `parts`.

    >>> stream("add", 1, 0, 1).random() == stream("add", 1, 1, 0).random()
    False
    """
    return random.Random(int(content_hash(*parts), 16))
