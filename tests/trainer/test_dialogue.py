"""A conversation of pieces is the template's own conversation, token by token, and the mask says whose they are."""

from __future__ import annotations

import string
from dataclasses import replace

import pytest
from agent_world import snippets

from synth.environments.running import called, scripted
from trainer import policies
from trainer.config import EpisodeConfig, SamplingConfig
from trainer.dialogue import Dialogue
from trainer.pocket_agent import lesson
from trainer.tokenizer import build_tokenizer
from warehouse.records import Split

PLAIN = (
    "{% for m in messages %}{{ '[' + m.role + ']' + m.content + eos_token + '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '[assistant]' }}{% endif %}"
)
NATIVE = "{% for t in tools or [] %}{{ t.function.name + '\n' }}{% endfor %}" + PLAIN
JSON = SamplingConfig(max_tokens=40, episodes=EpisodeConfig(calls=9))
STEPS = [called("look", line=1), "hm", called("run"), called("done")]


def policy_with(template: str | None) -> policies.LoadedPolicy:
    tokenizer = build_tokenizer(string.printable)
    tokenizer.chat_template = template
    return replace(policies.fresh_pocket(0), tokenizer=tokenizer)


@pytest.fixture(scope="module")
def task(judge):
    return snippets(judge, Split.TRAIN, 1, levels=[1])[0]


@pytest.mark.parametrize("template", [PLAIN, NATIVE])
def test_the_pieces_are_the_templates_own_conversation(template, judge, task):
    policy = policy_with(template)
    made = lesson(policy, task, scripted(STEPS), judge.pool, JSON)
    text = policy.tokenizer.decode(made.ids)
    role = "tool" if template == NATIVE else "user"
    first, *_ = text.partition("<end>")
    turns = [{"role": "user", "content": first.partition("[user]")[2]}]
    for said in STEPS:
        turns.append({"role": "assistant", "content": said})
        heard = text.partition(f"{said}<end>\n[{role}]")[2].partition("<end>")[0]
        turns.append({"role": role, "content": heard})
    tools = [{"function": {"name": name}} for name in ("look", "run", "set", "done")] if template == NATIVE else None
    whole = policy.tokenizer.apply_chat_template(turns[:-1], tools=tools, tokenize=False).removesuffix("\n")
    assert text == whole
    assert ("Call one tool at a time" in turns[0]["content"]) == (template == PLAIN)
    wrote = [i for i, own in zip(made.ids, made.mask, strict=True) if own]
    assert policy.tokenizer.decode(wrote) == "".join(f"{said}<end>" for said in STEPS)


@pytest.mark.parametrize("template", [PLAIN, NATIVE])
def test_a_message_that_was_cut_off_is_ended_for_the_policy(template):
    policy = policy_with(template)
    own = Dialogue(policy, "json")
    assert own.heard("x", ended=False) == [policy.tokenizer.eos_token_id, *own.heard("x", ended=True)]


def test_a_bare_policy_is_told_the_tools_in_json_and_not_in_the_terse_grammar(judge, task):
    policy = policy_with(None)
    json_like = policy.tokenizer.decode(lesson(policy, task, scripted(STEPS), judge.pool, JSON).ids)
    assert "look(line: integer)" in json_like
    assert policy.tokenizer.decode(Dialogue(policy, "terse").opening("a", ())) == "a\n"
