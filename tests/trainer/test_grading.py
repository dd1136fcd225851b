"""A grader stack inside a stage: parts, gates, windows, cheats, undecided graders, costs that teach nothing wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from trainer_stages import assert_in_no_term_of_the_loss, build, stage_file

from curriculum.estimates import pass_at_k
from synth.graders import Case, Grade, Judged, Kind, Params, Referee, judged, read_config
from synth.graders import grader as register
from synth.graders.grader import GRADERS
from trainer import policies, stagefile
from trainer.config import EvaluationConfig
from trainer.errors import KnobRefused
from trainer.evaluate import evaluate
from trainer.recording import outcomes
from warehouse.errors import UserError
from warehouse.records import Judgement

BRIEF = """
[weights]
quality = 1.0
cost = 0.5

[[grader]]
name = "right"
uses = "verifier"

[[grader]]
name = "short"
uses = "length"
axis = "cost"
params = { unit = "tokens", most = 8 }
"""


class Lenient:
    """A verifier with a hole: `rev` is right whatever is written; everything else as the real judge says."""

    def __init__(self, judge, cost: float = 0.0) -> None:
        self._judge, self._cost = judge, cost

    def judge(self, tasks, completions, *, truncated=None) -> list[Judged]:
        words = self._judge.judge(tasks, completions, truncated=truncated)
        words = [
            judged(Judgement.PASS) if task.family == "rev" else word for task, word in zip(tasks, words, strict=True)
        ]
        return [
            Judged(word.judgement, (word.reward or 0.0) - self._cost * min(1.0, (len(text) + 1) / 8))
            for word, text in zip(words, completions, strict=True)
        ]  # fmt: skip


def graded(file: stagefile.StageFile, text: str) -> stagefile.StageFile:
    trainer = file.trainer.model_copy(update={"graders": read_config(text)})
    return file.model_copy(update={"trainer": trainer})


def rollouts(file: stagefile.StageFile) -> list[dict]:
    found = [json.loads(path.read_text()) for path in sorted(file.spool.glob("step-*-rollouts.json"))]
    return [row for rows in found for table, row in rows if table == "rollouts"]


def groups_of(rows: list[dict], size: int) -> list[list[dict]]:
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def with_grader(name: str, kind: Kind, grade):
    """A grader for one test, registered once."""
    if name in [known.name for known in GRADERS]:
        return

    @register(name, version=1, kind=kind)
    class Planted:
        Settings = Params

        def __init__(self, params: Params, referee: Referee | None) -> None:
            pass

        def grade(self, cases: list[Case]) -> list[Grade]:
            return [grade(case) for case in cases]


def test_every_part_is_stored_and_the_reward_is_their_s(tmp_path: Path, warm_folder: Path, train_tasks, judge):
    file = graded(stage_file(tmp_path, warm_folder, n_steps=3, prompts_per_step=8), BRIEF)
    stage = build(file, train_tasks, judge)
    stage.train()
    rows = rollouts(file)
    assert len(rows) == 3 * 8 * 4
    acted = set()
    for group in groups_of(rows, 4):
        mixed = len({row["judgement"] == Judgement.PASS for row in group}) == 2
        acted.add(mixed)
        for row in group:
            short = min(1.0, row["n_tokens"] / 8)
            right = float(row["judgement"] == Judgement.PASS)
            assert row["parts"] == pytest.approx(
                {"verifier": right, "right": right, "short": short, "S/quality": right, "S/cost": short, "S/time": 0.0,
                 "S/risk": 0.0, "S/costs": float(mixed), "S": right - 0.5 * short * mixed}
            )  # fmt: skip
            assert row["reward"] == row["parts"]["S"]
            assert row["latency_s"] > 0
    assert acted == {True, False}


def test_a_window_opens_at_its_stage(tmp_path: Path, warm_folder: Path, train_tasks, judge):
    later = BRIEF + "stages = [2, 9]\n"
    seen = {}
    for index in (0, 1):
        file = graded(stage_file(tmp_path / str(index), warm_folder, n_steps=2, stage_index=index), later)
        build(file, train_tasks, judge).train()
        seen[index] = {"short" in row["parts"] for row in rollouts(file)}
    assert seen == {0: {False}, 1: {True}}


def test_a_closed_gate_leaves_nothing_of_quality(tmp_path: Path, warm_folder: Path, train_tasks, judge):
    with_grader("odd", Kind.CONSTRAINT, lambda case: Grade(float(len(case.completion) % 2 == 1)))
    text = """
[[grader]]
name = "odd"
uses = "odd"
weight = 0
gate = true

[[grader]]
name = "right"
uses = "verifier"
needs = ["odd"]
"""
    file = graded(stage_file(tmp_path, warm_folder, n_steps=2, prompts_per_step=8), text)
    build(file, train_tasks, judge).train()
    rows = rollouts(file)
    for row in rows:
        open_ = len(row["completion"]) % 2 == 1
        assert row["reward"] == float(open_ and row["judgement"] == Judgement.PASS)
    assert any(row["judgement"] == Judgement.PASS and row["reward"] == 0 for row in rows)


def test_a_cheat_is_void_stays_in_the_baseline_and_leaves_the_posterior(tmp_path, warm_folder, train_tasks, judge):
    with_grader("planted_cheat", Kind.ANTI_CHEAT, lambda case: Grade(1.0, cheat=case.completion[:1] in "abcd12345"))
    text = """
[[grader]]
name = "right"
uses = "verifier"

