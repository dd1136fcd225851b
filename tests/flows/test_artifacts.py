"""What is shown in Prefect's pages: what it says, that it draws, and that it never stops a flow."""

from __future__ import annotations

import pytest

from flows import artifacts
from flows.artifacts import health_spec, picture
from warehouse.records import Mixture

LOOKS = {
    0: {"pass@1": 0.2, "pass@8": 0.5, "entropy": 1.2, "lost": 3.0},
    1: {"pass@1": 0.3, "pass@8": 0.5, "entropy": float("nan"), "all_right": 0.1},
}


def test_the_health_panel_draws_each_series_that_is_there_and_a_rule_at_each_alarm():
    spec = health_spec(LOOKS, {1: "pass_k_loss"})
    assert [panel["title"] for panel in spec["concat"]] == ["pass@1", "pass@8", "entropy", "all right"]
    assert [point["stage"] for point in spec["concat"][2]["layer"][0]["data"]["values"]] == [0], "NaN is a gap"
    assert spec["concat"][0]["layer"][1]["data"]["values"] == [{"stage": 1, "alarm": "pass_k_loss"}]
    drawn = picture(spec)
    assert drawn.startswith(b"\x89PNG")
    assert 2_000 < len(drawn) < 200_000


def test_without_looks_there_is_no_panel():
    assert health_spec({}, {}) is None


@pytest.fixture
def shown(monkeypatch):
    """What would be published; Prefect's own functions are replaced, ours run."""
    calls = []

    class Recorder:
        def __getattr__(self, name):
            return lambda **given: calls.append((name, given))

    monkeypatch.setattr(artifacts, "_publish", lambda draw: draw(Recorder()))
    return calls


def test_tables_hold_every_reason_and_every_move(shown):
    artifacts.show_funnel({"n_in": 10, "n_out": 7, "rejected": {"duplicate": 2, "gold": 1}})
    (name, table), *_ = shown
    assert (name, table["key"]) == ("create_table_artifact", "funnel")
    assert sum(row["n"] for row in table["table"][1:]) == table["table"][0]["n"] == 10
    row = Mixture(
        mixture_id="m",
        campaign_id="c",
        stage_index=2,
        policy_id="p",
        snapshot_id=1,
        scheduler="frontier",
        config_hash="h",
        weights={"a/1/s": 0.6, "b/1/s": 0.4},
        diff={
            "a/1/s": {"before": 0.5, "after": 0.6, "why": "mixed"},
            "c/1/s": {"before": 0.1, "after": 0.0, "why": "gone"},
        },
        kl=0.1,
    )
    artifacts.show_mixture(row)
    table = shown[-1][1]
    assert table["key"] == "mixture-plan"
    assert [(one["arm"], one["weight"], one["before"]) for one in table["table"]] == [
        ("a/1/s", 0.6, 0.5),
        ("b/1/s", 0.4, None),
        ("c/1/s", 0.0, 0.1),
    ]


def test_outside_of_a_run_nothing_is_published_and_nothing_fails(tmp_path, capsys):
    artifacts.show_report(tmp_path / "report.html")
    artifacts.show_funnel({"n_in": 1, "n_out": 1, "rejected": {}})
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_what_cannot_be_published_is_said_once_and_the_flow_goes_on(capsys):
    from prefect import flow
    from prefect.testing.utilities import prefect_test_harness

    @flow
    def shows() -> str:
        artifacts._publish(lambda p: p.create_table_artifact(table=[], key="NOT a valid key!"))
        artifacts._publish(lambda p: p.create_table_artifact(table=[], key="NOT a valid key!"))
        artifacts.show_funnel({"n_in": 1, "n_out": 1, "rejected": {}})
        return "done"

    with prefect_test_harness(server_startup_timeout=300):
        assert shows() == "done"
        from prefect.client.orchestration import get_client

        with get_client(sync_client=True) as client:
            found = client.request("POST", "/artifacts/filter", json={}).json()
    assert capsys.readouterr().err.count("an artifact could not be published") == 1
    assert [one["key"] for one in found] == ["funnel"]
