"""Models in this process behind the engine protocol."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from synth.engines import ENGINES, Ask, ModelConfig
from synth.family import FAMILIES
from synth.graders import Judge
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from synth.tasks import make_item, to_task
from synth.writers import STYLES, Commission, Writer
from trainer.engines.local import open_local
from trainer.engines.referee import referee_of
from trainer.engines.vllm_engine import Vllm, open_vllm
from warehouse.errors import UserError
from warehouse.records import FinishReason

POCKET = ModelConfig(engine="transformers", model="pocket", lineage="pocket", temperature=0.7, max_tokens=8)


def test_replies_follow_from_the_question_alone():
    engine = open_local(POCKET, Path())
    asks = [Ask(prompt=f"rev {word}?", n=3, seed=i) for i, word in enumerate(["abc", "ab", "hgf"])]
    together = engine.answer(asks)
    assert [one.failure for one in together] == [None] * 3
    assert {len(one.replies) for one in together} == {3}
    assert max(reply.n_tokens for one in together for reply in one.replies) <= 8
    assert engine.answer(asks[1:2])[0].replies == together[1].replies
    assert engine.answer([Ask(prompt="rev abc?", n=3, seed=9)])[0].replies != together[0].replies


def test_a_prompt_that_does_not_fit_is_a_failure():
    found = open_local(POCKET, Path()).answer([Ask(prompt="a" * 200), Ask(prompt="a")])
    assert "tokens" in (found[0].failure or "")
    assert found[1].failure is None


def test_identity_follows_settings_and_weights():
    one = open_local(POCKET, Path())
    assert one.version == open_local(POCKET, Path()).version
    assert one.version != open_local(POCKET.model_copy(update={"temperature": 0.8}), Path()).version
    assert (one.name, one.lineage) == ("pocket", "pocket")
    assert {"server", "transformers", "vllm"} <= set(ENGINES.names())


def test_an_unknown_model_is_refused():
    with pytest.raises(UserError, match="neither pocket, pocket_agent, pocket_tools, smollm"):
        open_local(POCKET.model_copy(update={"model": "/no/such/folder"}), Path())


class Params(SimpleNamespace):
    """vLLM's parameters as they are made."""


def test_vllm_is_asked_for_n_seeded_structured_choices(monkeypatch):
    module, sub = ModuleType("vllm"), ModuleType("vllm.sampling_params")
    module.SamplingParams, sub.StructuredOutputsParams = Params, Params
    monkeypatch.setitem(sys.modules, "vllm", module)
    monkeypatch.setitem(sys.modules, "vllm.sampling_params", sub)
    seen = []

    def chat(turns, params, *, use_tqdm):
        seen.extend(zip(turns, params, strict=True))
        said = [SimpleNamespace(text=f"t{k}", token_ids=[1, 2], finish_reason=["stop", "length"][k]) for k in range(2)]
        return [SimpleNamespace(outputs=said[: one.n], prompt_token_ids=[1, 2, 3]) for one in params]

    config = ModelConfig(engine="vllm", model="m", lineage="qwen", max_tokens=9)
    engine = Vllm(config, SimpleNamespace(chat=chat))
    full, short = engine.answer(
        [Ask(prompt="q", system="s", n=2, seed=5, schema={"type": "object"}), Ask(prompt="p", n=3)]
    )
    turns, params = seen[0]
    assert turns == [{"role": "system", "content": "s"}, {"role": "user", "content": "q"}]
    assert (params.n, params.seed, params.max_tokens, params.structured_outputs.json) == (2, 5, 9, {"type": "object"})
    assert [reply.finish_reason for reply in full.replies] == [FinishReason.STOP, FinishReason.LENGTH]
    assert full.n_prompt_tokens == 3
    assert short.failure == "fewer choices than asked"


def test_vllm_that_is_not_installed_is_named():
    with pytest.raises(UserError, match=r"gradatim\[vllm\]"):
        open_vllm(ModelConfig(engine="vllm", model="m", lineage="qwen"), Path())


@pytest.mark.gpu
def test_vllm_answers_on_an_accelerator(tmp_path: Path):
    pytest.importorskip("vllm")
    config = ModelConfig(engine="vllm", model="HuggingFaceTB/SmolLM2-135M-Instruct", lineage="smollm2", max_tokens=16)
    [found] = open_vllm(config, tmp_path).answer([Ask(prompt="What is 2+2?", n=2)])
    assert len(found.replies) == 2


def test_a_referee_is_a_configured_model_and_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    other = POCKET.model_copy(update={"lineage": "other"})
    referee = referee_of(other, tmp_path)
    assert referee is not None
    said = referee.ask(["rev abc?", "rev ab?"])
    assert (referee.lineage, len(said)) == ("other", 2)
    monkeypatch.setattr("trainer.engines.local.Local.answer", None)
    assert referee_of(other, tmp_path).ask(["rev abc?", "rev ab?"]) == said
    assert referee_of(None, tmp_path) is None


@pytest.mark.smollm
@pytest.mark.slow
def test_what_a_small_model_writes_is_counted_reply_by_reply(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    family = FAMILIES.get("race")
    level = min(family.levels)
    parent = to_task(family, make_item(family, level=level, seed=0, index=0), level=level, seed=0, index=0)
    config = ModelConfig(engine="transformers", model="smollm", lineage="smollm2", max_tokens=120, temperature=0.7)
    writer = Writer(open_local(config, tmp_path), STYLES.get("plain"))
    with Judge(workers=1) as judge:
        attempts = writer.propose([Commission(parent=parent, seed=i) for i in range(8)])
        [batch] = admit(attempts, writer.generator, Admission("c", judge, Novelty(near=True)))
    assert batch.n_in == 8 == sum(batch.rejected.values())
    assert batch.n_out == 0, "no model of another lineage confirmed anything"
    with capsys.disabled():
        print(f"\nSmolLM2-135M, 8 replies in style plain: {batch.rejected}")
