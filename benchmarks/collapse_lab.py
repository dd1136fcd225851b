"""Planted collapses: is each found within 30 steps of its onset, and does the table's first action follow?

    python benchmarks/collapse_lab.py --json [--faults NAME,...] [--seeds 0:1] [--healthy 200:220] [--folder DIR]

Every run is a GRPO stage of the pocket policy in one of its two set-ups under the guard,
with one fault planted at its onset. Faults that only evaluations show (pass@k, forgetting) are stages with an
evaluation after each, seen and answered as between stages of a campaign. Healthy runs plant nothing, and are stages of
both set-ups in turn: a critical alarm in one is false. A finished run lies in `--folder` and is not run again.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import transformers
from pocket_setups import CANARY, SETUPS, warm
from quiet import quiet

from curriculum import schedulers
from curriculum.actions import ladder
from curriculum.falls import Paired, fall_of_pass_k, fall_of_pass_rate, worst_fall
from curriculum.knobs import Settings
from curriculum.looks import respond, see
from curriculum.pool import pool_of
from synth.graders import Judge, Judged, judged
from trainer import policies
from trainer.config import GuardConfig, SamplingConfig, StageConfig, TrainerConfig
from trainer.errors import Diverged
from trainer.evaluate import choose, sample_and_judge
from trainer.stagefile import StageFile
from trainer.training import Stage
from warehouse.records import AlarmLevel, Judgement, RolloutPurpose, Split, Task

ONSET, WITHIN, STEPS = 20, 30, 60
"""Step at which most faults begin, steps within which they must be found, and steps of a run."""
STAGE_STEPS, HELDOUT = 30, 288
"""Steps of a stage that is looked at after, and held-out tasks of a look."""
HOMES = 2
"""Policies that the healthy runs of a set-up start from."""


class Words:
    """A judge between the true one and the stage; `distort` may change a word once the fault has begun."""

    def __init__(self, judge: Judge, distort: Callable[[str, Judged], Judged] | None = None) -> None:
        self.judge_truly, self.distort, self.begun = judge.judge, distort, False

    def judge(
        self, tasks: Sequence[Task], completions: Sequence[str], *, truncated: Sequence[bool] | None = None
    ) -> list[Judged]:
        words = self.judge_truly(tasks, completions, truncated=truncated)
        if not self.begun or self.distort is None:
            return words
        return [self.distort(text, word) for text, word in zip(completions, words, strict=True)]


class Onset(transformers.TrainerCallback):
    """Lets the fault begin at a step."""

    def __init__(self, at: int, begin: Callable[[Stage], None]) -> None:
        self.at, self.begin, self.stage, self.done = at, begin, None, False

    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.global_step >= self.at and not self.done:
            self.done = True
            self.begin(self.stage)


def poison(stage: Stage) -> None:
    """One weight's gradient is not a number from here on."""
    weight = next(iter(stage.trainer.model.parameters()))
    weight.register_hook(lambda gradient: gradient * math.nan)


def hole(text: str, word: Judged) -> Judged:
    """A grader that pays for any completion that begins with an `a` or a `1`."""
    return replace(word, reward=1.0) if text.startswith(("a", "1")) else word


def longer(text: str, word: Judged) -> Judged:
    """A grader that pays by length."""
    return replace(word, reward=min(1.0, len(text) / 14))


def outage(text: str, word: Judged) -> Judged:
    """A verifier that does not answer."""
    return judged(Judgement.INFRA, "no verifier answers")


def stale(stage: Stage) -> None:
    """The sampling process gets no new weights from here on, and nothing bounds the age of what it sends."""
    stage.rollouts.publish = lambda model, step: None


@dataclass(frozen=True)
class Fault:
    """What is planted, and which detectors may name it.

    `looks`: stages with an evaluation after each; 0 for faults that the guard sees within one stage.
    """

    expected: tuple[str, ...]
    onset: int = ONSET
    setup: str = "levels"
    stage: dict[str, Any] = field(default_factory=dict)
    sampling: dict[str, Any] = field(default_factory=dict)
    levels: tuple[int, ...] | None = None
    distort: Callable[[str, Judged], Judged] | None = None
    begin: Callable[[Stage], None] | None = None
    looks: int = 0


