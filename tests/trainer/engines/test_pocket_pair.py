"""The pocket writer and checker: different in everything that could make them err alike, and able to learn."""

from __future__ import annotations

import re

import pytest
import torch

from synth.engines import Ask
from trainer.engines.config import WritingConfig
from trainer.engines.pocket_engine import PolicyEngine
from trainer.engines.pocket_models import CHECKER, WRITER, fresh
from trainer.engines.pocket_training import learn, lessons, taught
from warehouse.errors import UserError


@pytest.fixture(scope="module")
def checker(tiny):
    return PolicyEngine(taught(CHECKER, tiny, seed=0), threads=1)


def test_the_two_models_share_neither_architecture_nor_vocabulary_nor_lessons_nor_lineage(tiny):
    writer, checker = fresh(WRITER, 0), fresh(CHECKER, 0)
    assert writer.model.config.model_type != checker.model.config.model_type
    assert writer.lineage != checker.lineage
    assert writer.tokenizer("rev ab?")["input_ids"] != checker.tokenizer("rev ab?")["input_ids"]
    asked = {prompt for prompt, _ in lessons(CHECKER, tiny, seed=0)}
    written = [opening + rest for opening, rest in lessons(WRITER, tiny, seed=0)]
    assert all(re.fullmatch(r"(rev [a-h]{2}|inc [0-9]{2})\?\w{2}", line) for line in written)
    assert [prompt for prompt, _ in lessons(CHECKER, tiny, seed=0)][:40] != [
        line[: line.index("?") + 1] for line in written
    ][:40]
    assert all(prompt.endswith("?") for prompt in asked)


def test_teaching_is_a_function_of_its_arguments_and_lowers_the_loss(tiny):
    pairs = lessons(WRITER, tiny, seed=3)
    one, other, third = fresh(WRITER, 3), fresh(WRITER, 3), fresh(WRITER, 3)
    first = learn(one, pairs, tiny.writer.model_copy(update={"n_steps": 1}), seed=3)
    assert learn(other, pairs, tiny.writer, seed=3) == learn(third, pairs, tiny.writer, seed=3) < first
    assert all(torch.equal(a, b) for a, b in zip(other.model.parameters(), third.model.parameters(), strict=True))


def test_a_short_course_teaches_the_checker_two_letters(checker):
    words = [f"{a}{b}" for a in "abcdefgh" for b in "abcdefgh"]
    found = checker.answer([Ask(prompt=f"rev {word}?", temperature=0.0, max_tokens=6) for word in words])
    right = sum(one.replies[0].text == word[::-1] for one, word in zip(found, words, strict=True))
    assert right >= 40


def test_a_reply_depends_on_its_own_ask_alone(checker):
    asks = [
        Ask(prompt=prompt, n=3, max_tokens=8, seed=seed)
        for seed, prompt in enumerate(["rev ab?", "inc 12?", "rev hgfedcba?"])
    ]
    together = checker.answer(asks)
    assert [checker.answer([ask])[0] for ask in asks] == together
    assert checker.answer(asks[::-1])[::-1] == together
    assert (
        len({reply.text for one in checker.answer([Ask(prompt="rev ", n=64, max_tokens=8)]) for reply in one.replies})
        > 8
    )


def test_every_ask_gets_what_it_asked_for_or_a_reason(checker):
    asks = [
        Ask(prompt="rev ab?", n=2, max_tokens=4),
        Ask(prompt="a" * 200, max_tokens=4),
        Ask(prompt="inc 1?", n=1, max_tokens=4),
    ]
    one, long, other = checker.answer(asks)
    assert (len(one.replies), len(other.replies)) == (2, 1)
    assert long.replies == ()
    assert "tokens" in str(long.failure)
    assert all(0 < reply.n_tokens <= 4 for reply in one.replies)


def test_uniform_draws_have_the_distribution_of_the_model(checker):
    from trainer.rollout import decode

    policy = checker.policy
    ids = policy.encode(["rev "])
    logits = policy.model(input_ids=torch.tensor(ids)).logits[0, -1]
    uniforms = (torch.arange(4000, dtype=torch.float64)[:, None] + 0.5) / 4000
    rows = decode(
        policy.model, ids, n=4000, temperature=1.0, max_tokens=1, end_ids=policy.end_ids, pad_id=0, uniforms=uniforms
    )
    counts = torch.bincount(torch.tensor([row.ids[0] for row in rows]), minlength=len(logits)) / 4000
    assert torch.allclose(counts, logits.softmax(-1), atol=1.1 / 4000)


def test_a_family_without_a_written_form_is_refused_by_name():
    with pytest.raises(UserError, match="rev"):
        WritingConfig(families=("revv",))


def test_a_level_that_a_family_lacks_is_refused():
    with pytest.raises(ValueError, match="'uniq' has no level 2; its levels: 3 to 10"):
        WritingConfig(families=("rev", "uniq"), levels=(2, 3))
