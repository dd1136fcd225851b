"""A campaign's report: self-contained, escaped, honest about what is missing."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from campaign_rows import FAMILIES, HOSTILE, campaign_rows

from flows.report import build
from flows.report.build import render
from flows.report.facts import gather
from flows.report.summary import summary
from warehouse.records import RunStatus, Split, Task
from warehouse.store import Store

SECRET = "the held-out prompt that nobody may print"


class Elements(HTMLParser):
    """Every element with its attributes, the text outside scripts, and the scripts."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.words, self.scripts, self._inside = [], [], [], None
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._inside = tag if tag in ("script", "style") else self._inside
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self._inside = None if tag == self._inside else self._inside

    def handle_data(self, data):
        if self._inside == "script":
            self.scripts[-1] += data
        elif self._inside is None:
            self.words.append(data)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    other = [
        row
        for row in campaign_rows("campaign1", scheduler="uniform", speed=0.03, seed=1)
        if row.TABLE not in ("tasks", "task_status")
    ]
    secret = Task(
        task_id="hidden", domain="math", family="rev", level=2, params={}, prompt=SECRET, answer_kind="text",
        gold=SECRET, split=Split.HELDOUT,
    )  # fmt: skip
    with Store.open(tmp_path_factory.mktemp("report") / "home") as opened:
        opened.commit([*campaign_rows(), secret], batch="one", purpose="campaign", run="run-campaign0")
        opened.commit(other, batch="two", purpose="baseline", run="run-campaign1")
        yield opened


@pytest.fixture(scope="module")
def page(store, tmp_path_factory):
    out = tmp_path_factory.mktemp("out") / "reports" / "campaign0.html"
    assert build(store, "campaign0", out, baseline="campaign1") == out
    return out


@pytest.fixture(scope="module")
def facts(store):
    return gather(store, "campaign0", "campaign1")


def test_the_file_stands_alone_and_is_small(page):
    html = page.read_text("utf-8")
    found = Elements(html)
    assert page.stat().st_size < 5_000_000
    for tag, attributes in found.elements:
        assert tag not in ("link", "iframe", "img", "object", "embed", "base")
        assert not attributes.keys() & {"src", "srcset"}
        assert attributes.get("href", "#").startswith("#")
    (policy,) = [a["content"] for tag, a in found.elements if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "@import" not in html
    assert "url(" not in (page.parent / page.name).read_text("utf-8").split("</style>")[0]


def test_what_models_wrote_stays_text(page):
    found = Elements(page.read_text("utf-8"))
    assert HOSTILE in "".join(found.words)
    assert not [tag for tag, attributes in found.elements if tag in ("img", "b") and attributes]
    assert not any(name.startswith("on") for _, attributes in found.elements for name in attributes)
    assert len(found.scripts) == 3


def test_charts_carry_their_data(page):
    found = Elements(page.read_text("utf-8"))
    specs = json.loads(found.scripts[0])
    places = {attributes["data-chart"] for _, attributes in found.elements if "data-chart" in attributes}
    assert places == set(specs)
    assert {"pass_at_1", "pass_at_k", "entropy", "mixture_families", "heat_after", "funnel", "events"} <= places
    assert '"url"' not in re.sub(r'"\$schema":"[^"]*"', "", found.scripts[0])


def test_every_part_is_there(page):
    words = " ".join(" ".join(Elements(page.read_text("utf-8")).words).split())
    assert "Detectors fired 3 times, 1 of them critical (" in words
    for family in FAMILIES:
        assert family in words
    for text in (
        "The uniform baseline, trained from the same start with 15,360 training rollouts, ended at 0.50",
        "pass@1 went from 0.38 [0.34, 0.42] to 0.58 [0.54, 0.62]: task by task +0.250 [0.250, 0.250], better",
        "Over all tasks, what pass@1 gained was not bought with breadth",
        "after stage 2: warn forgetting",
        "after stage 3: cleared forgetting",
        "stage 2, step 25: critical pass_rate_below_prediction",
        "change -0.223, upper end of its interval -0.106, measured 0.106. Warns at 0.05, critical at 0.2.",
        "learning rate 0.0003 → 0.00015. One stage later: pass@1 0.04.",
        "admitted, of all attempts",
        "P(mixed) the chance that a group",
        "Of 171 attempts to make a task, 128 were admitted (75%)",
        "forgetting cleared after stage 3); 1 action changed the run",
        "rollback_and_halve_rate",
        "campaign0-p3",
        "gradatim 0.1.0",
    ):
        assert text in words
    assert "of 8 passed at step 39 of stage 3" in words


def test_held_out_texts_are_not_printed(page):
    assert SECRET not in page.read_text("utf-8")


def test_equal_rows_give_equal_bytes(store, page, tmp_path):
    again = build(store, "campaign0", tmp_path / "again.html", baseline="campaign1")
    assert again.read_bytes() == page.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["again.html"]


def test_what_is_missing_is_said(store, tmp_path):
    words = " ".join(Elements(build(store, "unknown", tmp_path / "r.html").read_text("utf-8")).words)
    for sentence in (
        "No training stage has been recorded for this campaign.",
        "No evaluation has been recorded",
        "No mixture has been planned.",
        "No attempt to make a task has been recorded",
        "No model wrote a task in this campaign.",
        "No run has been recorded",
    ):
        assert sentence in words


EMPTY_ARM = {"stages": (), "evaluations": (), "series": (), "mixtures": ()}
EMPTY = dict.fromkeys(
    ("runs", "funnel", "reasons", "verification", "informative", "examples", "alarms", "actions", "lineage"), ()
)


@pytest.mark.parametrize("part", [*EMPTY_ARM, *EMPTY])
def test_any_part_may_be_missing_or_stand_alone(facts, part):
    empty = replace(facts, arm=replace(facts.arm, **EMPTY_ARM), baseline=None, **EMPTY)
    if part in EMPTY_ARM:
        without = replace(facts, arm=replace(facts.arm, **{part: ()}))
        alone = replace(empty, arm=replace(empty.arm, **{part: getattr(facts.arm, part)}))
    else:
        without, alone = replace(facts, **{part: ()}), replace(empty, **{part: getattr(facts, part)})
    pages = [render(alone)] + ([render(without)] if part in ("stages", "evaluations", "mixtures", "runs") else [])
    for html in pages:
        assert '<h2 id="configuration">' in html


def test_a_report_written_by_its_own_run_calls_the_campaign_complete(facts):
    run = replace(facts.runs[-1], status=RunStatus.STARTED, finished_at=None, config={"curriculum": {"n_stages": 3}})
    assert "not finished" not in " ".join(summary(replace(facts, runs=(run,))))
    longer = replace(run, config={"curriculum": {"n_stages": 4}})
    assert "The campaign has not finished" in " ".join(summary(replace(facts, runs=(longer,))))
