"""Agent tasks through TRL's `environment_factory`: its tools, masks and rewards are those of our own episodes."""

from __future__ import annotations

import string
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from agent_world import Broken, snippets
from datasets import Dataset
from trainer_stages import build, spooled, stage_file
from transformers.utils import get_json_schema
from trl import GRPOConfig, GRPOTrainer
from trl import chat_template_utils as templates

from synth.environments.calls import parse_call
from synth.environments.environment import ENVIRONMENTS
from synth.environments.makers import MAKERS
from synth.environments.running import Trajectory, called
from synth.environments.snippets import careful
from synth.environments.terse import terse_call
from synth.environments.toolsets.making import plan_of
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from synth.proposals import Request
from trainer import policies
from trainer.config import EpisodeConfig, SamplingConfig, WarmStartConfig
from trainer.dialogue import Dialogue
from trainer.errors import KnobRefused
from trainer.factory import Factory, call
from trainer.pocket_agent import lesson
from trainer.sft import imitate
from trainer.tokenizer import build_tokenizer
from warehouse.records import Judgement, Rollout, Split, Task

TEMPLATE = (Path(templates.__file__).parent / "chat_templates" / "qwen2_5.jinja").read_text("utf-8")
EPISODES = EpisodeConfig(calls=9, tokens=200)
SAMPLING = SamplingConfig(max_tokens=24, episodes=EPISODES, engine="transformers")
WORDS = ("<|im_start|>", "<|im_end|>", "<tool_call>\n", "\n</tool_call>", "<tool_response>\n", "\n</tool_response>",
         '{"name": "', '", "arguments": {', '"line": ', '"text": "', "}}", "user\n", "assistant\n", "look", "set",
         "done", "run", ', ', '"}}')  # fmt: skip


def in_template(text: str, tools) -> str:
    """A terse call as the template's JSON."""
    made = terse_call(text, tools)
    return f"<tool_call>\n{called(made.name, **made.arguments)}\n</tool_call>"


def speaking():
    """The careful script in the words of the template."""
    script = careful()
    return lambda turns, tools: in_template(str(script(turns, tools)), tools)


def shared_prompt(tasks: list[Task], judge) -> str:
    """The part of the prompt that all tasks share: a token or two of the tiny model."""
    tokenizer = build_tokenizer(string.printable)
    tokenizer.chat_template = TEMPLATE
    policy = replace(policies.fresh_pocket(0), tokenizer=tokenizer)
    episode = Factory(tasks[:1], lambda: judge.pool).begun(0)
    episode.reset()
    return tokenizer.decode(Dialogue(policy, "json").opening("@here@", episode.tools)).partition("@here@")[0]


@pytest.fixture(scope="module")
def tasks(judge) -> list[Task]:
    return snippets(judge, Split.TRAIN, 12)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, judge, tasks: list[Task]) -> Path:
    """A tiny random model with a tool-calling template, after a few seconds of scripts in that template."""
    pieces = shared_prompt(tasks, judge).split("<|im_end|>")
    tokenizer = build_tokenizer(string.printable, [*pieces, *WORDS], context=512)
    tokenizer.chat_template, tokenizer.eos_token = TEMPLATE, "<|im_end|>"
    policy = policies._fresh("tools", 0, tokenizer, context=512, width=64, depth=2)
    lessons = [lesson(policy, task, speaking(), judge.pool, SAMPLING) for task in tasks]
    made = imitate(policy, lessons, WarmStartConfig(n_steps=90, batch_size=24, learning_rate=5e-3), seed=0)
    return Path(policies.save(made.policy, tmp_path_factory.mktemp("tools")).path)


def admitted(family: str, n: int, judge) -> list[Task]:
    maker = MAKERS.get(family)
    admission = Admission("test", judge, Novelty(), checks=maker.checks(judge.pool))
    batches = admit(maker.made(Request(family, 1, n, 3), judge.pool), maker.generator, admission)
    return [task for batch in batches for task in batch.accepted]


def played(factory: Factory, place: int, steps: list[str]) -> Trajectory:
    one = factory.environments[factory.names[place]]()
    one.reset(position=place)
    for step in steps:
        made = parse_call(step)
        getattr(one, made.name)(**made.arguments)
    return factory.ended([one])[0]


def test_tasks_with_the_same_tools_share_an_environment_and_others_have_their_own(judge, tasks):
    mixed = [*tasks[:3], *admitted("toolset", 8, judge), *admitted("repository", 3, judge)]
    factory = Factory(mixed, lambda: judge.pool)
    assert len(set(factory.names[:3])) == 1
    assert len({name for name in factory.names if name.startswith("repository")}) == 1
    own = [name for name in factory.names if name.startswith("toolset-")]
    assert len(set(own)) == len(own) > 4
    assert [row["environment"] for row in factory.rows] == factory.names
    for name, made in factory.environments.items():
        one = made()
        for schema in factory.schemas[name]:
            derived, own_schema = (
                get_json_schema(getattr(one, schema["function"]["name"]))["function"],
                schema["function"],
            )
            assert (derived["name"], derived["description"]) == (own_schema["name"], own_schema["description"])
            assert {*derived["parameters"]["properties"]} == {*own_schema["parameters"]["properties"]}
            assert derived["parameters"].get("required", []) == own_schema["parameters"].get("required", [])