FAULTS: dict[str, Fault] = {
    "rate x 3": Fault(("pass_rate_gap", "pass_rate_fall", "gradient"), 0, stage={"learning_rate": 9e-4}),
    "entropy explosion": Fault(
        ("entropy_surge", "pass_rate_gap"), 0, stage={"learning_rate": 3e-4, "entropy_coef": 0.1}
    ),
    "NaN gradients": Fault(("gradient",), begin=poison),
    "verifier outage": Fault(("infrastructure",), distort=outage),
    "reward hacking": Fault(("hidden_tests", "pass_rate_gap"), distort=hole),
    "length runaway": Fault(("length", "hidden_tests", "pass_rate_gap"), distort=longer),
    "dead pool": Fault(("zero_variance",), 0, levels=(8, 9)),
    "duplicate sampling": Fault(("duplicates",), 0, sampling={"temperature": 0.01}),
    "stale sampler": Fault(
        ("staleness",), sampling={"staleness": 100, "queue_batches": 1}, begin=stale, stage={"learning_rate": 3e-4}
    ),
    "pass@k loss": Fault(("pass_k_loss",), 0, setup="noisy", stage={"learning_rate": 5e-4}, looks=3),
    "forgetting": Fault(("forgetting",), 0, levels=(6, 7, 8, 9), looks=3, stage={"learning_rate": 3e-4}),
}
HEALTHY = (
    Fault((), stage={"learning_rate": 1.5e-4}, looks=2),
    Fault((), stage={"learning_rate": 3e-4}, looks=2),
    Fault((), setup="noisy", stage={"learning_rate": 1.5e-4}, looks=2),
)
"""Runs in which nothing is planted: no alarm of theirs may be critical."""


def stage_of(home: Path, fault: Fault, name: str, seed: int, *, steps: int, policy: str, first: int) -> StageFile:
    """A stage from `first` on; what an earlier try of it left is removed."""
    values = {"n_steps": steps, "checkpoint_every": 10, "prompts_per_step": 16, "learning_rate": 1.5e-4}
    file = StageFile(
        home=str(home), run_id="lab", stage_id=f"{name}-{seed}-{first}", snapshot_id=0, seed=seed, policy=policy,
        continue_from=policy if first else None, first_step=first, scheduler="uniform",
        trainer=TrainerConfig(
            stage=StageConfig(**values | fault.stage), sampling=SamplingConfig(**fault.sampling),
            guard=GuardConfig(canary_tasks=CANARY, watch_only=fault.looks > 0),
        ),
    )  # fmt: skip
    for left in (file.folder, file.spool):
        shutil.rmtree(left, ignore_errors=True)
    return file


def run(folder: Path, name: str, fault: Fault, seed: int, judge: Judge, *, start: int | None = None) -> dict[str, Any]:
    """One run from the policy of seed `start`: every alarm with its step, what was done, and how the stage ended."""
    home = folder / f"{fault.setup}-{seed if start is None else start}"
    kept = home / f"{name.replace(' ', '_')}-{seed}.json"
    if kept.is_file():
        return json.loads(kept.read_text())
    home.mkdir(parents=True, exist_ok=True)
    setup, began = SETUPS[fault.setup], time.process_time()
    warm(home / "warm", setup, seed if start is None else start)
    train = setup.tasks(Split.TRAIN, 100, 11)
    if fault.levels:
        train = [task for task in train if task.level in fault.levels]
    canary = setup.tasks(Split.CANARY, 8, 11)
    done = _looks if fault.looks else _stage
    found = {"fault": name, "setup": fault.setup, "seed": seed, **done(home, name, fault, seed, judge, train, canary)}
    found["cpu_s"] = round(time.process_time() - began, 1)
    kept.write_text(json.dumps(found))
    return found


def _stage(
    home: Path, name: str, fault: Fault, seed: int, judge: Judge, train: list[Task], canary: list[Task]
) -> dict[str, Any]:
    """A fault within a stage; the canary is judged by the true judge."""
    file = stage_of(home, fault, name, seed, steps=STEPS, policy="warm", first=0)
    words = Words(judge, fault.distort)

    def begin(stage: Stage) -> None:
        words.begun = True
        if fault.begin is not None:
            fault.begin(stage)

    onset = Onset(fault.onset, begin)
    stage = Stage(
        file, policy=policies.load("warm", home), tasks=train, judge=words, callbacks=[onset], canary=canary,
        scheduler=schedulers.get("uniform")(pool_of(train), {}, seed),
    )  # fmt: skip
    onset.stage = stage
    ended = None
    try:
        ended = stage.train().reason
    except Diverged as error:
        ended = f"Diverged: {error}"
    alarms, actions = _told(file.spool)
    return _verdict(fault, alarms, actions, ended)


def _told(spool: Path) -> tuple[list[dict], list[dict]]:
    files = [*sorted(spool.glob("*-alarms.json")), *sorted(spool.glob("*-divergence.json"))]
    rows = [row for path in files for row in json.loads(path.read_text())]
    return [row for table, row in rows if table == "alarms"], [row for table, row in rows if table == "actions"]


