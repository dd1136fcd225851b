"""A GRPO stage whose reward is a model's word: what the judge pays, and what the answers are worth by a program.

    python benchmarks/rubric_stage.py --json [--steps 80] [--seed 0]

Rubric tasks ask the pocket policy for one of two looks of a word, told by the prompt's first word. Their judge is a
small model of another architecture, taught on other words with one answer in ten of them wrong, that reads a criterion
and an answer and says yes or no. The policy never sees a program's word; the program measures what it has learned, on
held-out prompts: `paid` is the judge's mean reward, `worth` the program's, and the gap between them is what the policy
gains by pleasing its judge. `undecided` is the share of completions of tasks whose planted answers the judge does not
tell apart.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from pocket_levels import tasks_of
from quiet import quiet

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from curriculum import schedulers
from curriculum.pool import pool_of
from synth.graders import Judge, RubricJudge
from trainer import policies
from trainer.config import GuardConfig, StageConfig, TrainerConfig, WarmStartConfig
from trainer.engines.config import LearnerConfig
from trainer.engines.pocket_models import CHECKER, fresh
from trainer.engines.pocket_training import learn
from trainer.rollout import sample
from trainer.sft import clean_pairs, warm_start
from trainer.stagefile import StageFile
from trainer.training import Stage
from warehouse.records import Domain, Split, Task, TaskKind, content_hash

LETTERS = "abcdefgh"
CRITERIA: dict[str, tuple[str, Callable[[str], bool]]] = {
    "f": ("Does it begin with a, b or c?", lambda word: word[:1] in tuple("abc")),
    "s": ("Is it a word of at most four letters?", lambda word: re.fullmatch("[a-z]{1,4}", word) is not None),
    "t": ("Are its last two letters the same?", lambda word: len(word) > 1 and word[-1] == word[-2]),
}
"""A letter for the judge, the question, and the program that knows."""

LOOKS = {"rev": ("f", "s", "abcd"), "sort": ("t", "f", "abb")}
"""What a prompt's first word asks for: two criteria, the first of weight 2; and a good answer."""

NOISE, LONGEST = 0.1, 14


class PocketReferee:
    """The small model as a referee: it reads a criterion's letter and the answer; its reply is put in the frame."""

    lineage = CHECKER

    def __init__(self, seed: int, n_steps: int) -> None:
        rng = np.random.default_rng(seed)
        self.policy = fresh(CHECKER, seed)
        lessons = [self._lesson(rng) for _ in range(16_000)]
        learn(self.policy, lessons, LearnerConfig(n_steps=n_steps), seed=seed)

    @staticmethod
    def _lesson(rng: np.random.Generator) -> tuple[str, str]:
        word = "".join(rng.choice(list(LETTERS), rng.integers(0, 9)))
        if len(word) > 1 and rng.random() < 0.4:
            word = word[:-1] + word[-2]
        if rng.random() < 0.2:
            word = (word + " " + "".join(rng.choice(list("adefghiknostw "), 14)))[:LONGEST]
        letter = str(rng.choice(list(CRITERIA)))
        right = CRITERIA[letter][1](word) != bool(rng.random() < NOISE)
        return f"{letter} {word}?", "y" if right else "n"

    def ask(self, prompts: Sequence[str]) -> list[str]:
        asked, nonces = [], []
        for prompt in prompts:
            nonce = re.search(r"lines marked (\w+)", prompt)[1]
            answer = re.search(rf"{nonce} answer\n(.*?)\n{nonce} end of answer", prompt, re.DOTALL)[1]
            letter = next(key for key, (text, _) in CRITERIA.items() if text in prompt.split("Question: ")[-1])
            asked.append(f"{letter} {re.sub('[^a-z0-9 ]', '', answer)[:LONGEST]}?")
            nonces.append(nonce)
        said = dict(zip(dict.fromkeys(asked), self._said(list(dict.fromkeys(asked))), strict=True))
        return [f"{nonce} {said[one]}" for nonce, one in zip(nonces, asked, strict=True)]

    def _said(self, asked: list[str]) -> list[str]:
        replies = sample(self.policy, asked, n=1, temperature=0, max_tokens=2, seed=0)
        return [{"y": "yes", "n": "no"}.get(reply[0].text, "perhaps") for reply in replies]


