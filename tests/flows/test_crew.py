"""Workers of each kind: results in order, a batch whose worker dies done once more, and the end when it dies again."""

from __future__ import annotations

import importlib.util
import os
import signal
from pathlib import Path
from typing import NamedTuple

import pytest
from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.settings import PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS, temporary_settings

from flows.crew import WorkerLost, crew
from flows.settings import Settings

KINDS = ["threads", "processes", "ray"]


class Batch(NamedTuple):
    """A number to square, and the deaths that its worker dies first; each death is a file in the folder."""

    number: int
    deaths: int
    folder: str


def squared(batch: Batch) -> int:
    died = len(list(Path(batch.folder).glob(f"{batch.number}-*")))
    if died < batch.deaths:
        (Path(batch.folder) / f"{batch.number}-{died}").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return batch.number**2


squaring = task(name="square", cache_policy=NO_CACHE, persist_result=False)(squared)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """run(kind, deaths by number): the squares of 0 to 5, or what was raised."""
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "prefect"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]))

    def made(kind: str, deaths: dict[int, int]) -> list[int]:
        batches = [Batch(i, deaths.get(i, 0), str(tmp_path)) for i in range(6)]

        @flow(name="squares", persist_result=False)
        def squares() -> list[int]:
            with crew(
                Settings(home=tmp_path, task_runner=kind, workers=2), squaring, batches, name=lambda b: f"{b.number}"
            ) as take:
                return [take(batch) for batch in batches]

        with temporary_settings({PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS: 300}):
            return squares()

    return made


def _needs(kind: str) -> None:
    if kind == "ray" and not importlib.util.find_spec("prefect_ray"):
        pytest.skip("prefect-ray is not installed")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_results_come_in_the_order_of_asking(run, kind):
    _needs(kind)
    assert run(kind, {}) == [0, 1, 4, 9, 16, 25]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS[1:])
def test_a_batch_whose_worker_dies_is_done_once_more(run, tmp_path, kind):
    _needs(kind)
    assert run(kind, {2: 1}) == [0, 1, 4, 9, 16, 25]
    assert (tmp_path / "2-0").exists()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS[1:])
def test_a_batch_that_loses_two_workers_ends_the_run_with_its_name(run, tmp_path, kind):
    _needs(kind)
    with pytest.raises(WorkerLost, match="2 lost its worker twice"):
        run(kind, {2: 9})
    assert sorted(path.name for path in tmp_path.glob("2-*")) == ["2-0", "2-1"]
