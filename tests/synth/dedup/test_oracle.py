"""Blocks, bands and increments change nothing: the answer is that of comparing everything with everything."""

import random
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.dedup import Index, Reason, deduplicate
from synth.dedup.index import NEAR
from synth.dedup.reading import read
from synth.dedup.sameness import compare, overlap
from synth.dedup.spelling import normal_form

SUBJECTS = st.sampled_from(["The farmer", "the  farmer", "A miller", "Old Anna", "Tom"])
VERBS = st.sampled_from(["buys", "purchases", "sells", "never buys", "counts"])
AMOUNTS = st.sampled_from(["12", "12", "twelve", "15", "1,200", "1200", "x+1", "1+x"])
THINGS = st.sampled_from(["red apples", "red apple", "green pears", '"red" apples'])
ENDS = st.sampled_from(["on 3 days at the market by the river.", "on three days at the market.", "at the market gate."])


@st.composite
def sentence(draw):
    parts = [draw(part) for part in (SUBJECTS, VERBS, AMOUNTS, THINGS, ENDS)]
    return " ".join(parts) if draw(st.integers(0, 9)) else " ".join(parts[1:3])


def by_comparing_everything(texts):
    kept, answer = [], []
    readings = [read(text) for text in texts]
    for number, text in enumerate(texts):
        same = [k for k in kept if text.strip() and normal_form(texts[k]) == normal_form(text)]
        likeness = {k: compare(readings[k], readings[number]) for k in kept}
        near = {k: found.overlap for k, found in likeness.items() if found.difference is None and found.overlap >= NEAR}
        if same:
            answer.append((same[0], 1.0, Reason.EXACT))
        elif near:
            best = max(near, key=lambda k: (near[k], -k))
            answer.append((best, near[best], Reason.NEAR))
        else:
            kept.append(number)
            answer.append(None)
    return answer


@given(st.lists(sentence(), max_size=25))
@settings(max_examples=60, deadline=None)
def test_as_comparing_everything(texts):
    assert Index().add_many(texts) == by_comparing_everything(texts)


@given(st.lists(sentence(), max_size=20), st.integers(0, 20))
@settings(max_examples=30, deadline=None)
def test_increments_are_the_batch(texts, cut):
    index = Index()
    answer = index.add_many(texts[:cut]) + [index.add(text) for text in texts[cut:]]
    assert answer == Index().add_many(texts)
    assert len(index) == sum(match is None for match in answer)


@given(sentence(), sentence())
@settings(max_examples=100, deadline=None)
def test_comparison_is_symmetric_and_bounded(one, other):
    left, right = read(one), read(other)
    assert compare(left, right) == compare(right, left)
    assert 0 <= overlap(left, right) <= 1
    assert overlap(left, left) == 1


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_and_repeats_itself(text):
    done = deduplicate([text, text])
    assert done.kept == ((0,) if text.strip() else (0, 1))


def large_block(seed):
    rng = random.Random(seed)
    words = [f"{a}{b}{c}" for a in "bdfg" for b in "aeo" for c in ("lin", "mor", "tus")]
    texts = []
    for _ in range(300):
        if texts and rng.random() < 0.3:
            copied = rng.choice(texts).split(" ")
            copied[rng.randrange(8, len(copied))] = rng.choice(words)
            texts.append(" ".join(copied))
        else:
            texts.append("Take 14 bags and 6 boxes of the following: " + " ".join(rng.sample(words, 18)))
    return texts


def test_a_large_block_is_searched_by_minhash_without_false_matches():
    texts = large_block(3)
    found, oracle = Index().add_many(texts), by_comparing_everything(texts)
    wanted = {n for n, match in enumerate(oracle) if match}
    got = {n for n, match in enumerate(found) if match}
    assert len(wanted) > 50
    assert got <= wanted
    assert len(got) >= 0.97 * len(wanted)


def test_the_same_order_gives_the_same_answer():
    texts = large_block(4)
    assert deduplicate(texts) == deduplicate(texts)


class LetterEmbedder:
    """Embeds a text as its counts of letter pairs."""

    def embed(self, texts):
        rows = np.zeros((len(texts), 729), np.float32)
        for row, text in enumerate(texts):
            letters = [max(0, ord(c) - 96) if "a" <= c <= "z" else 0 for c in text.lower()]
            for a, b in pairwise(letters):
                rows[row, 27 * a + b] += 1
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.where(norms == 0, 1, norms)


def test_meaning_merges_rewordings_but_never_changed_quantities():
    base = "Explain why the old lighthouse photographer kept a detailed log of passing ships."
    reworded = "Explain why the old lighthouse photography kept detailed logs of the passing ships."
    other = base.replace("lighthouse", "windmill")
    story = "Explain why the old keeper kept 12 logs of 40 ships that were passing the lighthouse."
    changed = story.replace("40", "41")
    done = deduplicate([base, reworded, story, changed, other], semantic=LetterEmbedder(), cosine=0.85, near=0.95)
    assert done.kept == (0, 2, 3, 4)
    assert done.duplicates[0].reason is Reason.SEMANTIC
    assert deduplicate([base, reworded], near=0.95).kept == (0, 1)


def test_meaning_alone_never_merges_texts_with_numbers():
    class Alike:
        def embed(self, texts):
            return np.ones((len(texts), 1), np.float32)

    one = "Anna has 12 apples and 3 baskets; how many fit in one basket?"
    other = "A wall of 12 bricks gets 3 layers of paint; what remains unpainted?"
    assert deduplicate([one, other], semantic=Alike()).kept == (0, 1)


def test_equal_golds_let_meaning_speak_for_equal_numbers():
    class Alike:
        def embed(self, texts):
            return np.ones((len(texts), 1), np.float32)

    one = "Anna has 12 apples and 3 baskets; how many fit in one basket?"
    other = "Shared among 3 crates, how many of the 12 fruits would each crate get?"
    ordered = "Of 12 fruits, shared among 3 crates, how many would each crate get?"
    assert deduplicate([one, ordered], semantic=Alike(), golds=["4", "4"]).kept == (0,)
    assert deduplicate([one, ordered], semantic=Alike(), golds=["4", "5"]).kept == (0, 1)
    assert deduplicate([one, ordered], semantic=Alike()).kept == (0, 1)
    assert deduplicate([one, other], semantic=Alike(), golds=["4", "4"]).kept == (0, 1)


def test_meaning_found_in_bulk_is_meaning_found_one_by_one():
    rng = random.Random(5)
    words = ["lamp", "river", "stone", "cloud", "garden", "window", "forest", "bridge", "candle", "mirror", "feather"]
    texts = []
    for _ in range(200):
        chosen = rng.sample(words, 7)
        texts.append("Describe how the " + " and the ".join(chosen) + " came to be where they are.")
        texts.append(texts[-1].replace("lamp", "lamps").replace("stone", "stony").replace("cloud", "clouded"))
    bulk = Index(semantic=LetterEmbedder(), near=0.99)
    answer = bulk.add_many(texts[:150]) + bulk.add_many(texts[150:])
    single = Index(semantic=LetterEmbedder(), near=0.99)
    assert answer == [single.add(text) for text in texts]
    assert sum(match is not None and match.reason is Reason.SEMANTIC for match in answer) > 20
