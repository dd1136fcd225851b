"""What a vLLM server gains over sampling in the trainer's own process, its new weights included.

    python -m trainer.served smollm served/ && (start vLLM on served/, see docs/guides/training.md)
    python benchmarks/served_sampling.py --json --server http://127.0.0.1:8000 [--policy smollm] [--prompts 8]

Both sample `--prompts` x 8 completions of up to `--tokens` tokens of one policy in float32, in turn, `--rounds` times
after one round that is not counted. The server's time holds writing the weights and having them reloaded. `apart` is
how far, in nats a token, its log-probabilities lie from the policy's own. Wall seconds: run it on idle cores.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import torch
from quiet import quiet

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from trainer import policies
from trainer.rollout import decode
from trainer.served import ServedPolicy, gaps_of

GROUP = 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--server", required=True)
    parser.add_argument("--policy", default="smollm")
    parser.add_argument("--home", default=".bench/served_sampling")
    parser.add_argument("--prompts", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    quiet()
    torch.set_num_threads(1)
    policy = policies.load(args.policy, Path(args.home))
    prompts = policy.encode([f"What is {n} + {n + 3}? Think step by step." for n in range(args.prompts)])
    how = {"n": GROUP, "temperature": 1.0, "max_tokens": args.tokens, "end_ids": policy.end_ids}
    rates: dict[str, list[float]] = {"here": [], "served": []}
    publishing: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        server = ServedPolicy(args.server, Path(folder))
        for number in range(args.rounds + 1):
            began = time.perf_counter()
            rows = decode(policy.model, prompts, pad_id=policy.tokenizer.pad_token_id, **how)
            here = sum(len(row.ids) for row in rows) / (time.perf_counter() - began)
            began = time.perf_counter()
            server.publish(policy.model)
            published = time.perf_counter() - began
            rows = server.decode(prompts, seed=number, **how)
            there = sum(len(row.ids) for row in rows) / (time.perf_counter() - began)
            print(f"round {number}: {here:.0f} tokens/s here, {there:.0f} served", file=sys.stderr, flush=True)
            if number:
                rates["here"].append(here)
                rates["served"].append(there)
                publishing.append(published)
    gaps = [gap for place, row in enumerate(rows) for gap in gaps_of(policy.model, prompts[place // GROUP], row)]
    here, there = median(rates["here"]), median(rates["served"])
    print(json.dumps({
        "policy": args.policy, "completions": args.prompts * GROUP, "tokens_per_s": {"here": here, "served": there},
        "ratio_over_own_sampling": round(there / here, 2), "publishing_s": round(median(publishing), 2),
        "apart": round(sum(gaps) / len(gaps), 6),
    }))  # fmt: skip


if __name__ == "__main__":
    main()
