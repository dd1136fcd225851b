"""`report_to`: a stage tells other tools what it tells the warehouse, under its own name."""

from __future__ import annotations

from pathlib import Path

import pytest
from trainer_stages import build, stage_file


def logged(tmp_path: Path, warm_folder: Path, tasks, judge, tool: str) -> list[dict]:
    """The log of a stage of two steps that reports to a tool."""
    file = stage_file(tmp_path, warm_folder, n_steps=2, stage_id="5ea1", trl={"report_to": [tool]})
    told: list[dict] = []
    build(file, tasks, judge, progress=lambda step, log: told.append(dict(log))).train()
    return told


def test_tensorboard_reads_the_metrics_of_every_step(tmp_path, warm_folder, train_tasks, judge):
    reader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    told = logged(tmp_path, warm_folder, train_tasks, judge, "tensorboard")
    [events] = (tmp_path / "checkpoints" / "5ea1").glob("runs/*/events.*")
    found = reader.EventAccumulator(str(events)).Reload()
    for name in ("reward", "entropy", "loss"):
        rows = found.Scalars(f"train/{name}")
        assert [row.step for row in rows] == [1, 2]
        assert [row.value for row in rows] == pytest.approx([log[name] for log in told], rel=1e-5)


def test_trackio_keeps_a_run_of_the_stages_name(tmp_path, warm_folder, train_tasks, judge, monkeypatch):
    pytest.importorskip("trackio")
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path / "trackio"))
    import trackio

    logged(tmp_path, warm_folder, train_tasks, judge, "trackio")
    [run] = trackio.Api().runs("gradatim")
    assert run.name == "5ea1"


def test_wandb_keeps_a_run_of_the_stages_name_offline(tmp_path, warm_folder, train_tasks, judge, monkeypatch):
    wandb = pytest.importorskip("wandb")
    for name, value in (("WANDB_MODE", "offline"), ("WANDB_DIR", str(tmp_path)), ("WANDB_SILENT", "true")):
        monkeypatch.setenv(name, value)
    logged(tmp_path, warm_folder, train_tasks, judge, "wandb")
    assert wandb.run.name == "5ea1"
    wandb.finish()
    assert len([*tmp_path.glob("wandb/offline-run-*/*.wandb")]) == 1
