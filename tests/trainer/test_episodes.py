"""Trajectories: what the policy wrote is told from what it heard, in every term of the loss, in rows and on resume."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from agent_world import Broken, snippets
from trainer_stages import assert_in_no_term_of_the_loss, build, losses, spooled, stage_file
from trainer_tasks import tasks_of

from synth.environments import Budget
from synth.environments.environment import ENVIRONMENTS
from synth.environments.running import play
from synth.environments.snippets import careful
from synth.environments.terse import terse_call
from synth.graders import StackConfig
from trainer import policies
from trainer.config import EpisodeConfig, EvaluationConfig, SamplingConfig, WarmStartConfig
from trainer.episodes import Player
from trainer.errors import KnobRefused
from trainer.evaluate import evaluate, sample_and_judge
from trainer.pocket_agent import SAMPLING, lesson, warm_started
from trainer.supervised import supervise
from warehouse.records import Judgement, Rollout, RolloutPurpose, Split


@pytest.fixture(scope="module")
def agent_folder(tmp_path_factory: pytest.TempPathFactory, judge) -> Path:
    """A policy that has imitated few scripts for a few seconds."""
    config = WarmStartConfig(n_steps=60, batch_size=32, learning_rate=5e-3, n_scripts=96, level_weights=(6, 2, 1))
    made = warm_started(policies.fresh_pocket_agent(0), config, judge.pool, seed=0)
    return Path(policies.save(made.policy, tmp_path_factory.mktemp("agent")).path)


@pytest.fixture(scope="module")
def tasks(judge):
    return snippets(judge, Split.TRAIN, 12)


def player(folder: Path, judge, **changed) -> Player:
    episodes = SAMPLING.episodes.model_copy(update=changed)
    sampling = SAMPLING.model_copy(update={"episodes": episodes})
    return Player(policies.load(str(folder)), lambda: judge.pool, sampling)


def test_the_mask_holds_exactly_what_the_policy_wrote(agent_folder: Path, judge, tasks):
    policy = policies.load(str(agent_folder))
    played = player(agent_folder, judge).play(tasks, generator=torch.Generator().manual_seed(1))
    assert {one.trajectory.ended for one in played} & {"submitted", "budget:calls"}
    for one in played:
        assert len(one.ids) == len(one.mask) == len(one.logprobs)
        wrote = [i for i, own in zip(one.ids, one.mask, strict=True) if own]
        heard = [i for i, own in zip(one.ids, one.mask, strict=True) if not own]
        turns = one.trajectory.turns
        text = policy.tokenizer.decode
        assert text(wrote, skip_special_tokens=True) == "".join(turn["text"] for turn in turns[1:])
        assert text(heard, skip_special_tokens=True) == "".join(f"{turn['observation']}\n" for turn in turns[1:-1])
        assert text(one.prompt_ids) == f"{turns[0]['text']}\n"
        assert len(wrote) == one.trajectory.n_tokens == sum(turn["tokens"] for turn in turns)
        assert all(p == 0 for p, own in zip(one.logprobs, one.mask, strict=True) if not own)
        assert one.mask[-1] == 1


def test_the_log_probabilities_are_those_of_the_whole_conversation(agent_folder: Path, judge, tasks):
    policy = policies.load(str(agent_folder))
    for one in player(agent_folder, judge).play(tasks[:4], generator=torch.Generator().manual_seed(1)):
        ids = torch.tensor([one.prompt_ids + one.ids])
        with torch.no_grad():
            all_logps = policy.model(input_ids=ids).logits[0, :-1].float().log_softmax(-1)
        own = all_logps.gather(1, ids[0, 1:, None])[len(one.prompt_ids) - 1 :, 0]
        for said, found, wrote in zip(one.logprobs, own.tolist(), one.mask, strict=True):
            assert not wrote or said == pytest.approx(found, abs=1e-3)


def test_the_same_seed_plays_the_same_turns(agent_folder: Path, judge, tasks):
    first, again, other = (
        [one.ids for one in player(agent_folder, judge).play(tasks, generator=torch.Generator().manual_seed(seed))]
        for seed in (1, 1, 2)
    )
    assert first == again != other


def test_a_lesson_is_what_playing_it_would_be(agent_folder: Path, judge, tasks):
    policy = policies.load(str(agent_folder))
    made = lesson(policy, tasks[0], careful(), judge.pool, SAMPLING)
    played = play(tasks[0], careful(), judge.pool, budget=Budget(), clock=lambda: 0.0, read=terse_call)
    wrote = [i for i, own in zip(made.ids, made.mask, strict=True) if own]
    assert policy.tokenizer.decode(wrote, skip_special_tokens=True) == "".join(t["text"] for t in played.turns[1:])
    heard = [i for i, own in zip(made.ids, made.mask, strict=True) if not own]
    assert policy.tokenizer.decode(heard) == "".join(
        f"{t.get('observation', t.get('text'))}\n" for t in played.turns[:-1]
    )


@pytest.mark.parametrize(
    ("changed", "ended"),
    [({"calls": 2}, "budget:calls"), ({"tokens": 4}, "budget:tokens"), ({"seconds": 1e-3}, "budget:seconds")],
)
def test_budgets_end_an_episode_with_no_answer(agent_folder: Path, judge, tasks, changed, ended):
    played = player(agent_folder, judge, **changed).play(tasks[:6], generator=torch.Generator().manual_seed(0))
    assert {one.trajectory.ended for one in played} == {ended}
    assert {(one.trajectory.word.judgement, one.trajectory.word.reward) for one in played} == {
        (Judgement.NO_ANSWER, 0.0)
    }
    assert {one.trajectory.cause for one in played} == {ended}


def test_an_episode_ends_where_the_context_does(agent_folder: Path, judge, tasks):
    policy = policies.load(str(agent_folder))
    policy.model.config.max_position_embeddings = 30
    found = Player(policy, lambda: judge.pool, SAMPLING).play(tasks[:3], generator=torch.Generator().manual_seed(0))
    assert {one.trajectory.ended for one in found} == {"budget:context"}
    assert all(len(one.prompt_ids) + len(one.ids) <= 30 for one in found)
    policy.model.config.max_position_embeddings = 5
    nothing = Player(policy, lambda: judge.pool, SAMPLING).play(tasks[:1])[0]
    assert (nothing.mask, nothing.trajectory.n_tokens) == ([0], 0)


def agent_stage(home: Path, folder: Path, *, graders: StackConfig | None = None, **values):
    file = stage_file(home, folder, sampling=SAMPLING, **values)
    return file.model_copy(update={"trainer": file.trainer.model_copy(update={"graders": graders})})


def test_rows_of_a_stage_hold_the_turns_and_no_step_trains_on_an_observation(
    tmp_path: Path, agent_folder: Path, judge, tasks
):
    batches = []
    stage = build(agent_stage(tmp_path, agent_folder, n_steps=1, checkpoint_every=1), tasks, judge)
    compute = stage.trainer._compute_loss

    def watched(model, inputs):
        batches.append(inputs)
        return compute(model, inputs)

    stage.trainer._compute_loss = watched
    stage.train()
    rows = spooled(stage, Rollout)
    assert len(rows) == 16
    assert all(len(row.turns) >= 2 and row.turns[0]["role"] == "user" for row in rows)
    assert all(row.n_tokens == sum(turn["tokens"] for turn in row.turns) for row in rows)
    assert {row.mean_entropy is not None and row.mean_entropy > 0 for row in rows} == {True}
    assert all(row.cause is None or row.judgement is not Judgement.PASS for row in rows)
    [batch] = batches
    assert int(batch["num_items_in_batch"]) == int((batch["completion_mask"] * batch["tool_mask"]).sum())
    assert int((batch["completion_mask"] * batch["tool_mask"]).sum()) == sum(row.n_tokens for row in rows)
    heard = (batch["completion_mask"] == 1) & (batch["tool_mask"] == 0)
    assert heard.any()
    ids = batch["completion_ids"].clone()
    model = stage.trainer.model
    per_token = torch.zeros(ids.shape)

    def gradient_of(mask):
        model.zero_grad()
        logps, _, _ = stage.trainer._get_per_token_logps_and_entropies(
            model,
            torch.cat([batch["prompt_ids"], ids], 1),
            torch.cat([batch["prompt_mask"], batch["completion_mask"]], 1),
            ids.shape[1],
        )
        per_token.copy_(logps.detach())
        counted = batch["completion_mask"] * mask
        (-(logps - logps.detach()).exp() * batch["advantages"][:, None] * counted).sum().div(counted.sum()).backward()
        return torch.cat([p.grad.flatten().clone() for p in model.parameters()])

    wanted = gradient_of(batch["tool_mask"])
    model.zero_grad()
    compute(model, batch).backward()
    own = torch.cat([p.grad.flatten() for p in model.parameters()])
    cosine = torch.nn.functional.cosine_similarity(own, wanted, 0)
    assert cosine > 0.9999
    assert torch.nn.functional.cosine_similarity(own, gradient_of(torch.ones_like(batch["tool_mask"])), 0) < 0.9999


def test_an_episode_whose_environment_fails_is_in_no_term_of_the_loss(
    tmp_path: Path, agent_folder: Path, judge, tasks, monkeypatch
):
    monkeypatch.setitem(ENVIRONMENTS._things, "broken", Broken)
    broken = [replace(task, params={**task.params, "environment": "broken"}) for task in tasks]
    batches = []
    file = agent_stage(tmp_path, agent_folder, n_steps=1, checkpoint_every=1, entropy_coef=0.1)
    stage = build(file, broken, judge)
    compute = stage.trainer._compute_loss
    stage.trainer._compute_loss = lambda model, inputs: (batches.append(inputs), compute(model, inputs))[1]
    stage.train()
    rows = spooled(stage, Rollout)
    failed = torch.tensor([row.judgement is Judgement.INFRA for row in rows])
    assert 0 < int(failed.sum()) < len(rows)
    assert all((row.reward is None) == (row.judgement is Judgement.INFRA) for row in rows)
    [batch] = batches
    failed = failed[batch["rollout_index"]]
    batch["advantages"] = torch.where(failed, 0.0, torch.linspace(-1, 1, len(rows)))
    assert int(batch["num_items_in_batch"]) == sum(row.n_tokens for row in rows if row.judgement is not Judgement.INFRA)
    assert_in_no_term_of_the_loss(stage.trainer, batch, failed)


def test_a_killed_stage_goes_on_as_if_it_had_not_been(tmp_path: Path, agent_folder: Path, judge, tasks):
    whole: list = []
    straight = build(agent_stage(tmp_path / "a", agent_folder, n_steps=4), tasks, judge,
                     progress=lambda step, logs: whole.append(logs))  # fmt: skip
    end = straight.train()

    class Killed(Exception):
        pass

    def kill(step, logs):
        if step == 3:
            raise Killed

    file = agent_stage(tmp_path / "b", agent_folder, n_steps=4)
    with pytest.raises(Killed):
        build(file, tasks, judge, progress=kill).train()
    resumed: list = []
    again = build(file, tasks, judge, progress=lambda step, logs: resumed.append(logs)).train()
    assert losses(resumed) == losses(whole)[2:]
    assert again.checkpoint.weights_hash == end.checkpoint.weights_hash


def test_a_stack_grades_the_turns(tmp_path: Path, agent_folder: Path, judge, tasks):
    naive = StackConfig.model_validate({"grader": [{"name": "shown", "uses": "shown"}]})
    stage = build(agent_stage(tmp_path, agent_folder, n_steps=2, prompts_per_step=6, graders=naive), tasks, judge)
    stage.train()
    rows = spooled(stage, Rollout)
    assert rows
    assert all(row.reward == row.parts["S"] == row.parts.get("shown", 0.0) for row in rows)


def test_evaluation_plays_agent_tasks_beside_single_turns(agent_folder: Path, judge, tasks):
    policy = policies.load(str(agent_folder))
    both = [*tasks[:2], *tasks_of(Split.TRAIN, 1, families=["rev"])[:2]]
    rows = sample_and_judge(
        policy, both, judge, n=2, sampling=SAMPLING, seed=3, purpose=RolloutPurpose.PROBE, owner="o"
    )
    assert [row.task_id for row in rows] == [task.task_id for task in both for _ in range(2)]
    assert [bool(row.turns) for row in rows] == [True] * 4 + [False] * 4
    protocol = EvaluationConfig(n_tasks=4, n_samples=2, k=2, max_tokens=6, episodes=SAMPLING.episodes)
    found = evaluate(policy, tasks[:4], judge, protocol)
    assert len(found.rollouts) == 8
    assert [row.completion for row in found.rollouts] == [
        row.completion for row in evaluate(policy, tasks[:4], judge, protocol).rollouts
    ]


def test_a_stage_is_of_one_kind_and_in_step(tmp_path: Path, agent_folder: Path, judge, tasks):
    with pytest.raises(KnobRefused, match="36 of 37 tasks are agent tasks"):
        build(agent_stage(tmp_path, agent_folder), [*tasks, *tasks_of(Split.TRAIN, 1, families=["rev"])[:1]], judge)
    policy = policies.load(str(agent_folder))
    with pytest.raises(KnobRefused, match="imitates single turns"):
        supervise(agent_stage(tmp_path, agent_folder), policy=policy, tasks=tasks, solutions=[], judge=judge)
    stale = stage_file(tmp_path, agent_folder, sampling=SAMPLING.model_copy(update={"staleness": 2}))
    with pytest.raises(KnobRefused, match="need staleness 0 and no server"):
        build(stale, tasks, judge)


def test_the_defaults_are_a_budget_of_thirty_calls_in_json():
    assert SamplingConfig().episodes is None
    assert (EpisodeConfig().calls, EpisodeConfig().grammar) == (30, "json")
