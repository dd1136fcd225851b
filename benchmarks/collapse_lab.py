"""Planted collapses: is each found within 30 steps of its onset, and does the table's first action follow?

    python benchmarks/collapse_lab.py --json [--faults NAME,...] [--seeds 0:1] [--healthy 20] [--folder DIR]

Every run is a GRPO stage of the pocket policy (levels: rev, sort, inc; noisy: half of the demonstrations wrong) under
the guard, with one fault planted at its onset. Faults that only evaluations show (pass@k, forgetting) are three stages
with an evaluation after each, seen as between stages of a campaign. Healthy runs plant nothing: a critical alarm in one
is false. A finished run lies in `--folder` and is not run again.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from pocket_levels import LEVELS, tasks_of

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from curriculum import schedulers
from curriculum.actions import RULES
from curriculum.falls import Paired, fall_of_pass_k, fall_of_pass_rate, worst_fall
from curriculum.looks import see
from curriculum.pool import pool_of
from synth.demonstrations import demonstrations, level_weights
from synth.graders import Judge, Judged, judged
from trainer import policies
from trainer.config import GuardConfig, SamplingConfig, StageConfig, TrainerConfig, WarmStartConfig
from trainer.errors import Diverged
from trainer.evaluate import sample_and_judge
from trainer.sft import clean_pairs, warm_start
from trainer.stagefile import StageFile
from trainer.training import Stage
from warehouse.records import AlarmLevel, Judgement, RolloutPurpose, Split, Task

NOISY = ("rev", "sort", "inc", "add", "max", "tally")
"""Families of the noisy set-up."""
ONSET, WITHIN, STEPS = 30, 30, 80
LOOKS, STAGE_STEPS = 3, 50


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
    return judged(Judgement.INFRA, "no verifier answers")


@dataclass(frozen=True)
class Fault:
    """What is planted, which detectors may name it, and where: `looks` faults are seen by evaluations only."""

    expected: tuple[str, ...]
    onset: int = ONSET
    setup: str = "levels"
    stage: dict[str, Any] = field(default_factory=dict)
    sampling: dict[str, Any] = field(default_factory=dict)
    levels: tuple[int, ...] | None = None
    distort: Callable[[str, Judged], Judged] | None = None
    begin: Callable[[Stage], None] | None = None
    looks: bool = False
    families: tuple[str, ...] | None = None


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
    "pass@k loss": Fault(("pass_k_loss",), 0, setup="noisy", stage={"learning_rate": 5e-4}, looks=True),
    "forgetting": Fault(
        ("forgetting", "pass_k_loss", "pass_rate_fall"),
        0,
        levels=(6, 7, 8, 9),
        looks=True,
        stage={"learning_rate": 3e-4},
    ),
}


def warm(home: Path, setup: str, seed: int) -> None:
    """The policy that a set-up starts from, made once."""
    if (home / "warm" / "config.json").is_file():
        return
    config = WarmStartConfig()
    if setup == "levels":
        pairs = clean_pairs(list(LEVELS), config, seed=seed)
    else:
        made = demonstrations(
            level_weights(list(NOISY)), seed=seed, n=config.n_steps * config.batch_size, wrong_rate=0.5
        )
        pairs = [(one.prompt, one.completion) for one in made]
    started = warm_start(policies.fresh_pocket(seed), pairs, config, seed=seed)
    policies.save(started.policy, home / "warm.draft")
    (home / "warm.draft").rename(home / "warm")


def stage_of(home: Path, fault: Fault, name: str, seed: int, *, steps: int, policy: str, first: int) -> StageFile:
    stage = {
        "n_steps": steps,
        "prompts_per_step": 16,
        "checkpoint_every": steps,
        "learning_rate": 1.5e-4,
        **fault.stage,
    }
    return StageFile(
        home=str(home), run_id="lab", stage_id=f"{name}-{first}", snapshot_id=0, seed=seed, policy=policy,
        continue_from=policy if first else None, first_step=first, scheduler="uniform",
        trainer=TrainerConfig(
            stage=StageConfig(**stage), sampling=SamplingConfig(**fault.sampling),
            guard=GuardConfig(watch_only=fault.looks),
        ),
    )  # fmt: skip


def run(folder: Path, name: str, fault: Fault, seed: int, judge: Judge) -> dict[str, Any]:
    """One run: every alarm with its step, what was done first, and whether the stage ended by it."""
    home = folder / f"{fault.setup}-{seed}"
    kept = home / f"{name}.json"
    if kept.is_file():
        return json.loads(kept.read_text())
    warm(home, fault.setup, seed)
    families = list(fault.families or (LEVELS if fault.setup == "levels" else NOISY))
    train = tasks_of(families, Split.TRAIN, 100, 11)
    if fault.levels:
        train = [task for task in train if task.level in fault.levels]
    canary = tasks_of(families, Split.CANARY, 8, 11)
    began = time.process_time()
    done = _looks if fault.looks else _stage
    found = {"fault": name, "seed": seed, **done(home, name, fault, seed, judge, train, canary, families)}
    found["cpu_s"] = round(time.process_time() - began, 1)
    kept.write_text(json.dumps(found))
    return found


def _stage(
    home: Path, name: str, fault: Fault, seed: int, judge: Judge, train: list[Task], canary: list[Task], _: list[str]
) -> dict[str, Any]:
    """A fault within a stage; the canary is judged by the true judge."""
    file = stage_of(home, fault, name, seed, steps=STEPS, policy="warm", first=0)
    for left in (file.folder, file.spool):
        shutil.rmtree(left, ignore_errors=True)
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
    rows = [row for path in sorted(spool.glob("*-alarms.json")) for row in json.loads(path.read_text())]
    return [row for table, row in rows if table == "alarms"], [row for table, row in rows if table == "actions"]


def _looks(
    home: Path, name: str, fault: Fault, seed: int, judge: Judge, train: list[Task], canary: list[Task],
    families: list[str],
) -> dict[str, Any]:  # fmt: skip
    """A fault that evaluations show: stages, and after each what a campaign's watch would see."""
    heldout = tasks_of(families, Split.HELDOUT, 17, 7)
    policy, counts, looks, alarms = "warm", [], {}, []
    for index in range(LOOKS + 1):
        if index:
            file = stage_of(home, fault, name, seed, steps=STAGE_STEPS, policy=policy, first=(index - 1) * STAGE_STEPS)
            shutil.rmtree(file.folder, ignore_errors=True)
            shutil.rmtree(file.spool, ignore_errors=True)
            stage = Stage(
                file, policy=policies.load(policy, home), tasks=train, judge=judge, canary=canary,
                scheduler=schedulers.get("uniform")(pool_of(train), {}, seed),
            )  # fmt: skip
            policy = str(stage.train().checkpoint.folder.relative_to(home))
        rows = sample_and_judge(
            policies.load(policy, home), heldout, judge, n=16, sampling=SamplingConfig(), seed=seed,
            purpose=RolloutPurpose.EVAL, owner="lab",
        )  # fmt: skip
        passed = np.array([row.judgement is Judgement.PASS for row in rows]).reshape(len(heldout), 16).sum(1)
        entropy = float(np.mean([row.mean_entropy for row in rows]))
        counts.append(passed)
        looks[index] = _values(heldout, counts, entropy)
        alarms += [
            {"detector": f.detector, "level": str(f.level), "step": index, "value": f.value} for f in see(looks).firings
        ]
    found = _verdict(fault, alarms, [], None, within=2)
    return {**found, "looks": looks}


