"""How success scales with what an episode may cost, and how tools that were never seen are used.

    python benchmarks/agent_scaling.py --json --folder .bench/pocket_agent/200-200-0.35-0     a CPU minute
    python benchmarks/agent_scaling.py --json --family gadget --policy "warm start=DIR" --policy "trained=DIR"

Test-time scaling: two policies on the same held-out tasks under the same budget; solve rate against samples (pass@k),
turns and tokens, in one figure (`--figure`, SVG or HTML). The policies are those that `benchmarks/pocket_agent.py` left
in a folder, warm-started and trained, or any that `--policy` names. Unknown tools: two agents without a model on themes
of the train and of the held-out split; `benchmarks/agent_tools.py` measures policies. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import altair as alt
import numpy as np
from agent_lab import admitted
from quiet import quiet

from curriculum.estimates import clustered_interval, pass_at_k
from synth.environments import Budget
from synth.environments.makers import MAKERS
from synth.environments.measures import behaviour, within_tokens, within_turns
from synth.environments.running import play_all, rollout_of
from synth.environments.toolsets.making import plan_of
from synth.environments.toolsets.readers import hasty, reading
from synth.graders import Judge
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from synth.proposals import Request
from trainer import policies
from trainer.evaluate import sample_and_judge
from trainer.pocket_agent import COURSES
from warehouse.records import Judgement, Rollout, RolloutPurpose, Split, Task

Curve = list[dict[str, float | str]]


def played(policy: policies.LoadedPolicy, tasks: list[Task], judge: Judge, n: int) -> list[Rollout]:
    """`n` episodes of every task, task by task, under the budget of their family."""
    sampling = COURSES[tasks[0].family].sampling
    return sample_and_judge(
        policy, tasks, judge, n=n, sampling=sampling, seed=0, purpose=RolloutPurpose.EVAL, owner="scaling"
    )


def curves(name: str, rows: list[Rollout], n: int) -> Curve:
    """Solve rate against samples, turns and tokens."""
    right = np.array([row.judgement is Judgement.PASS for row in rows]).reshape(-1, n).sum(1)
    decided = np.full(len(right), n)
    found: Curve = []
    for k in [2**i for i in range(n.bit_length()) if 2**i <= n]:
        values = pass_at_k(decided, right, k)
        end = clustered_interval(values, range(len(values)))
        found.append({"policy": name, "against": "samples", "budget": k, "solve_rate": round(end.value, 4),
                      "low": round(end.low, 4), "high": round(end.high, 4)})  # fmt: skip
    for against, points in (("turns", within_turns(rows)), ("tokens", within_tokens(rows))):
        for point in points:
            found.append({"policy": name, "against": against, "budget": point.budget,
                          "solve_rate": round(point.solve_rate, 4)})  # fmt: skip
    return found


def drawn(rows: Curve, path: Path) -> None:
    """The three curves of both policies side by side."""
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=True)
        .encode(
            x=alt.X("budget:Q", title=None), y=alt.Y("solve_rate:Q", scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("policy:N", legend=alt.Legend(orient="top", title=None)),
        )
        .properties(width=220, height=180)
        .facet(column=alt.Column("against:N", title="solve rate against", sort=["samples", "turns", "tokens"]))
        .resolve_scale(x="independent")
    )  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    chart.save(str(path))


def unknown_tools(n: int) -> dict[str, dict[str, object]]:
    """Each agent's behaviour on tasks whose themes are of the train split, and of the held-out one."""
    maker, tasks = MAKERS.get("toolset"), list[Task]()
    found: dict[str, dict[str, object]] = {}
    with Judge(workers=1) as judge:
        for level in maker.levels:
            admission = Admission("bench", judge, Novelty(), checks=maker.checks(judge.pool))
            batches = admit(maker.made(Request("toolset", level, n, 5), judge.pool), maker.generator, admission)
            tasks += [task for batch in batches for task in batch.accepted]
        for name, agent in (("reading", reading), ("hasty", hasty)):
            for seen, split in (("seen", Split.TRAIN), ("unseen", Split.HELDOUT)):
                own = [task for task in tasks if task.split is split]
                ends = play_all(
                    own, lambda task, agent=agent: agent(), judge.pool, budget=Budget(calls=16), clock=time.monotonic
                )
                rows = [rollout_of(one, policy_id=name, owner="bench", slot=i) for i, one in enumerate(ends)]
                needed = {task.task_id: frozenset(json.loads(step)["name"] for step in plan_of(task)) for task in own}
                told = behaviour(rows, needed)._asdict()
                found[f"{name}/{seen}"] = {
                    key: round(value, 4) if isinstance(value, float) else value for key, value in told.items()
                }
    return found


def main() -> None:
    """Prints tables, and one JSON object last."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="nothing but the JSON object")
    parser.add_argument("--folder", type=Path, help="a seed's folder of benchmarks/pocket_agent.py")
    parser.add_argument("--figure", type=Path, help="where to draw the curves, .svg or .html")
    parser.add_argument("--samples", type=int, default=16)
    parser.add_argument("--per-level", type=int, default=8)
    parser.add_argument("--n", type=int, default=60, help="attempts at unknown tools a level")
    parser.add_argument("--policy", action="append", default=[], help="NAME=FOLDER of a policy; twice for two")
    parser.add_argument("--family", default="snippet", help="family of agent tasks that the policies play")
    options = parser.parse_args()
    quiet()
    rows: Curve = []
    shown: dict[str, object] = {}
    named = [tuple(one.split("=", 1)) for one in options.policy]
    if options.folder is not None:
        trained = sorted(options.folder.glob("checkpoints/hidden-*/checkpoint-*"))[-1]
        named += [("warm start", str(options.folder / "warm")), ("trained", str(trained))]
    if named:
        with Judge(workers=1) as judge:
            tasks = admitted(
                options.family, options.per_level, lambda task: task.split is Split.HELDOUT, seed=7, judge=judge
            )
            for name, folder in named:
                own = played(policies.load(folder), tasks, judge, options.samples)
                rows += curves(name, own, options.samples)
                shown[name] = {
                    key: round(value, 4) if isinstance(value, float) else value
                    for key, value in behaviour(own)._asdict().items()
                }
        if options.figure is not None:
            drawn(rows, options.figure)
    tools = unknown_tools(options.n)
    if not options.json:
        for name, told in {**shown, **tools}.items():
            print(f"{name:16} {told}")
    print(json.dumps({"policies": shown, "curves": rows, "unknown_tools": tools}))


if __name__ == "__main__":
    main()
