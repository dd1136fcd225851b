"""What policies from scratch imitate: every family with a script, in words that their tokenizers have."""

from __future__ import annotations

import pytest

from synth.environments.makers import MAKERS
from trainer import policies
from trainer.config import WarmStartConfig
from trainer.pocket_agent import COURSES, scripted_lessons
from warehouse.errors import UserError

SNIPPETS = [name for name in COURSES if name.startswith("snippet")]
GADGETS = [name for name in COURSES if name.startswith("gadget")]


@pytest.mark.parametrize(
    ("fresh", "families"),
    [(policies.fresh_pocket_agent, SNIPPETS), *((policies.fresh_pocket_tools, [name]) for name in GADGETS)],
)
def test_scripts_are_written_in_known_words_and_follow_from_the_seed(fresh, families, judge):
    policy, config = fresh(0), WarmStartConfig(n_scripts=24, level_weights=(2, 1), cheat_rate=0.3)
    made = scripted_lessons(policy, config, judge.pool, seed=1, families=families)
    assert made == scripted_lessons(policy, config, judge.pool, seed=1, families=families)
    assert made != scripted_lessons(policy, config, judge.pool, seed=2, families=families)
    assert len(made) == 24
    for own in made:
        assert policy.tokenizer.unk_token_id not in own.ids
        assert len(own.ids) <= policy.model.config.max_position_embeddings
        assert own.mask[-1] == 1
        text = policy.tokenizer.decode([i for i, wrote in zip(own.ids, own.mask, strict=True) if wrote])
        assert text.endswith("done<end>")


def test_every_course_is_a_family_and_what_nobody_plays_is_named(judge):
    assert set(COURSES) <= set(MAKERS.names())
    assert all(set(course.levels) == set(MAKERS.get(name).levels) for name, course in COURSES.items())
    with pytest.raises(UserError, match="nobody plays toolset by script"):
        scripted_lessons(policies.fresh_pocket_agent(0), WarmStartConfig(), judge.pool, seed=0, families=["toolset"])


def test_a_policy_for_tools_is_loaded_by_its_name():
    assert policies.load("pocket_tools", seed=3).policy_id == policies.fresh_pocket_tools(3).policy_id
