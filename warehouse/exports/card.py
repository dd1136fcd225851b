"""The dataset card of an export: what is in it, from where, and how it was admitted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from warehouse.exports.manifest import Manifest
from warehouse.records import Status, Task

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def card(name: str, manifest: Manifest, tasks: Sequence[Task], *, status: str | None) -> str:
    """The README.md of an exported dataset of tasks of one `status`, with the front matter that dataset hubs read."""
    size = next((word for limit, word in _SIZES if len(tasks) < limit), "n>1M")
    used = sorted(
        {
            manifest.licences.get(source, "apache-2.0" if source == "gradatim" else "unknown").lower()
            for source in manifest.sources
        }
    )
    lines = [
        "---",
        f"pretty_name: {name}",
        "license:",
        *(f"- {word}" for word in used),
        "size_categories:",
        f"- {size}",
    ]
    lines += ["tags:", "- reinforcement-learning", "- verifiable-rewards", "- gradatim"]
    if manifest.format == "datasets":
        lines += ["configs:", "- config_name: default", "  data_files:"]
        for split in manifest.n_tasks:
            lines += [f"  - split: {split}", f"    path: data/{split}-*.parquet"]
    lines += ["---", "", f"# {name}", "", f"{len(tasks)} verifiable tasks in the layout `{manifest.layout}`, "]
    lines[-1] += f"read from warehouse snapshot {manifest.snapshot_id}."
    lines += [
        "",
        "Every task was admitted by independent evidence; see the verdicts in the warehouse it came from."
        if status == Status.ACCEPTED
        else f"These tasks were not admitted: their status is {status or 'any'}.",
        "",
    ]
    lines += ["| split | tasks |", "|---|---|", *(f"| {s} | {n} |" for s, n in manifest.n_tasks.items()), ""]
    lines += ["| source | tasks | licence |", "|---|---|---|"]
    lines += [
        f"| {s} | {n} | {manifest.licences.get(s, 'apache-2.0' if s == 'gradatim' else 'unknown')} |"
        for s, n in manifest.sources.items()
    ]
    families = Counter((t.family, t.level) for t in tasks)
    lines += ["", "| family | level | tasks |", "|---|---|---|"]
    lines += [f"| {family} | {level} | {n} |" for (family, level), n in sorted(families.items())]
    kept = ", ".join(manifest.private) or "none: hidden tests, the held-out and the canary split are left out"
    return "\n".join([*lines, "", f"Private parts included: {kept}.", ""])
