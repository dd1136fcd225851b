"""The report of a campaign as one self-contained HTML file."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import vl_convert
from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from flows.report.charts import charts, names
from flows.report.events import events
from flows.report.examples import LONGEST
from flows.report.facts import Facts, gather
from flows.report.summary import figure, share, summary
from flows.report.tables import costs, families, headline, matrix, versions
from flows.report.words import WORDS
from warehouse.store import Store


def build(store: Store, campaign_id: str, out: Path, *, baseline: str | None = None) -> Path:
    """Write the report of `campaign_id` to `out` and return it; `baseline` is the campaign of the other arm.

    The file opens from disk without a network: scripts, styles and data are inside, and its policy forbids fetching.
    What the warehouse does not hold is said in a sentence. Equal rows give equal bytes.
    """
    html = render(gather(store, campaign_id, baseline))
    out.parent.mkdir(parents=True, exist_ok=True)
    draft = out.with_suffix(".tmp")
    draft.write_text(html, encoding="utf-8")
    os.replace(draft, out)
    return out


def render(facts: Facts) -> str:
    """The page of `facts`."""
    found = charts(facts)
    return _page().render(
        facts=facts,
        arms=names(facts),
        summary=summary(facts),
        headline=headline(facts),
        matrix=matrix(facts),
        words=WORDS,
        charts=set(found),
        specs=_embedded(found),
        families=families(facts),
        costs=costs(facts),
        versions=versions(facts),
        events=events(facts),
        vega=_vega(),
    )


def _page() -> Template:
    environment = Environment(
        loader=PackageLoader("flows.report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "figure": figure,
        "share": share,
        "short": _short,
        "number": _number,
        "pretty": _pretty,
        "brief": _brief,
    }
    return environment.get_template("report.html")


_GLOBALS = "window.vegaEmbed = vegaEmbed;"


@lru_cache(maxsize=1)
def _vega() -> Markup:
    """Vega, Vega-Lite and vega-embed as one script that cannot end its own element."""
    return Markup(str(vl_convert.javascript_bundle(_GLOBALS)).replace("</script", "<\\/script"))


def _embedded(value: Mapping[str, object]) -> Markup:
    """JSON that is safe inside a script element."""
    text = json.dumps(_finite(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character, escape in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"), ("\u2028", "\\u2028")):
        text = text.replace(character, escape)
    return Markup(text)


def _finite(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    return [_finite(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _short(text: object, most: int = LONGEST) -> str:
    shown = str(text)
    return shown if len(shown) <= most else f"{shown[:most]} … ({len(shown):,} characters)"


def _number(value: float | int | None, digits: int = 2) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.{digits}f}"


def _brief(value: object) -> str:
    """A number to three significant digits; a dash for what is none."""
    return f"{value:.3g}" if isinstance(value, (int, float)) else "–"


def _pretty(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True, default=str)