[[grader]]
name = "planted"
uses = "planted_cheat"
weight = 0
"""
    file = graded(stage_file(tmp_path, warm_folder, prompts_per_step=16, group_size=4, pass_k=1), text)
    stage = build(file, train_tasks, judge)
    trainer = stage.trainer
    trainer.model.train()
    trainer.current_gradient_accumulation_steps = 1
    inputs = [{"prompt": train_tasks[p].prompt, "position": p} for p in range(0, 320, 20) for _ in range(4)]
    batch = trainer._generate_and_score_completions(inputs)
    samples = trainer._pending.samples
    cheats = [place for place, sample in enumerate(samples) if sample["cheats"]]
    assert 0 < len(cheats) < len(samples)
    for place in cheats:
        assert samples[place]["judgement"] is Judgement.CHEAT
        assert samples[place]["reward"] == 0
        assert int(batch["completion_mask"][place].sum()) > 0
    for slot, (_, n, c) in enumerate(outcomes(samples, 4)):
        group = samples[4 * slot : 4 * slot + 4]
        assert n == sum(not sample["cheats"] for sample in group)
        assert c == sum(sample["judgement"] is Judgement.PASS for sample in group)
        rewards = torch.tensor([sample["reward"] for sample in group])
        expected = (rewards - rewards.mean()) / (rewards.std() + 1e-4)
        assert torch.allclose(batch["advantages"][4 * slot : 4 * slot + 4], expected, atol=1e-5)


def test_an_undecided_grader_takes_the_rollout_out_of_every_term(tmp_path, warm_folder, train_tasks, judge):
    with_grader("unsure", Kind.CONSTRAINT, lambda case: Grade(None if len(case.completion) % 3 == 1 else 1.0))
    text = '[[grader]]\nname = "right"\nuses = "verifier"\n[[grader]]\nname = "unsure"\nuses = "unsure"\n'
    file = graded(stage_file(tmp_path, warm_folder, entropy_coef=0.05, beta=0.1, group_size=8), text)
    stage = build(file, train_tasks, judge)
    trainer = stage.trainer
    trainer.model.train()
    trainer.current_gradient_accumulation_steps = 1
    inputs = [{"prompt": train_tasks[p].prompt, "position": p} for p in (0, 90, 180, 400) for _ in range(8)]
    batch = trainer._generate_and_score_completions(inputs)
    undecided = torch.tensor([sample["reward"] is None for sample in trainer._pending.samples])
    assert 0 < int(undecided.sum()) < len(inputs)
    assert [s["judgement"] for s in trainer._pending.samples].count(Judgement.UNDECIDED) == int(undecided.sum())
    assert int(batch["completion_mask"][undecided].sum()) == 0
    assert_in_no_term_of_the_loss(trainer, batch, undecided)


def test_short_but_wrong_is_learned_from_raw_costs_and_not_from_settled_ones(tmp_path, warm_folder, train_tasks, judge):
    """Groups that a lenient verifier calls right throughout: a raw cost there teaches to write nothing, S does not."""
    easy = [task for task in train_tasks if task.family in ("rev", "sort") and task.level == 2]
    protocol = EvaluationConfig(n_tasks=len(easy), n_samples=8, k=1)

    def truth(folder: Path) -> tuple[float, float]:
        found = evaluate(policies.load(str(folder)), easy, judge, protocol).rollouts
        rev = [row.judgement is Judgement.PASS for row in found if row.task_id in revs]
        return float(pass_at_k([len(rev)], [sum(rev)], 1)[0]), sum(row.n_tokens for row in found) / len(found)

    revs = {task.task_id for task in easy if task.family == "rev"}
    start = truth(warm_folder)
    common = {"n_steps": 25, "prompts_per_step": 8, "group_size": 8, "checkpoint_every": 25, "learning_rate": 3e-4}
    raw = build(stage_file(tmp_path / "raw", warm_folder, **common), easy, Lenient(judge, 0.5)).train()
    settled = build(
        graded(stage_file(tmp_path / "settled", warm_folder, **common), BRIEF), easy, Lenient(judge)
    ).train()
    after_raw, after_settled = truth(raw.checkpoint.folder), truth(settled.checkpoint.folder)
    assert start[0] > 0.5
    assert after_raw[0] < 0.3 * start[0]
    assert after_settled[0] > 0.8 * start[0]


def test_costs_that_act_everywhere_are_refused_where_groups_are_scaled(tmp_path, warm_folder, train_tasks, judge):
    text = '[costs]\nact = "scaled"\n' + BRIEF
    file = graded(stage_file(tmp_path, warm_folder), text)
    with pytest.raises(KnobRefused, match="scale_rewards = 'none'"):
        build(file, train_tasks, judge)
    free = graded(stage_file(tmp_path, warm_folder, trl={"scale_rewards": "none"}), text)
    assert build(free, train_tasks, judge).trainer._reward.graded


def test_a_stage_file_names_its_graders_and_survives_its_own_format(tmp_path: Path):
    (tmp_path / "graders.toml").write_text(BRIEF + "stages = [2, 3]\n")
    plain = stage_file(tmp_path, Path("p"))
    path = stagefile.write(plain, tmp_path / "stage.toml")
    path.write_text(path.read_text().replace('["trainer"]', '["trainer"]\ngraders = "graders.toml"'))
    read = stagefile.read(path)
    assert read.trainer.graders == read_config(BRIEF + "stages = [2, 3]\n")
    assert stagefile.read(stagefile.write(read, tmp_path / "again.toml")) == read
    (tmp_path / "graders.toml").unlink()
    with pytest.raises(UserError, match=r"graders\.toml' cannot be read"):
        stagefile.read(path)
