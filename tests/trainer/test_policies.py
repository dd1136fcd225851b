from pathlib import Path

import pytest
import torch

from trainer import policies
from warehouse.errors import UserError


def test_the_pocket_policy_is_small_and_a_function_of_its_seed():
    a, b, c = policies.fresh_pocket(0), policies.fresh_pocket(0), policies.fresh_pocket(1)
    assert 300_000 < a.model.num_parameters() < 500_000
    same = [torch.equal(x, y) for x, y in zip(a.model.parameters(), b.model.parameters(), strict=True)]
    assert all(same)
    assert a.policy_id == b.policy_id != c.policy_id


def test_making_a_policy_leaves_the_global_stream_alone():
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    policies.fresh_pocket(3)
    assert torch.equal(torch.rand(1), expected)


def test_a_saved_policy_comes_back_with_its_identity(tmp_path: Path):
    saved = policies.save(policies.fresh_pocket(0), tmp_path / "checkpoints" / "warm")
    again = policies.load("checkpoints/warm", tmp_path)
    assert (again.policy_id, again.name, again.lineage) == (saved.policy_id, "pocket", "pocket")
    assert again.end_ids == (again.tokenizer.eos_token_id,)
    row = policies.record(again, tmp_path, parent="p", stage_id="s")
    assert (row.path, row.weights_hash) == ("checkpoints/warm", policies.weights_hash(tmp_path / row.path))


def test_another_tokenizer_is_another_policy(tmp_path: Path):
    saved = policies.save(policies.fresh_pocket(0), tmp_path)
    text = (tmp_path / "tokenizer.json").read_text()
    (tmp_path / "tokenizer.json").write_text(text + " ")
    assert policies.policy_identity(tmp_path) != saved.policy_id


def test_a_policy_that_is_nowhere_is_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(UserError, match="neither pocket, pocket_agent, pocket_tools, smollm") as error:
        policies.load("no-such-folder", tmp_path)
    assert "\n" not in str(error.value)


@pytest.mark.smollm
@pytest.mark.slow
def test_smollm_loads_from_its_wheel_and_follows_its_template(tmp_path: Path):
    policy = policies.load("smollm", tmp_path)
    assert policy.chat
    assert policy.model.num_parameters() > 130_000_000
    assert policy.render("2+2?").endswith("<|im_start|>assistant\n")
