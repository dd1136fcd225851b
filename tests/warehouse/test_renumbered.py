"""Readers of the change feed after their rows went to a catalog that numbers its snapshots anew."""

from __future__ import annotations

from pathlib import Path

from warehouse_rows import campaign, policy, rollout, task

from warehouse.contracts import contracts
from warehouse.feed import changes, note_reached, reached, renumber
from warehouse.store import Store


def test_readers_go_on_behind_the_copy_or_are_given_all_again(tmp_path: Path) -> None:
    with Store.open(tmp_path / "old") as old, Store.open(tmp_path / "new") as new:
        old.commit(campaign(), batch="campaign", purpose="x", run="r")
        old.commit([task(i) for i in range(300)], batch="tasks", purpose="x", run="r")
        for i in range(20):
            old.commit([rollout(100 + i, policy_id="p0")], batch=f"b{i}", purpose="x", run="r")
        note_reached(old.home, "behind", "rollouts", old.snapshot() - 2)
        note_reached(old.home, "level", "rollouts", old.snapshot())
        old.commit([policy("p9")], batch="other tables", purpose="x", run="r")
        for name in (name for name in contracts() if name != "files"):
            new.copy_in(name, old.arrow(f"SELECT * FROM {name} ORDER BY rowid"))
        assert new.snapshot() < reached(old.home, "level", "rollouts")
        renumber(old, new)
        new.commit([rollout(200, policy_id="p0")], batch="fresh", purpose="x", run="r")
        found = {
            name: changes(new, "rollouts", reached(old.home, name, "rollouts")).rows.num_rows
            for name in ("level", "behind")
        }
        assert found == {"level": 1, "behind": old.rows("SELECT count(*) AS n FROM rollouts")[0]["n"] + 1}