def test_calls_are_those_of_an_episode(judge):
    tasks = admitted("toolset", 6, judge)
    factory = Factory(tasks, lambda: judge.pool)
    for place, task in enumerate(tasks):
        solved = played(factory, place, [*plan_of(task), called("submit")])
        assert (solved.word.judgement, solved.ended, solved.n_calls) == (
            Judgement.PASS,
            "submitted",
            len(plan_of(task)) + 1,
        )
        silent = played(factory, place, plan_of(task))
        assert (silent.word.judgement, silent.cause) == (Judgement.NO_ANSWER, "no_answer")
    one = factory.environments[factory.names[0]]()
    one.reset(position=0)
    assert "there is no tool 'nothing'" in call(one, "nothing", {})
    assert "argument value is missing" in call(one, "answer", {})
    assert "argument value is 'x'" in call(one, "answer", {"value": "x"})
    assert call(one, "submit", {}).startswith("submitted")
    assert "over" in call(one, "submit", {})


def test_a_stage_plays_through_it_and_trains_on_what_the_policy_wrote(tmp_path: Path, folder: Path, judge, tasks):
    file = stage_file(tmp_path, folder, sampling=SAMPLING, n_steps=1, checkpoint_every=1)
    batches = []
    stage = build(file, tasks, judge)
    compute = stage.trainer._compute_loss
    stage.trainer._compute_loss = lambda model, inputs: (batches.append(inputs), compute(model, inputs))[1]
    stage.train()
    rows = spooled(stage, Rollout)
    assert len(rows) == 16
    assert sum(row.judgement is Judgement.PASS for row in rows) > 0
    assert {row.reward for row in rows} == {0.0, 1.0}
    assert any(len(row.turns) > 3 for row in rows)
    assert {turn["tool_call"]["name"] for row in rows for turn in row.turns[1:]} >= {"look", "done"}
    assert all(row.mean_entropy is not None and row.mean_entropy > 0 for row in rows)
    [batch] = batches
    assert int((batch["completion_mask"] * batch["tool_mask"]).sum()) == sum(row.n_tokens for row in rows)
    tokenizer = stage.policy.tokenizer
    for ids, mask, own, place in zip(
        batch["completion_ids"], batch["completion_mask"], batch["tool_mask"], batch["rollout_index"], strict=True
    ):
        heard = tokenizer.decode(ids[(mask == 1) & (own == 0)])
        seen = [turn["observation"] for turn in rows[int(place)].turns[1:]]
        assert all(text in heard for text in seen[:-1])
        wrote = tokenizer.decode(ids[(mask == 1) & (own == 1)])
        assert "<tool_response>" not in wrote


def test_what_fails_under_a_tool_is_in_no_term_of_the_loss(tmp_path: Path, folder: Path, judge, tasks, monkeypatch):
    monkeypatch.setitem(ENVIRONMENTS._things, "broken", Broken)
    broken = [replace(task, params={**task.params, "environment": "broken"}) for task in tasks]
    batches = []
    stage = build(stage_file(tmp_path, folder, sampling=SAMPLING, n_steps=1, checkpoint_every=1), broken, judge)
    compute = stage.trainer._compute_loss
    stage.trainer._compute_loss = lambda model, inputs: (batches.append(inputs), compute(model, inputs))[1]
    stage.train()
    rows = spooled(stage, Rollout)
    failed = torch.tensor([row.judgement is Judgement.INFRA for row in rows])
    assert 0 < int(failed.sum()) < len(rows)
    [batch] = batches
    out = failed[batch["rollout_index"]]
    assert int(batch["completion_mask"][out].sum()) == 0
    assert all(int(own.sum()) > 0 for own in batch["completion_mask"][~out])


@pytest.mark.slow
def test_the_few_lines_of_the_docs_train_with_trls_own_trainer(tmp_path: Path, folder: Path, judge, tasks):
    made = Factory(tasks, lambda: judge.pool, EPISODES)
    policy = policies.load(str(folder))
    policy.model.config.max_position_embeddings = 4096  # TRL words the tools at greater length
    config = GRPOConfig(
        output_dir=str(tmp_path), per_device_train_batch_size=8, num_generations=4, max_completion_length=200,
        max_steps=1, use_cpu=True, bf16=False, report_to="none", max_tool_calling_iterations=9, logging_steps=1,
    )  # fmt: skip
    trainer = GRPOTrainer(
        model=policy.model, args=config, train_dataset=Dataset.from_list(made.rows), reward_funcs=made.reward,
        environment_factory=made.environments, processing_class=policy.tokenizer,
    )  # fmt: skip
    trainer.train()
    [log] = [row for row in trainer.state.log_history if "reward" in row]
    assert log["tools/call_frequency"] > 0
    assert 0 <= log["reward"] <= 1


def test_what_cannot_be_played_so_is_refused(tmp_path: Path, folder: Path, judge, tasks):
    terse = SAMPLING.model_copy(update={"episodes": EPISODES.model_copy(update={"grammar": "terse"})})
    with pytest.raises(KnobRefused, match="not in the grammar terse"):
        build(stage_file(tmp_path, folder, sampling=terse), tasks, judge)
    deaf = policies.load(str(folder))
    deaf.tokenizer.chat_template = "{% for m in messages %}{{ m.content }}{% endfor %}"
    policies.save(deaf, tmp_path / "deaf")
    with pytest.raises(KnobRefused, match="cannot call tools; play agent tasks with engine lean"):
        build(stage_file(tmp_path, tmp_path / "deaf", sampling=SAMPLING), tasks, judge)
    deaf.tokenizer.chat_template = TEMPLATE.replace("Qwen", "Quen")
    policies.save(deaf, tmp_path / "strange")
    with pytest.raises(KnobRefused, match="cannot read tool calls"):
        build(stage_file(tmp_path, tmp_path / "strange", sampling=SAMPLING), tasks, judge)
