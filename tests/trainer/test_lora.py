"""Low-rank adapters: trained alone, saved without their base, resumed and evaluated like any policy."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from trainer_stages import build, stage_file

from trainer import checkpoints, policies
from trainer.config import EvaluationConfig, LoraConfig
from trainer.evaluate import evaluate
from trainer.lora import adapted
from trainer.stagefile import StageFile
from warehouse.errors import UserError

pytest.importorskip("peft")


@pytest.fixture
def home(tmp_path: Path, warm_folder: Path) -> Path:
    shutil.copytree(warm_folder, tmp_path / "warm")
    return tmp_path


def lora_file(home: Path, policy: str = "warm", **values) -> StageFile:
    file = stage_file(home, Path(policy), learning_rate=3e-3, warmup_steps=0, **values)
    own = file.trainer.policy.model_copy(update={"lora": LoraConfig(rank=4)})
    return file.model_copy(update={"trainer": file.trainer.model_copy(update={"policy": own})})


def adapter(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "adapter_model.safetensors")


def same(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def test_only_the_adapter_is_trained_saved_and_evaluated(home: Path, train_tasks, heldout_tasks, judge):
    made = build(lora_file(home), train_tasks, judge).train().checkpoint
    weights = adapter(made.folder)
    assert all("lora_" in name for name in weights)
    assert any(bool(value.any()) for name, value in weights.items() if "lora_B" in name)
    assert not (made.folder / "model.safetensors").exists()
    loaded, base = policies.load(str(made.folder.relative_to(home)), home), policies.load("warm", home)
    assert loaded.policy_id == made.policy_id != base.policy_id
    assert (loaded.name, loaded.lineage, loaded.chat) == (base.name, base.lineage, base.chat)
    own = {name: value for name, value in loaded.model.named_parameters() if "lora_" not in name}
    assert len(own) == len(list(base.model.parameters()))
    protocol = EvaluationConfig(n_tasks=8, n_samples=4, k=4)
    found = [evaluate(policy, heldout_tasks, judge, protocol).rollouts for policy in (loaded, base)]
    assert [row.completion for row in found[0]] != [row.completion for row in found[1]]


def test_a_killed_stage_and_a_second_stage_go_on_from_the_adapter(home: Path, train_tasks, judge):
    class Killed(Exception):
        pass

    def die_at_three(step, _):
        if step == 3:
            raise Killed

    whole = build(lora_file(home, stage_id="whole"), train_tasks, judge).train().checkpoint
    broken = lora_file(home, stage_id="broken")
    with pytest.raises(Killed):
        build(broken, train_tasks, judge, progress=die_at_three).train()
    again = build(broken.model_copy(update={"attempt": 1}), train_tasks, judge)
    assert again.resumed is not None
    assert again.resumed.step == 2
    assert same(adapter(again.train().checkpoint.folder), adapter(whole.folder))

    first = build(lora_file(home, stage_id="a", n_steps=2), train_tasks, judge).train().checkpoint
    start = str(first.folder.relative_to(home))
    second = lora_file(home, start, stage_id="b", n_steps=2, first_step=2, continue_from=start)
    made = build(second, train_tasks, judge).train().checkpoint
    assert same(adapter(made.folder), adapter(whole.folder))
    assert json.loads((made.folder / "gradatim_base.json").read_text())["path"] == "warm"


@pytest.mark.slow
def test_the_reference_is_the_policy_that_the_stage_started_from(home: Path, train_tasks, judge):
    first = build(lora_file(home, stage_id="a", beta=0.1), train_tasks, judge).train().checkpoint
    start = str(first.folder.relative_to(home))
    log: list[dict] = []
    second = lora_file(home, start, stage_id="b", n_steps=2, first_step=4, continue_from=start, beta=0.1)
    build(second, train_tasks, judge, progress=lambda _, logs: log.append(dict(logs))).train()
    assert log[0]["kl"] == pytest.approx(0, abs=1e-6)
    assert log[1]["kl"] > 1e-6
    assert not (first.folder / "ref").exists()


def test_an_adapter_knows_its_base(home: Path, train_tasks, judge):
    made = build(lora_file(home), train_tasks, judge).train().checkpoint
    shutil.rmtree(home / "warm")
    policies.save(policies.fresh_pocket(3), home / "warm")
    with pytest.raises(UserError, match="belongs to policy"):
        policies.load(str(made.folder), home)
    (made.folder / "gradatim_base.json").unlink()
    with pytest.raises(UserError, match="does not say what its base is"):
        policies.load(str(made.folder), home)
    assert checkpoints.verify(made.folder).weights_hash == made.weights_hash


def test_targets_that_name_no_layer_are_refused(home: Path):
    with pytest.raises(UserError, match=r"\[policy\.lora\] targets"):
        adapted(policies.load("warm", home), LoraConfig(targets=("nope",)), path="warm", seed=0)
