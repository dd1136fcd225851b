"""Tasks that a pocket writer proposes and a pocket checker admits: how many are wrong, by the families' programs.

python benchmarks/model_verification.py --json [--seeds 3] [--proposals 4608]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from flows.campaign import CampaignConfig, CampaignIds
from flows.settings import Settings
from flows.steps import written
from flows.workshop import workshop
from trainer.engines.config import WritingConfig

SHOWN = (
    "n_proposals",
    "n_well_formed",
    "n_duplicates",
    "n_examined",
    "wrong_rate",
    "n_admitted",
    "n_admitted_wrong",
    "admitted_wrong_rate",
    "admitted_wrong_high",
    "false_accept_rate",
    "false_reject_rate",
    "yield_rate",
)


def measure(seed: int, writing: WritingConfig) -> dict[str, object]:
    """One seed in a warehouse of its own: both ways to verify, and the CPU time of all of it."""
    config = CampaignConfig(seed=seed, writing=writing)
    ids = CampaignIds(campaign=f"model-verification-{seed}", baseline="")
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder))
        with workshop(settings, flow="model_verification", config={}, campaign_id=ids.campaign) as shop:
            written.write_tasks(shop, config, ids)
            found = {str(row["verification"]): row for row in written.figures(shop, ids.campaign)}
    figures = {way: {name: row[name] for name in SHOWN} for way, row in found.items()}
    return {"seed": seed, "cpu_s": round(time.process_time() - began, 1), **figures}


def main() -> None:
    """Measures each seed and prints them, one JSON object last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print nothing but JSON")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--proposals", type=int, default=4608)
    arguments = parser.parse_args()
    writing = WritingConfig(n_proposals=arguments.proposals)
    rows = []
    for seed in range(arguments.seeds):
        rows.append(measure(seed, writing))
        if not arguments.json:
            print(json.dumps(rows[-1]), flush=True)
    print(json.dumps({"seeds": rows}))


if __name__ == "__main__":
    main()
