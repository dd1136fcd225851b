"""What tasks are written from: known tasks, documents, failed rollouts and logged failures; never anything held out."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from flows.workshop import Workshop
from synth.seeds import stream
from synth.writers import Commission
from synth.writers.style import Failure, Style
from warehouse.errors import UserError
from warehouse.records import Task

SHOWN = 4
"""Failed rollouts in one commission."""
PASSAGE = 4_000
"""Characters of one piece of a document."""
TOPICS = (
    "travel and distances", "cooking and portions", "money and discounts", "time and schedules", "sports results",
    "gardening and areas", "counting arrangements", "sharing and remainders", "speeds and rates", "ages",
    "mixtures", "a factory's output", "library books", "train tickets", "temperatures", "a school trip",
)  # fmt: skip


def commissions(
    shop: Workshop,
    style: Style,
    *,
    n: int,
    seed: int,
    origin: str | None,
    documents: Path | None,
    weakest: int | None = None,
) -> list[Commission]:
    """`n` commissions in the form that `style` needs, the same for the same warehouse and `seed`.

    `origin` is a source or family whose accepted training tasks are the parents, or whose failures are shown: those of
    the `weakest` arms alone where that is given. Raises `UserError` where there is nothing to write from.
    """
    rng = stream("commissions", style.name, seed)
    if "document" in style.needs:
        pieces = passages(documents)
        return [Commission(seed=i, document=pieces[i % len(pieces)]) for i in range(n)]
    if "failures" in style.needs:
        spots = failed(shop, origin)[:weakest]
        return [_with_failures(spots[i % len(spots)], i, seed) for i in range(n)]
    if "parent" in style.needs or origin is not None:
        parents = training_tasks(shop, origin)
        chosen = rng.sample(parents, n) if n <= len(parents) else rng.choices(parents, k=n)
        return [Commission(seed=i, level=parent.level, parent=parent) for i, parent in enumerate(chosen)]
    return [Commission(seed=i, params={"topic": rng.choice(TOPICS)}) for i in range(n)]


def training_tasks(shop: Workshop, origin: str | None) -> list[Task]:
    """The accepted verifiable training tasks of a source or family, or of all, by identity.

    What models wrote is left out, unless `origin` is their source, so that tasks do not grow out of each other.
    """
    where = "status = 'accepted' AND split = 'train' AND kind = 'verifiable' AND domain <> 'agent' AND ("
    where += "task_id NOT IN ("
    where += "SELECT task_id FROM attempts WHERE generator_kind = 'model' AND task_id IS NOT NULL) OR source = $origin)"
    if origin is not None:
        where += " AND (source = $origin OR family = $origin)"
    found = shop.store.read(Task, where, {"origin": origin})
    if not found:
        of = f" of '{origin}'" if origin else ""
        raise UserError(f"no accepted training task{of} is in the warehouse; see: gradatim import --help")
    return sorted(found, key=lambda task: task.task_id)


def failed(shop: Workshop, origin: str | None) -> list[tuple[str, int, list[Failure]]]:
    """Family, level and failures of every arm that has some, weakest arm first.

    Failures are rollouts on training tasks, and traces of imported logs.
    """
    asked = origin or "all"
    rollouts = shop.store.named("failed_rollouts", origin=asked).to_pylist()
    traces = shop.store.named("failed_traces", origin=asked).to_pylist()
    spots: dict[tuple[float, str, int], list[Failure]] = defaultdict(list)
    for row in [*rollouts, *traces]:
        key = (float(row["pass_rate"]), str(row["family"]), int(row["level"]))
        right, told = str(row.get("gold") or ""), str(row.get("feedback") or "")
        spots[key].append(Failure(str(row["prompt"]), str(row["completion"]), right, told))
    if not spots:
        of = f" of '{origin}'" if origin else ""
        raise UserError(
            f"no failed rollout{of} on a training task and no failed trace is in the warehouse; "
            "see: gradatim calibrate --help, gradatim import --help"
        )
    return [(family, level, spots[rate, family, level]) for rate, family, level in sorted(spots)]


def passages(path: Path | None) -> list[str]:
    """Pieces of at most 4,000 characters of the documents at `path`: text files, or JSONL with `text` in each row."""
    see = "see: gradatim synth --help"
    if path is None:
        raise UserError(f"this style writes from documents: give --documents PATH; {see}")
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    pieces = []
    for file in files:
        if file.suffix in (".txt", ".md", ".rst", ".jsonl") and file.is_file():
            for text in _texts(file):
                pieces += _cut(text)
    if not pieces:
        raise UserError(f"'{path}' holds no document: a .txt, .md, .rst or .jsonl file, or a folder of them; {see}")
    return pieces


def _texts(file: Path) -> list[str]:
    text = file.read_text(encoding="utf-8", errors="replace")
    if file.suffix != ".jsonl":
        return [text]
    try:
        rows = [json.loads(line) for line in text.splitlines() if line.strip()]
        return [str(row["text"]) for row in rows]
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"'{file}' has a row without a 'text'; see: gradatim synth --help") from error


def _cut(text: str) -> list[str]:
    """The paragraphs of a text, joined to pieces of at most `PASSAGE` characters."""
    pieces: list[str] = []
    for paragraph in text.split("\n\n"):
        if pieces and len(pieces[-1]) + len(paragraph) + 2 <= PASSAGE:
            pieces[-1] += f"\n\n{paragraph}"
        else:
            pieces += [paragraph[start : start + PASSAGE] for start in range(0, len(paragraph), PASSAGE)]
    return [piece for piece in pieces if len(piece.split()) >= 20]


def _with_failures(spot: tuple[str, int, Sequence[Failure]], place: int, seed: int) -> Commission:
    family, level, failures = spot
    rng = stream("failures", family, level, place, seed)
    chosen = rng.sample(list(failures), min(SHOWN, len(failures)))
    return Commission(seed=place, level=level, failures=tuple(chosen), params={"weak_family": family})
