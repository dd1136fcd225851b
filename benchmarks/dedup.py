"""Deduplication of synthetic prompts: time, memory, growth, planted pairs, and the named alternatives.

    python benchmarks/dedup.py --json [--n 1000000] [--base 100000] [--equal 20000]

`datasketch` and `semhash` are measured in the same run, on the same prompts, when they are installed.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import resource
import time
from collections.abc import Callable, Sequence

import numpy as np
from prompts import Planted, planted

from synth.dedup import deduplicate
from synth.dedup.spelling import normal_form

Kept = dict[int, int]
"""For every text the one kept in its place."""


def ours(texts: Sequence[str]) -> Kept:
    done = deduplicate(texts)
    return {number: number for number in done.kept} | {d.index: d.kept for d in done.duplicates}


def by_datasketch(texts: Sequence[str]) -> Kept:
    """datasketch's documented pipeline: MinHash of word shingles, LSH at Jaccard .7, first match is kept."""
    from datasketch import MinHash, MinHashLSH

    lsh = MinHashLSH(threshold=0.7, num_perm=128)
    kept: Kept = {}
    for number, text in enumerate(texts):
        words = normal_form(text).split(" ")
        shingles = {" ".join(words[start : start + 3]) for start in range(max(1, len(words) - 2))}
        sketch = MinHash(num_perm=128)
        sketch.update_batch([shingle.encode() for shingle in shingles])
        matches = lsh.query(sketch)
        kept[number] = min(matches) if matches else number
        if not matches:
            lsh.insert(number, sketch)
    return kept


def by_semhash(texts: Sequence[str]) -> Kept:
    """semhash's documented pipeline at its default threshold, with a static model."""
    from semhash import SemHash

    first: dict[str, int] = {}
    for number, text in enumerate(texts):
        first.setdefault(text, number)
    result = SemHash.from_records(records=list(texts), model=_static_model()).self_deduplicate(threshold=0.9)
    kept = {number: first[text] for number, text in enumerate(texts)}
    for found in result.filtered:
        if found.duplicate_of is not None:
            kept[first[found.record]] = first[found.duplicate_of]
    return kept


def _static_model() -> object:
    """MiniLM's token vectors as a static model: what semhash's own default downloads, without a download."""
    from model2vec import StaticModel
    from tokenizers import Tokenizer

    from trainer.embedder import SentenceEmbedder

    embedder = SentenceEmbedder()
    embedder.embed(["warm"])
    transformer = embedder._loaded[0].auto_model
    vectors = transformer.get_input_embeddings().weight.detach().numpy().astype(np.float32)
    tokenizer = Tokenizer.from_str(embedder._loaded.tokenizer.backend_tokenizer.to_str())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return StaticModel(vectors=vectors - vectors.mean(axis=0), tokenizer=tokenizer, normalize=True)


def quality(prompts: Planted, kept: Kept) -> dict[str, float]:
    """Precision over everything merged that was planted, recall over the planted duplicates."""

    def root(number: int) -> int:
        while kept[number] != number:
            number = kept[number]
        return number

    hit = sum(root(one) == root(other) for one, other, _ in prompts.same)
    wrong = sum(root(one) == root(other) for one, other, _ in prompts.different)
    return {
        "recall": hit / max(1, len(prompts.same)),
        "precision": hit / max(1, hit + wrong),
        "planted_same": len(prompts.same),
        "planted_different": len(prompts.different),
    }


def timed(run: Callable[[Sequence[str]], Kept], texts: Sequence[str]) -> tuple[Kept, float, float]:
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    kept = run(texts)
    return kept, time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--n", type=int, default=1_000_000)
    parser.add_argument("--base", type=int, default=100_000)
    parser.add_argument("--equal", type=int, default=20_000)
    options = parser.parse_args()

    out: dict[str, object] = {}
    small = planted(options.base, seed=1)
    _, _, base_cpu = timed(ours, small.texts)
    large = planted(options.n, seed=2)
    kept, wall, cpu = timed(ours, large.texts)
    out |= {
        "n": options.n,
        "wall_s": round(wall, 2),
        "cpu_s": round(cpu, 2),
        "peak_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
        "n_kept": sum(number == root for number, root in kept.items()),
        "base_n": options.base,
        "base_cpu_s": round(base_cpu, 2),
        "growth_vs_linear": round(cpu / base_cpu / (options.n / options.base), 3),
        **quality(large, kept),
    }
    equal = planted(options.equal, seed=3)
    mine, _, my_cpu = timed(ours, equal.texts)
    out["equal_n"], out["equal_cpu_s"] = options.equal, round(my_cpu, 2)
    out["equal_recall"] = quality(equal, mine)["recall"]
    for name, run in (("datasketch", by_datasketch), ("semhash", by_semhash)):
        if importlib.util.find_spec(name) is None:
            out[name] = "not installed"
            continue
        theirs, _, their_cpu = timed(run, equal.texts)
        found = quality(equal, theirs)
        out |= {
            f"{name}_cpu_s": round(their_cpu, 2),
            f"{name}_recall": round(found["recall"], 4),
            f"{name}_precision": round(found["precision"], 4),
            f"speed_vs_{name}": round(their_cpu / my_cpu, 2),
        }
    if not options.json:
        print("deduplication of synthetic prompts")
    print(json.dumps(out, indent=None if options.json else 2))


if __name__ == "__main__":
    main()
