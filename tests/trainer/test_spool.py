import json
import math
from pathlib import Path

import pytest

from trainer.spool import Spool
from warehouse.records import DrawRecord, FinishReason, Judgement, Metric, Rollout, RolloutPurpose


class Ledger:
    """Commits by batch id, as the store does; can die after a commit that was durable."""

    def __init__(self):
        self.batches, self.die_after = {}, None

    def commit(self, records, *, batch, purpose, run):
        self.batches.setdefault(batch, list(records))
        if self.die_after is not None and len(self.batches) > self.die_after:
            self.die_after = None
            raise KeyboardInterrupt

    def rows(self):
        return [row for rows in self.batches.values() for row in rows]


def rollout(step, sample=0):
    return Rollout(
        rollout_id=f"{step}/{sample}", task_id="t", policy_id="p", purpose=RolloutPurpose.TRAIN, stage_id="s",
        step=step, sample=sample, completion="ab\"'\n", n_tokens=3, finish_reason=FinishReason.STOP,
        mean_entropy=None, judgement=Judgement.UNDECIDED, reward=None, parts={"verifier": 0.0}, cheats=("copied",),
    )  # fmt: skip


def test_records_come_back_as_they_were(tmp_path: Path):
    spool, ledger = Spool(tmp_path, stage_id="s", attempt=0), Ledger()
    draw = DrawRecord(
        stage_id="s", stage_attempt=0, step=0, slot=1, task_id="t", p_mixed=0.5, score=0.25, reason="frontier"
    )
    rows = [rollout(0), draw, Metric(owner="s", step=0, name="loss", value=0.5)]
    spool.write(0, "rollouts", rows)
    assert spool.drain(ledger, run="r") == 3
    assert ledger.rows() == rows
    assert not list(tmp_path.iterdir())


def test_nan_is_stored_and_not_hidden(tmp_path: Path):
    spool, ledger = Spool(tmp_path, stage_id="s", attempt=0), Ledger()
    spool.write(0, "metrics", [Metric(owner="s", step=0, name="loss", value=math.nan)])
    spool.drain(ledger, run="r")
    assert math.isnan(ledger.rows()[0].value)


@pytest.mark.parametrize("when", [0, 1])
def test_a_commit_that_was_durable_but_not_acknowledged_counts_once(tmp_path: Path, when):
    spool, ledger = Spool(tmp_path, stage_id="s", attempt=0), Ledger()
    ledger.die_after = when
    for step in range(4):
        spool.write(step, "rollouts", [rollout(step)])
        if step in (1, 3):
            with pytest.raises(KeyboardInterrupt) if ledger.die_after == step // 2 else _nothing():
                spool.drain(ledger, run="r")
    for step in range(4, 6):
        spool.write(step, "rollouts", [rollout(step)])
    Spool(tmp_path, stage_id="s", attempt=0).drain(ledger, run="r")
    assert sorted(row.step for row in ledger.rows()) == list(range(6))


def test_a_kill_while_deleting_commits_nothing_twice(tmp_path: Path):
    spool, ledger = Spool(tmp_path, stage_id="s", attempt=0), Ledger()
    spool.write(0, "rollouts", [rollout(0)])
    spool.write(1, "rollouts", [rollout(1)])
    names = sorted(path.name for path in tmp_path.glob("step-*"))
    (tmp_path / "sealed-x.json").write_text(json.dumps(names))
    ledger.commit([rollout(0), rollout(1)], batch="spool:s:0:sealed-x", purpose="spool", run="r")
    (tmp_path / names[0]).unlink()
    spool.drain(ledger, run="r")
    assert len(ledger.rows()) == 2


def test_a_half_written_file_is_not_a_record(tmp_path: Path):
    spool, ledger = Spool(tmp_path, stage_id="s", attempt=0), Ledger()
    (tmp_path / "step-00000000-rollouts.tmp").write_text('[["rollouts", {"roll')
    assert spool.drain(ledger, run="r") == 0


class _nothing:
    def __enter__(self):
        return None

    def __exit__(self, *_):
        return False
