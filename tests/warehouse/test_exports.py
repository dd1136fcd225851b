from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import datasets
import pyarrow.parquet as pq
import pytest
from blake3 import blake3
from warehouse_rows import campaign, status

from warehouse.errors import UserError
from warehouse.exports import LAYOUTS, export, read
from warehouse.exports.reading import ExportError
from warehouse.exports.writing import PRIVATE
from warehouse.records import Split, Status
from warehouse.store import Store
from warehouse.upkeep import purge


@pytest.mark.parametrize("format_name", ["jsonl", "parquet", "datasets"])
@pytest.mark.parametrize("layout_name", sorted(LAYOUTS))
def test_every_layout_reads_back_as_the_same_tasks(
    filled: Store, tmp_path: Path, layout_name: str, format_name: str
) -> None:
    told = export(filled, tmp_path / "x", layout_name=layout_name, format_name=format_name, private=PRIVATE)
    assert told.left_out == {}
    assert told.n_tasks == {"train": 9, "canary": 1, "heldout": 2}
    assert read(tmp_path / "x") == filled.tasks()


@pytest.mark.parametrize("layout_name", sorted(LAYOUTS))
def test_private_parts_stay_unless_asked_for(filled: Store, tmp_path: Path, layout_name: str) -> None:
    told = export(filled, tmp_path / "x", layout_name=layout_name)
    shown = read(tmp_path / "x")
    train = [t for t in filled.tasks() if t.split is Split.TRAIN]
    assert shown == [dataclasses.replace(t, hidden_tests=None) for t in train]
    assert told.left_out == {"heldout": 2, "canary": 1, "hidden_tests": sum(t.hidden_tests is not None for t in train)}
    everything = "".join(p.read_text() for p in (tmp_path / "x").iterdir())
    assert "rev w10?" not in everything
    assert not list(tmp_path.glob(".*partial"))


def test_datasets_loads_the_folder_with_its_splits_and_card(filled: Store, tmp_path: Path) -> None:
    export(filled, tmp_path / "tasks", layout_name="trl", format_name="datasets")
    loaded = datasets.load_dataset(str(tmp_path / "tasks"), cache_dir=str(tmp_path / "cache"))
    assert {name: len(split) for name, split in loaded.items()} == {"train": 9}
    assert loaded["train"][0]["prompt"] == [{"role": "user", "content": "rev w0?"}]
    card = (tmp_path / "tasks" / "README.md").read_text()
    assert "- mit" in card
    assert "| corpus | 2 | MIT |" in card
    assert "Every task was admitted by independent evidence" in card


def test_layouts_have_the_columns_that_their_readers_want(filled: Store, tmp_path: Path) -> None:
    wanted = {
        "trl": {"prompt", "solution"},
        "verl": {"data_source", "prompt", "ability", "reward_model", "extra_info"},
        "prime-rl": {"question", "answer", "info", "task"},
        "reasoning-gym": {"question", "answer", "metadata"},
    }
    for name, columns in wanted.items():
        export(filled, tmp_path / name, layout_name=name, format_name="parquet")
        assert columns <= set(pq.read_schema(tmp_path / name / "train.parquet").names)
    row = pq.read_table(tmp_path / "verl" / "train.parquet").to_pylist()[0]
    assert row["reward_model"] == {"style": "rule", "ground_truth": "0w"}


def test_the_card_of_tasks_that_were_not_admitted_says_so(store: Store, tmp_path: Path) -> None:
    store.commit(campaign(), batch="c", purpose="x", run="r")
    store.commit([status(0, Status.QUARANTINED)], batch="q", purpose="x", run="r")
    export(store, tmp_path / "x", status=Status.QUARANTINED)
    assert "were not admitted: their status is quarantined" in (tmp_path / "x" / "README.md").read_text()


def test_a_takedown_reaches_exports(store: Store, tmp_path: Path) -> None:
    store.commit(campaign(), batch="c", purpose="x", run="run1")
    export(store, tmp_path / "all")
    export(store, tmp_path / "other", family="rev", private=("heldout",))
    assert purge(store, "corpus")["exports"] == 2
    assert not (tmp_path / "all").exists()
    export(store, tmp_path / "all")
    assert {t.source for t in read(tmp_path / "all")} == {"gradatim"}


def test_bad_requests_are_told_and_write_nothing(filled: Store, tmp_path: Path) -> None:
    for arguments, told in (
        ({"layout_name": "tlr"}, "unknown layout 'tlr'; nearest: trl"),
        ({"format_name": "csv"}, "unknown format 'csv'"),
        ({"private": ("hidden",)}, "unknown private part 'hidden'; nearest: hidden_tests"),
        ({"family": "none"}, "no task fits"),
    ):
        with pytest.raises(UserError, match=told):
            export(filled, tmp_path / "x", **arguments)  # type: ignore[arg-type]
    assert not (tmp_path / "x").exists()
    export(filled, tmp_path / "x")
    with pytest.raises(UserError, match="is not empty"):
        export(filled, tmp_path / "x")
    with pytest.raises(UserError, match="is no export"):
        read(tmp_path)
    first = tmp_path / "x" / "train.jsonl"
    first.write_text(json.dumps({"prompt": "p", "level": "high"}) + "\n")
    with pytest.raises(ExportError, match="was cut or changed"):
        read(tmp_path / "x")
    manifest = json.loads((tmp_path / "x" / "manifest.json").read_text())
    manifest["files"]["train.jsonl"] = blake3(first.read_bytes()).hexdigest()
    manifest["n_tasks"]["train"] = 1
    (tmp_path / "x" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ExportError, match="is no task"):
        read(tmp_path / "x")


@pytest.mark.parametrize(
    "changes",
    [
        {"n_tasks": {"train": "9"}},
        {"n_tasks": {"train": None}},
        {"n_tasks": {"train": -1, "canary": 11}},
        {"sources": {"mbpp": "5"}},
        {"sources": {"mbpp": 10**30}},
        {"licences": {"mbpp": 3}},
        {"files": {"train.jsonl": 3}},
        {"files": {"a" * 5000: "x"}},
        {"private": [1]},
        {"version": True},
    ],
)
def test_a_manifest_that_says_what_cannot_be_is_refused(
    filled: Store, tmp_path: Path, changes: dict[str, object]
) -> None:
    export(filled, tmp_path / "x")
    path = tmp_path / "x" / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    with pytest.raises(ExportError, match=r"is damaged|is missing"):
        read(tmp_path / "x")


def test_a_number_beyond_what_a_column_holds_is_no_task(filled: Store, tmp_path: Path) -> None:
    export(filled, tmp_path / "x")
    path = tmp_path / "x" / "train.jsonl"
    first, *rest = path.read_text().splitlines()
    path.write_text("\n".join([json.dumps({**json.loads(first), "level": 10**30}), *rest]) + "\n")
    manifest = tmp_path / "x" / "manifest.json"
    told = json.loads(manifest.read_text())
    told["files"]["train.jsonl"] = blake3(path.read_bytes()).hexdigest()
    manifest.write_text(json.dumps(told))
    with pytest.raises(ExportError, match="is no task"):
        read(tmp_path / "x")