def _looks(
    home: Path, name: str, fault: Fault, seed: int, judge: Judge, train: list[Task], canary: list[Task]
) -> dict[str, Any]:
    """A fault that evaluations show: stages, and after each what a campaign's watch would see."""
    heldout = choose(SETUPS[fault.setup].tasks(Split.HELDOUT, 20, 7), HELDOUT)
    policy, counts, looks, alarms, actions = "warm", [], {}, [], []
    for index in range(fault.looks + 1):
        if index:
            file = stage_of(home, fault, name, seed, steps=STAGE_STEPS, policy=policy, first=(index - 1) * STAGE_STEPS)
            stage = Stage(
                file, policy=policies.load(policy, home), tasks=train, judge=judge, canary=canary,
                scheduler=schedulers.get("uniform")(pool_of(train), {}, seed),
            )  # fmt: skip
            policy = str(stage.train().checkpoint.folder.relative_to(home))
            within, _ = _told(file.spool)
            alarms += [{**alarm, "detector": f"{alarm['detector']} within"} for alarm in within]
        rows = sample_and_judge(
            policies.load(policy, home), heldout, judge, n=16, sampling=SamplingConfig(), seed=seed,
            purpose=RolloutPurpose.EVAL, owner="lab",
        )  # fmt: skip
        passed = np.array([row.judgement is Judgement.PASS for row in rows]).reshape(len(heldout), 16).sum(1)
        entropy = float(np.mean([row.mean_entropy for row in rows]))
        counts.append(passed)
        looks[index] = _values(heldout, counts, entropy, fault.looks)
        seen = see(looks)
        alarms += [{"detector": f.detector, "level": f.level, "step": index, "inputs": f.inputs} for f in seen.firings]
        actions += [{"action": d.action} for d in respond(seen, (), Settings(), taken=(), n_rollbacks=0)]
    found = _verdict(fault, alarms, actions, None, within=2)
    return {**found, "looks": looks}


def _values(tasks: list[Task], counts: list[np.ndarray], entropy: float, n_looks: int) -> dict[str, float]:
    arms, n = [task.arm for task in tasks], np.full(len(tasks), 16)
    values = {"entropy": entropy, "pass@1": float(counts[-1].mean() / 16)}
    if len(counts) == 1:
        return values
    pairs = [Paired(arms, n, earlier, n, counts[-1]) for earlier in counts[:-1]]
    values |= fall_of_pass_k(pairs, 8, alpha=0.05 / n_looks)
    falls = [fall_of_pass_rate(pair, alpha=0.025 / n_looks) for pair in (pairs[-1], pairs[0])]
    values |= min(falls, key=lambda fall: fall["pass@1_fall_high"])
    worst = worst_fall(pairs, alpha=0.05 / n_looks)
    if worst is not None:
        values |= {"forgetting_worst": worst.difference, "forgetting_high": worst.high}
    return values


def _verdict(
    fault: Fault, alarms: list[dict], actions: list[dict], ended: str | None, *, within: int = WITHIN
) -> dict[str, Any]:
    """Found: a critical alarm of an expected detector at most `within` steps (looks) after the onset."""
    critical = [alarm for alarm in alarms if alarm["level"] == AlarmLevel.CRITICAL]
    named = [alarm for alarm in critical if alarm["detector"] in fault.expected]
    first = min((alarm["step"] for alarm in named), default=None)
    found = first is not None and fault.onset <= first <= fault.onset + within
    rules = [action["action"] for action in actions]
    wanted = {ladder(alarm["detector"], alarm["inputs"])[0].name for alarm in named}
    return {
        "onset": fault.onset, "first_step": first, "found": found, "ended": ended,
        "alarms": [(a["detector"], str(a["level"]), a["step"]) for a in alarms],
        "actions": rules, "first_action_as_in_the_table": bool(wanted.intersection(rules)),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--faults", default=",".join(FAULTS))
    parser.add_argument("--seeds", default="0:1")
    parser.add_argument("--healthy", default="200:220", help="seeds of the healthy runs; those under 200 set levels")
    parser.add_argument("--folder", type=Path, default=Path(".bench/collapse_lab"))
    args = parser.parse_args()
    quiet()
    seeds, healthy_seeds = (range(*map(int, text.split(":"))) for text in (args.seeds, args.healthy))
    planted, healthy = [], []
    with Judge(workers=1) as judge:
        for name in filter(None, args.faults.split(",")):
            for seed in seeds:
                planted.append(run(args.folder, name, FAULTS[name], seed, judge))
                print(json.dumps(planted[-1]), file=sys.stderr, flush=True)
        for seed in healthy_seeds:
            healthy.append(run(args.folder, "healthy", HEALTHY[seed % len(HEALTHY)], seed, judge, start=seed % HOMES))
            print(json.dumps(healthy[-1]), file=sys.stderr, flush=True)
    false = [row for row in healthy if any(level == AlarmLevel.CRITICAL for _, level, _ in row["alarms"])]
    table = {
        "planted": len(planted), "found": sum(row["found"] for row in planted),
        "answered_by_the_table": sum(row["first_action_as_in_the_table"] for row in planted),
        "healthy": len(healthy), "healthy_with_a_false_critical": len(false),
    }  # fmt: skip
    for row in planted if not args.json else ():
        print(row["fault"], row["seed"], "found" if row["found"] else "MISSED", row["first_step"], row["actions"])
    print(json.dumps({**table, "rows": planted, "false": false}))


if __name__ == "__main__":
    main()
