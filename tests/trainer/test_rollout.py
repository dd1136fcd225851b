from dataclasses import replace

import pytest
import torch

from trainer import policies
from trainer.errors import Diverged
from trainer.rollout import decode, draw, sample
from warehouse.records import FinishReason

PROMPTS = ["rev ab?", "sort hgfedcba?", "inc 123?", "rev abcdefgh?"]


def test_the_same_seed_gives_the_same_texts_and_another_gives_others(warm_policy):
    args = {"n": 8, "temperature": 1.0, "max_tokens": 14}
    first = [[c.text for c in group] for group in sample(warm_policy, PROMPTS, seed=1, **args)]
    again = [[c.text for c in group] for group in sample(warm_policy, PROMPTS, seed=1, **args)]
    other = [[c.text for c in group] for group in sample(warm_policy, PROMPTS, seed=2, **args)]
    assert first == again != other
    assert [len(group) for group in first] == [8] * 4


def test_greedy_agrees_with_transformers_generate(warm_policy):
    """The lean loop and transformers' own write the same tokens where nothing is random."""
    ours = sample(warm_policy, PROMPTS, n=1, temperature=0, max_tokens=14, seed=0)
    batch = warm_policy.tokenizer(PROMPTS, padding=True, return_tensors="pt", return_token_type_ids=False)
    theirs = warm_policy.model.generate(**batch, max_new_tokens=14, do_sample=False)
    texts = warm_policy.tokenizer.batch_decode(theirs[:, batch["input_ids"].shape[1] :], skip_special_tokens=True)
    assert [group[0].text for group in ours] == texts


def test_log_probabilities_and_entropy_are_those_of_a_full_forward_pass(warm_policy):
    encoded = warm_policy.encode(PROMPTS)
    rows = decode(
        warm_policy.model, encoded, n=2, temperature=0.7, max_tokens=14, end_ids=warm_policy.end_ids, pad_id=0
    )
    for index, row in enumerate(rows):
        prompt = encoded[index // 2]
        with torch.no_grad():
            logits = warm_policy.model(torch.tensor([prompt + row.ids])).logits[0, len(prompt) - 1 : -1].float()
        sampled_from = torch.log_softmax(logits / 0.7, -1)
        expected = sampled_from[range(len(row.ids)), row.ids]
        assert torch.allclose(torch.tensor(row.logprobs), expected, atol=1e-4)
        own = torch.log_softmax(logits, -1)
        assert abs(row.mean_entropy - float(-(own.exp() * own).sum(-1).mean())) < 1e-4


def test_sampling_follows_the_policys_distribution(warm_policy):
    """4,000 first tokens against the exact probabilities, each within five standard errors."""
    encoded = warm_policy.encode(["sort hgfedcba?"])
    rows = decode(
        warm_policy.model, encoded, n=4000, temperature=1.0, max_tokens=1, end_ids=warm_policy.end_ids, pad_id=0,
        generator=torch.Generator().manual_seed(0),
    )  # fmt: skip
    with torch.no_grad():
        exact = torch.softmax(warm_policy.model(torch.tensor(encoded)).logits[0, -1].float(), -1)
    seen = torch.bincount(torch.tensor([row.ids[0] for row in rows]), minlength=len(exact)) / 4000
    assert bool(((seen - exact).abs() <= 5 * (exact * (1 - exact) / 4000).sqrt() + 1e-4).all())


def test_a_completion_that_is_cut_says_so():
    policy = policies.fresh_pocket(0)
    groups = sample(policy, ["rev abcdefgh?"], n=32, temperature=1.0, max_tokens=3, seed=0)
    reasons = {c.finish_reason for c in groups[0]}
    assert FinishReason.LENGTH in reasons
    assert all(c.n_tokens == 3 for c in groups[0] if c.finish_reason is FinishReason.LENGTH)
    assert all(c.n_tokens <= 3 for c in groups[0])


def test_weights_that_have_diverged_are_named():
    policy = policies.fresh_pocket(0)
    with torch.no_grad():
        next(policy.model.parameters()).fill_(float("nan"))
    with pytest.raises(Diverged, match="diverged"):
        sample(policy, ["rev ab?"], n=2, temperature=1.0, max_tokens=4, seed=0)


def test_pieces_of_a_sample_may_be_drawn_in_any_order(warm_policy, monkeypatch):
    args = {"n": 4, "temperature": 1.0, "max_tokens": 14, "seed": 1}
    monkeypatch.setattr("trainer.rollout.MAX_ROWS", 8)
    order: list[int] = []

    def backwards(pieces):
        order.extend(range(len(pieces)))
        return [draw(warm_policy, piece) for piece in reversed(pieces)][::-1]

    def told(groups):
        return [[(one.text, one.n_tokens, one.mean_entropy) for one in group] for group in groups]

    here = sample(warm_policy, PROMPTS, **args)
    assert told(sample(replace(warm_policy, elsewhere=backwards), PROMPTS, **args)) == told(here)
    assert order == [0, 1]
