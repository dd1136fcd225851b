"""Tasks written by a real vLLM server on loopback: SmolLM2-135M, plain and by a JSON schema, with its honest funnel."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "synth" / "engines"))

from model_server import Handler, serving

from flows.settings import Settings
from flows.steps.importing import import_source
from flows.steps.writing import WritingOrder, campaign_of, write_tasks
from flows.workshop import workshop
from synth.engines import ModelsConfig

pytestmark = pytest.mark.slow
START_S = 420
"""Seconds in which the server must answer; about 30 on two idle cores."""
QUIET = {"VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1", "HF_HUB_OFFLINE": "1", "VLLM_CPU_KVCACHE_SPACE": "1"}


@pytest.fixture(scope="module")
def vllm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of a vLLM server, started by the python that $GRADATIM_VLLM names."""
    python = os.environ.get("GRADATIM_VLLM")
    if not python:
        pytest.skip("no vLLM: set GRADATIM_VLLM to the python of an environment with vllm or vllm-cpu")
    from trainer.smollm import smollm_folder

    home = Path(os.environ.get("GRADATIM_SMOLLM_HOME", tmp_path_factory.mktemp("smollm")))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        python, "-m", "vllm.entrypoints.openai.api_server", "--model", str(smollm_folder(home)), "--served-model-name",
        "smollm2", "--host", "127.0.0.1", "--port", str(port), "--enforce-eager", "--max-model-len", "2048",
        "--max-num-seqs", "16",
    ]  # fmt: skip
    log = tmp_path_factory.mktemp("vllm") / "server.log"
    with log.open("w") as out:
        server = subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, env={**os.environ, **QUIET}, start_new_session=True
        )
    try:
        _wait(server, f"http://127.0.0.1:{port}/health", log)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        try:
            server.wait(60)
        except subprocess.TimeoutExpired:
            server.kill()


def _wait(server: subprocess.Popen[bytes], url: str, log: Path) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(1)
    pytest.fail("vLLM did not start:\n" + log.read_text()[-2_000:])


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
