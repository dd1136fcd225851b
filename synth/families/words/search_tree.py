"""A search tree's post-order: by building the tree, checked by splitting the list of insertions."""

from __future__ import annotations

import random
import re

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain


@family("search_tree", version=1, domain=Domain.MATH, levels=range(3, 10))
class SearchTree:
    """Post-order of a binary search tree after `level` insertions of different letters."""

    def generate(self, rng: random.Random, level: int) -> Item:
        letters = rng.sample("abcdefghijklmnop", level)
        children: dict[str, dict[bool, str]] = {letter: {} for letter in letters}
        for letter in letters[1:]:
            node = letters[0]
            while (letter > node) in children[node]:
                node = children[node][letter > node]
            children[node][letter > node] = letter

        def post_order(node: str) -> str:
            return "".join(post_order(children[node][side]) for side in (False, True) if side in children[node]) + node

        question = (
            f"The letters {' '.join(letters)} are inserted in this order into an empty binary search tree, without "
            "balancing. Write its post-order traversal without spaces."
        )
        return asked(question, post_order(letters[0]), "text")

    def solve(self, item: Item) -> str | None:
        found = re.search(r"The letters ([a-p ]+) are inserted", item.prompt)
        if not found:
            return None

        def split(letters: list[str]) -> list[str]:
            if not letters:
                return []
            root, *rest = letters
            return split([x for x in rest if x < root]) + split([x for x in rest if x > root]) + [root]

        return boxed("".join(split(found[1].split())))
