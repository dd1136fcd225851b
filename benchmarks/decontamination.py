"""Recall of decontamination on reworded GSM8K test items, and false alarms against its training split.

    python benchmarks/decontamination.py --json [--corpora DIR] [--no-embedder]

The alternative is the cosine of the same embeddings alone, at the threshold with the same false-alarm rate.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from synth.decontaminate import Benchmark, Match
from synth.dedup import Embedder

ROOT = Path(__file__).resolve().parent.parent


class Remembering:
    """An embedder that embeds each text once."""

    def __init__(self, inner: Embedder) -> None:
        self._inner, self._known = inner, dict[str, NDArray[np.float32]]()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known |= dict(zip(new, self._inner.embed(new), strict=True))
        return np.stack([self._known[text] for text in texts])


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]


def figures(name: str, found: Sequence[Match], n: int, alarms: Sequence[Match], n_clean: int) -> dict[str, float]:
    return {
        f"{name}_recall": round(sum(m.index == m.benchmark_index for m in found) / n, 4),
        f"{name}_false_positive_rate": round(len(alarms) / n_clean, 5),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--no-embedder", action="store_true")
    parser.add_argument(
        "--corpora", type=Path, default=os.environ.get("GRADATIM_CORPORA", ROOT.parent / "shared" / "data")
    )
    options = parser.parse_args()

    items = [row["question"] for row in rows(options.corpora, "gsm8k_test.jsonl")]
    clean = [row["question"] for row in rows(options.corpora, "gsm8k_train.jsonl")]
    reworded = [
        row["text"].removeprefix("Question: ").rpartition("\nAnswer:")[0]
        for row in rows(options.corpora, "gsm8k_test_rephrased.jsonl")
    ]
    out: dict[str, float] = {"n_items": len(items), "n_clean": len(clean)}
    begin = time.process_time()
    lexical = Benchmark(items)
    out |= figures("lexical", lexical.find(reworded), len(reworded), lexical.find(clean), len(clean))
    out["lexical_cpu_s"] = round(time.process_time() - begin, 2)
    ngrams = Benchmark(items, reworded=float("inf"))
    out |= figures("ngram13", ngrams.find(reworded), len(reworded), ngrams.find(clean), len(clean))
    if not options.no_embedder:
        from trainer.embedder import SentenceEmbedder

        embedder = Remembering(SentenceEmbedder())
        semantic = Benchmark(items, semantic=embedder)
        alarms = semantic.find(clean)
        out |= figures("semantic", semantic.find(reworded), len(reworded), alarms, len(clean))
        benchmark, texts = embedder.embed(items), embedder.embed(clean)
        threshold = np.quantile((texts @ benchmark.T).max(axis=1), 1 - len(alarms) / len(clean))
        alone = ((embedder.embed(reworded) * benchmark).sum(axis=1) >= threshold).mean()
        out["cosine_alone_recall"] = round(float(alone), 4)
        out["recall_vs_cosine_alone"] = round(out["semantic_recall"] / float(alone), 4)
    if not options.json:
        print("decontamination against GSM8K test")
    print(json.dumps(out, indent=None if options.json else 2))


if __name__ == "__main__":
    main()
