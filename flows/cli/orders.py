"""What `gradatim synth` does when tasks come from a model, from reasoning-gym or out of an imported corpus."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from flows.cli.output import Output
from flows.settings import Settings
from synth.engines import BudgetConfig, ModelsConfig, model_of
from warehouse.errors import UserError
from warehouse.records import JsonValue

SEE = "see: gradatim synth --help"


def models_of(file: Path | None, writer: str | None, checker: str | None, budget: Mapping[str, Any]) -> ModelsConfig:
    """The models that `[models]` of a TOML file names, with what the command line says in their place.

    Raises `UserError` for a file that cannot be read, a key or value out of range, and a shared lineage.
    """
    tables: dict[str, Any] = {}
    if file is not None:
        try:
            tables = dict(tomllib.loads(file.read_text(encoding="utf-8")).get("models", {}))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise UserError(f"'{file}' cannot be read as TOML: {error}; {SEE}") from error
    try:
        config = ModelsConfig.model_validate(tables)
        limits = {**config.budget.model_dump(), **{name: value for name, value in budget.items() if value is not None}}
        return ModelsConfig(
            writer=model_of(writer) if writer else config.writer,
            checker=model_of(checker) if checker else config.checker,
            referee=config.referee,
            budget=BudgetConfig.model_validate(limits),
        )
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(["models", *map(str, first["loc"])])
        raise UserError(f"{place}: {first['msg'].removeprefix('Value error, ')}; {SEE}") from error


def write(settings: Settings, models: ModelsConfig, order: Mapping[str, Any], output: Output, *, dry_run: bool) -> None:
    """Have tasks written, or with `dry_run` say what that can take at most."""
    from flows.steps.writing import WritingOrder

    asked = WritingOrder(**order)
    if dry_run:
        from flows.steps.writing import foreseen
        from flows.workshop import looking

        with looking(settings) as shop:
            output.value(foreseen(shop, asked, models))
        return
    from flows.synthesize_written import synthesize_written

    output.value(synthesize_written(settings.home, asked, models))


def gym(
    settings: Settings,
    names: Sequence[str],
    n: int,
    seed: int,
    output: Output,
    *,
    unlike: Sequence[str] = (),
    dry_run: bool,
) -> None:
    """Make tasks from reasoning-gym's data sets, or with `dry_run` say how many attempts."""
    if dry_run:
        from flows.steps.growing import check_gym

        check_gym(names)
        output.rows([{"gym": name, "n": n, "seed": seed} for name in names])
        return
    from flows.synthesize_grown import synthesize_gym

    output.value(synthesize_gym(settings.home, list(names), n, seed, list(unlike)))


def grow(
    settings: Settings,
    source: str,
    generators: Sequence[str],
    n: int | None,
    seed: int,
    output: Output,
    *,
    unlike: Sequence[str] = (),
    dry_run: bool,
) -> None:
    """Grow tasks from those of an imported source, at most `n` a generator; with `dry_run` say from how many."""
    from flows.steps.growing import parents_of
    from flows.workshop import looking

    with looking(settings) as shop:
        origins = parents_of(shop, source, generators)
    if dry_run:
        most = {} if n is None else {"attempts at most": n}
        rows = [{"generator": name, "grown from": len(tasks), **most, "seed": seed} for name, tasks in origins.items()]
        output.rows(rows)
        return
    from flows.synthesize_grown import synthesize_grown

    output.value(synthesize_grown(settings.home, source, list(generators), n, seed, list(unlike)))


def styles_table() -> list[dict[str, JsonValue]]:
    """Every style: its domain, what it needs, and what it asks for."""
    from synth.writers import STYLES

    return [
        {
            "style": style.name,
            "domain": str(style.domain),
            "needs": ", ".join(style.needs),
            "meaning": (type(style).__doc__ or "").strip().partition("\n")[0],
        }
        for style in STYLES
    ]
