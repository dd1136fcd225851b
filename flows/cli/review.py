"""`gradatim review`: the queue for people."""

from __future__ import annotations

import getpass
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from flows.cli.options import AsJson, DryRun, home_of
from flows.cli.output import Output, print_json, print_table, say

HIDDEN = ("what", "verdicts")


def command(
    context: typer.Context,
    item: Annotated[str | None, typer.Argument(help="Task or rollout id, or its first characters.")] = None,
    verdict: Annotated[str | None, typer.Option(help="right, wrong or unclear: store it without asking.")] = None,
    note: Annotated[str, typer.Option(help="Why, in a few words.")] = "",
    reviewer: Annotated[str | None, typer.Option(help="Who reviews; by default the user's name.")] = None,
    n: Annotated[int, typer.Option("--n", min=1, max=1000, help="Items to draw from the queue.")] = 10,
    only_list: Annotated[bool, typer.Option("--list", help="Print the queue and ask nothing.")] = False,
    agreement: Annotated[bool, typer.Option("--agreement", help="How often people and each judge agree.")] = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Look at what the judges are least sure of and say what is right; your words are stored as verdicts of a person.

    Example: gradatim review
    Example: gradatim review 7c01 --verdict wrong --note "two answers fit"
    """
    from flows.settings import prepared
    from flows.steps import reviewing
    from flows.workshop import looking, workshop

    settings = prepared(home_of(context))
    out = Output(as_json=as_json)
    if item is None and (only_list or agreement or as_json or dry_run):
        with looking(settings) as shop:
            out.rows(reviewing.agreement(shop.store) if agreement else reviewing.queue(shop.store, n))
        return
    word = _word(verdict) if verdict is not None else None
    if item is not None and word is None:
        with looking(settings) as shop:
            shown = reviewing.evidence(shop.store, item)
        _show(shown, as_json=as_json)
        return
    who = reviewer or getpass.getuser()
    with looking(settings) as shop:
        if dry_run and item is not None:
            out.value(_stored(reviewing.evidence(shop.store, item), word, who))
            return
    with workshop(settings, flow="review", config={"reviewer": who}) as shop:
        if item is not None and word is not None:
            shown = reviewing.evidence(shop.store, item)
            reviewing.store_review(shop, shown, word, reviewer=who, note=note)
            out.value(_stored(shown, word, who))
            return
        for row in reviewing.queue(shop.store, n):
            shown = reviewing.evidence(shop.store, str(row["id"]))
            say(f"why: {row['why']}")
            _show(shown, as_json=False)
            said = typer.prompt("right, wrong, unclear, skip or quit", default="skip")
            if said.startswith("q"):
                break
            if not said.startswith("s"):
                why = typer.prompt("note", default="", show_default=False)
                reviewing.store_review(shop, shown, _word(said), reviewer=who, note=why)


def _stored(shown: Mapping[str, Any], word: object, who: str) -> Mapping[str, object]:
    return {"id": shown["id"], "what": shown["what"], "verdict": str(word), "reviewer": who}


def _word(text: str) -> Any:
    from flows.steps.reviewing import Word
    from warehouse.errors import unknown_name

    found = [word for word in Word if text and word.value.startswith(text)]
    if len(found) != 1:
        raise unknown_name("verdict", text, [word.value for word in Word], "gradatim review --help")
    return found[0]


def _show(shown: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(shown)
        return
    rows = [{"what": k, "value": v} for k, v in shown.items() if k not in HIDDEN and v not in (None, "", [], {})]
    print_table(rows, title=str(shown["what"]))
    print_table(shown["verdicts"], title="what the checks said")
