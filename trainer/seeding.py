"""Seeds that are hashes of what they are for, so that no order of events changes them."""

from __future__ import annotations

import hashlib


def step_seed(seed: int, step: int, process: int = 0) -> int:
    """A 63-bit seed that is a hash of its arguments."""
    digest = hashlib.blake2b(f"{seed}/{step}/{process}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1
