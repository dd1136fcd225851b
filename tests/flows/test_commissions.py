"""What tasks are written from: weakest arms first, documents in pieces, nothing held out, nothing that models wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.settings import Settings
from flows.steps.commissions import commissions, passages
from flows.workshop import Workshop, workshop
from synth.family import FAMILIES
from synth.tasks import make_item, to_task
from synth.writers import STYLES
from warehouse.errors import UserError
from warehouse.records import FinishReason, Judgement, Policy, Rollout, RolloutPurpose, Split, Status, StatusChange


@pytest.fixture(scope="module")
def shop(tmp_path_factory) -> Iterator[Workshop]:
    home = tmp_path_factory.mktemp("home")
    with workshop(Settings(home=home), flow="test", config={}) as shop:
        tasks = [
            to_task(family, make_item(family, level=4, seed=0, index=i), level=4, seed=0, index=i)
            for family in map(FAMILIES.get, ("urn", "rev"))
            for i in range(40)
        ]
        policy = Policy(policy_id="p", name="p", lineage="l", weights_hash="", path="p", n_parameters=1)
        rollouts = [
            Rollout(
                rollout_id=f"{task.task_id}:{k}", task_id=task.task_id, policy_id="p", purpose=RolloutPurpose.EVAL,
                sample=k, completion=f"{task.split}", n_tokens=1, finish_reason=FinishReason.STOP,
                judgement=Judgement.PASS if task.family == "rev" and k else Judgement.WRONG, reward=0.0,
            )
            for task in tasks
            for k in range(2)
        ]  # fmt: skip
        changes = [StatusChange(task_id=task.task_id, status=Status.ACCEPTED, reason="planted") for task in tasks]
        shop.commit([*tasks, *changes, policy, *rollouts], batch="planted", purpose="planted")
        assert {task.split for task in tasks} == set(Split)
        yield shop


def asked(shop: Workshop, style: str, n: int, origin: str | None = None, documents: Path | None = None):
    return commissions(shop, STYLES.get(style), n=n, seed=1, origin=origin, documents=documents)


def test_failures_are_of_training_tasks_and_the_weakest_arm_comes_first(shop: Workshop):
    found = asked(shop, "weak_spot", 4)
    assert [one.params["weak_family"] for one in found] == ["urn", "rev", "urn", "rev"]
    assert {failure.completion for one in found for failure in one.failures} == {"train"}
    assert [one.params["weak_family"] for one in asked(shop, "weak_spot", 2, "rev")] == ["rev", "rev"]
    assert asked(shop, "weak_spot", 4) == found


def test_parents_are_training_tasks(shop: Workshop):
    found = asked(shop, "harder", 20, "urn")
    assert {one.parent.split for one in found} == {Split.TRAIN}
    assert {one.parent.family for one in found} == {"urn"}
    assert len({one.parent.task_id for one in found}) == 20
    assert len(asked(shop, "harder", 100, "urn")) == 100


def test_documents_are_cut_into_pieces(shop: Workshop, tmp_path: Path):
    words = "Ada counts the sheep on the hill every morning before the bell rings and writes the number down. "
    (tmp_path / "a.md").write_text("\n\n".join([words * 20] * 5 + ["short"]))
    (tmp_path / "b.jsonl").write_text(json.dumps({"text": words * 2}) + "\n")
    (tmp_path / "c.bin").write_bytes(b"\x00")
    pieces = passages(tmp_path)
    assert all(20 * 5 <= len(piece) <= 4_000 for piece in pieces)
    assert sum(piece.count("Ada") for piece in pieces) == 20 * 5 + 2
    assert len(asked(shop, "document", 7, documents=tmp_path)) == 7
    (tmp_path / "d.jsonl").write_text("{}\n")
    with pytest.raises(UserError, match="without a 'text'"):
        passages(tmp_path)
    with pytest.raises(UserError, match="holds no document"):
        passages(tmp_path / "c.bin")
