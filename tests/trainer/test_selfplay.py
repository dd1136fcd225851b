"""Program games: what a proposer writes is worth what a solver learns from it, and nothing without evidence."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from trainer_stages import build, stage_file

from synth.environments.riddles import proposing as riddles
from synth.environments.snippets.proposing import demonstrations, learnability, proposed, written
from trainer import policies
from trainer.config import SamplingConfig, WarmStartConfig
from trainer.episodes import Player
from trainer.pocket_agent import SAMPLING, warm_started
from trainer.selfplay import Proposals, asked
from trainer.sft import warm_start
from warehouse.records import Judgement


@pytest.fixture(scope="module")
def solver(judge) -> Player:
    config = WarmStartConfig(n_steps=60, batch_size=32, learning_rate=5e-3, n_scripts=96, level_weights=(6, 2, 1))
    policy = warm_started(policies.fresh_pocket_agent(0), config, judge.pool, seed=0).policy
    return Player(policy, lambda: judge.pool, SAMPLING)


@pytest.mark.parametrize("n", [1, 4, 8])
def test_learnability_is_most_where_half_is_solved(n):
    values = [learnability(n, c) for c in range(n + 1)]
    assert values[0] == values[-1] == 0.0
    assert max(values) == learnability(n, n // 2) <= 1.0
    assert values == values[::-1]


def test_a_proposal_is_read_back_as_it_was_written():
    for _, text in demonstrations(12, seed=1):
        subject = proposed(text, seed=0, index=3).subject
        assert subject is not None
        assert written(subject.task) == text


@pytest.mark.parametrize("text", ["", "+1+1+1 +1+1+2", "+1+1 +1+2 3", "+1+1+1 +1+1+1 3", "+1+1+1 +1+1+2 33", "abc"])
def test_what_is_no_game_is_refused_with_its_reason(text):
    assert (proposed(text, seed=0, index=0).reason or "").startswith("proposal: ")


def test_a_question_is_read_back_and_its_evidence_keeps_what_is_given_away_out(judge, solver: Player):
    texts = [text for _, text in riddles.demonstrations(30, seed=1)]
    game = Proposals(judge, solver, game="riddle", n=2)
    bad = ["deduce +1+1 123", "guess +1+1+1 123", "induce +1+1+1 113", "deduce +1+1-2 123", "abduce *5+1+1 123",
           "induce *3+1+1 246"]  # fmt: skip
    words = game.judge(asked([1, 2, 3], "riddle") * 12, [*texts, *bad])
    assert len(game.accepted) > 15
    assert {task.level for task in game.accepted} == {1, 2, 3}
    assert [word.parts["valid"] for word in words[30:]] == [0.0] * 6
    assert sum(n for reason, n in game.refused.items() if "guess" in reason) >= 3
    again = game.judge(asked([1], "riddle") * 30, texts)
    assert {word.reward for word in again} == {0.0}


def test_worth_is_the_solvers_own_rate_and_nothing_without_evidence(judge, solver: Player):
    game = Proposals(judge, solver, n=6)
    good = [text for _, text in demonstrations(9, seed=2)]
    words = game.judge(asked([1]) * 12, [*good, "nonsense", "+5+5*1 +5+5*2 0", good[0]])
    rates = {word.parts["solve_rate"]: word.reward for word in words if "solve_rate" in word.parts}
    assert rates
    assert all(reward == pytest.approx(4 * p * (1 - p)) for p, reward in rates.items())
    assert [word.reward for word in words[9:]] == [0.0] * 3
    assert [word.parts["valid"] for word in words[9:]] == [0.0] * 3
    assert len(game.accepted) == sum(word.parts["valid"] == 1.0 for word in words)
    assert sum(game.refused.values()) + len(game.accepted) == 12
    assert {word.judgement for word in words} <= {Judgement.PASS, Judgement.WRONG}
    again = game.judge(asked([1]) * 9, good)
    assert {word.reward for word in again} == {0.0}


@pytest.mark.slow
def test_a_proposer_is_trained_by_a_stage_like_any_policy(tmp_path: Path, judge, solver: Player):
    config = WarmStartConfig(n_steps=60, batch_size=32, learning_rate=5e-3)
    proposer = warm_start(policies.fresh_pocket_agent(1), demonstrations(256, seed=0), config, seed=0).policy
    policies.save(proposer, tmp_path / "proposer")
    game = Proposals(judge, solver, n=4)
    file = stage_file(tmp_path, tmp_path / "proposer", sampling=SamplingConfig(max_tokens=18), n_steps=2, group_size=8)
    steps: list = []
    build(file, asked([1, 2, 3]), game, progress=lambda step, logs: steps.append(logs)).train()
    assert len(steps) == 2
    assert game.accepted
    assert Counter(task.family for task in game.accepted) == {"snippet": len(game.accepted)}
    assert all(0.0 <= logs["reward"] <= 1.0 for logs in steps)