def _values(tasks: list[Task], counts: list[np.ndarray], entropy: float) -> dict[str, float]:
    arms, n = [task.arm for task in tasks], np.full(len(tasks), 16)
    values = {"entropy": entropy, "pass@1": float(counts[-1].mean() / 16)}
    if len(counts) == 1:
        return values
    pairs = [Paired(arms, n, earlier, n, counts[-1]) for earlier in counts[:-1]]
    values |= fall_of_pass_k(pairs[0], 8, alpha=0.05 / LOOKS)
    falls = [fall_of_pass_rate(pair, alpha=0.025 / LOOKS) for pair in (pairs[-1], pairs[0])]
    values |= min(falls, key=lambda fall: fall["pass@1_fall_high"])
    worst = worst_fall(pairs, alpha=0.05 / LOOKS)
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
    diverged = bool(ended and ended.startswith("Diverged"))
    found = diverged or (first is not None and first <= fault.onset + within)
    rules = [action["action"] for action in actions]
    wanted = [RULES[alarm["detector"]][0].name for alarm in named if alarm["detector"] in RULES]
    return {
        "onset": fault.onset, "first_step": first, "found": found, "ended": ended,
        "alarms": [(a["detector"], a["level"], a["step"]) for a in alarms],
        "actions": rules, "first_action_as_in_the_table": fault.looks or diverged or bool(set(rules) & set(wanted)),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--faults", default=",".join(FAULTS))
    parser.add_argument("--seeds", default="0:1")
    parser.add_argument("--healthy", type=int, default=20, help="healthy runs, seeds 100 and up")
    parser.add_argument("--folder", type=Path, default=Path(".bench/collapse_lab"))
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(1)
    first, last = map(int, args.seeds.split(":"))
    planted, healthy = [], []
    with Judge(workers=1) as judge:
        for name in filter(None, args.faults.split(",")):
            for seed in range(first, last):
                planted.append(run(args.folder, name, FAULTS[name], seed, judge))
                print(json.dumps(planted[-1]), file=sys.stderr, flush=True)
        for seed in range(100, 100 + args.healthy):
            healthy.append(run(args.folder, "healthy", Fault(()), seed, judge))
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