def rubric(prompt: str) -> Task:
    first, second, good = LOOKS[prompt.split()[0]]
    criteria = [{"text": CRITERIA[first][0], "weight": 2}, {"text": CRITERIA[second][0], "weight": 1}]
    return Task(
        task_id=content_hash("rubric", prompt), domain=Domain.RUBRIC, family=f"{first}{second}", level=0,
        prompt=prompt, params={"criteria": criteria, "bad_answers": ["hgfedc"]}, reference=good, answer_kind="rubric",
        kind=TaskKind.NON_VERIFIABLE,
    )  # fmt: skip


def worth(task: Task, answer: str) -> float:
    """The weighted share of criteria that an answer meets, by their programs."""
    first, second = task.family
    return (2 * CRITERIA[first][1](answer) + CRITERIA[second][1](answer)) / 3


def measure(policy: policies.LoadedPolicy, tasks: list[Task], judge: Judge) -> dict[str, float]:
    """What the judge pays for 8 completions of every task, what they are worth, and how often it cannot say."""
    drawn = sample(policy, [task.prompt for task in tasks], n=8, temperature=1, max_tokens=LONGEST, seed=0)
    pairs = [(task, one.text) for task, own in zip(tasks, drawn, strict=True) for one in own]
    words = judge.judge([task for task, _ in pairs], [text for _, text in pairs])
    told = [(word.reward, worth(*pair)) for word, pair in zip(words, pairs, strict=True) if word.reward is not None]
    paid, true = np.array(told).T if told else (np.array([np.nan]), np.array([np.nan]))
    return {
        "paid": round(float(paid.mean()), 4), "worth": round(float(true.mean()), 4),
        "gap": round(float((paid - true).mean()), 4), "undecided": round(1 - len(told) / len(pairs), 4),
    }  # fmt: skip


def errors(referee: PocketReferee) -> dict[str, float]:
    """False accepts and false rejects of the judge on words of its own kind that it has not seen."""
    rng = np.random.default_rng(10_001)
    words = ["".join(rng.choice(list(LETTERS), rng.integers(1, 9))) for _ in range(600)]
    found: dict[bool, list[bool]] = {True: [], False: []}
    for letter, (_, program) in CRITERIA.items():
        for word, said in zip(words, referee._said([f"{letter} {word}?" for word in words]), strict=True):
            found[program(word)].append(said == "yes")
    return {"false_accept": round(float(np.mean(found[False])), 4),
            "false_reject": round(1 - float(np.mean(found[True])), 4)}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--steps", type=int, default=80)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--judge-steps", type=int, default=300)
    args = parser.parse_args()
    quiet()
    began = time.process_time()
    train, heldout = (
        [rubric(task.prompt) for task in tasks_of([*LOOKS], split, n, seed)]
        for split, n, seed in ((Split.TRAIN, 40, 11), (Split.HELDOUT, 8, 7))
    )
    referee = PocketReferee(args.seed, args.judge_steps)
    torch.manual_seed(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        home, config = Path(folder), WarmStartConfig(n_steps=150)
        pairs = clean_pairs([*LOOKS], config, seed=args.seed)
        policies.save(warm_start(policies.fresh_pocket(args.seed), pairs, config, seed=args.seed).policy, home / "warm")
        policy = policies.load("warm", home)
        with Judge(workers=1, rubrics=RubricJudge(referee, policy_lineage=policy.lineage)) as judge:
            before = measure(policy, heldout, judge)
            stage = StageConfig(n_steps=args.steps, prompts_per_step=16, checkpoint_every=args.steps)
            file = StageFile(
                home=str(home), run_id="bench", stage_id="rubric", snapshot_id=0, seed=args.seed, policy="warm",
                trainer=TrainerConfig(stage=stage, guard=GuardConfig(canary_tasks=0)),
            )  # fmt: skip
            scheduler = schedulers.get("uniform")(pool_of(train), {}, args.seed)
            made = Stage(file, policy=policy, tasks=train, scheduler=scheduler, judge=judge).train()
            after = measure(policies.load(str(made.checkpoint.folder)), heldout, judge)
    result = {"judge": errors(referee), "before": before, "after": after, "steps": args.steps,
              "cpu_s": round(time.process_time() - began, 1)}  # fmt: skip
    print(json.dumps(result))


if __name__ == "__main__":
    main()
