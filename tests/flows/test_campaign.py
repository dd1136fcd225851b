"""The shortened pocket campaign: what it leaves in the warehouse, and that it is done once."""

from __future__ import annotations

import itertools

import pytest

SECRET = "hunter2-planted-secret"


@pytest.fixture
def ask(campaign, verb):
    def run(query: str):
        ended = verb(campaign.home, "sql", query, "--json")
        assert ended.code == 0, ended.err
        return ended.value

    return run


def test_the_result_has_figures_with_intervals_before_and_after(campaign):
    result = campaign.ended.value
    assert {"run_id", "report", "stages", "before", "after"} <= result.keys()
    for side in (result["before"], result["after"], result["baseline"]["after"], result["groups"]["words"]["after"]):
        for metric in ("pass@1", "pass@8", "entropy"):
            assert side[metric]["low"] <= side[metric]["value"] <= side[metric]["high"]
            assert side[metric]["n"] > 0


def test_what_changed_is_what_compare_says(campaign, verb):
    result = campaign.ended.value
    first, last = result["stages"][0]["policy_in"], result["stages"][-1]["policy_out"]
    for metric, change in result["change"].items():
        told = verb(campaign.home, "compare", first, last, "--metric", metric, "--json").value
        assert change == {name: told[name] for name in ("difference", "low", "high", "verdict")}
    assert list(result["change"]) == list(result["baseline"]["against"]) == ["pass@1", "pass@8"]


def test_the_result_tells_how_right_the_tasks_are_that_a_model_wrote(campaign):
    written = campaign.ended.value["written"]
    assert {"separated", "alone"} == written.keys()
    assert written["separated"]["n_proposals"] == 96


def test_both_domains_are_there_and_every_accepted_task_has_passed_all_its_checks(ask):
    domains = ask("select distinct domain from current_tasks where status = 'accepted' order by 1")
    assert [row["domain"] for row in domains] == ["code", "math"]
    unproven = ask(
        "select count(*) n from current_tasks t where status = 'accepted' and not exists "
        "(select 1 from verdicts v where v.task_id = t.task_id)"
    )
    failed = ask(
        "select count(*) n from current_tasks t join verdicts v using (task_id) "
        "where status = 'accepted' and outcome <> 'pass'"
    )
    assert unproven == failed == [{"n": 0}]


def test_every_funnel_row_balances(ask):
    rows = ask("select n_in, n_out, n_rejected from funnel")
    assert rows
    assert all(row["n_in"] == row["n_out"] + row["n_rejected"] for row in rows)


def test_splits_share_no_task_and_no_prompt(ask):
    assert ask("select count(*) n from (select task_id from tasks group by 1 having count(distinct split) > 1)") == [
        {"n": 0}
    ]


def test_stages_are_each_pinned_to_a_snapshot_and_follow_each_other(campaign, ask):
    stages = campaign.ended.value["stages"]
    assert [stage["index"] for stage in stages] == [1, 2]
    rows = ask("select stage_id, snapshot_id, status from current_stages where kind = 'grpo'")
    assert len(rows) == 4
    assert all(row["snapshot_id"] > 0 and row["status"] == "finished" for row in rows)
    for before, after in itertools.pairwise(stages):
        assert after["policy_in"] == before["policy_out"] or before["policy_in"] == before["policy_out"]


def test_rollouts_and_draws_of_every_step_are_rows(ask):
    groups = ask(
        "select r.stage_id, r.step, r.slot, count(*) n, count(distinct r.task_id) tasks from rollouts r "
        "where purpose = 'train' group by all"
    )
    assert groups
    assert all(row["n"] == 4 and row["tasks"] == 1 for row in groups)
    undrawn = ask(
        "select count(*) n from rollouts r anti join draws d using (stage_id, stage_attempt, step, slot, task_id) "
        "where purpose = 'train'"
    )
    assert undrawn == [{"n": 0}]


def test_a_finished_campaign_is_verified_and_not_run_again(campaign, verb):
    again = verb(campaign.home, "run", "--config", str(campaign.config), "--json")
    assert again.code == 0
    assert "verified" in again.err
    assert again.value["run_id"] == campaign.ended.value["run_id"]


def test_a_checkpoint_that_changed_is_noticed(campaign, verb, tmp_path):
    import shutil

    home = tmp_path / "copy"
    shutil.copytree(campaign.home, home)
    weights = sorted((home / "checkpoints").rglob("model.safetensors"))
    for file in weights:
        data = bytearray(file.read_bytes())
        data[-1] ^= 1
        file.write_bytes(bytes(data))
    again = verb(home, "run", "--config", str(campaign.config))
    assert again.code != 0
    assert "checkpoint" in again.err
    assert "Traceback" not in again.err.splitlines()[-1]


def test_a_planted_secret_is_nowhere(campaign):
    assert SECRET not in campaign.ended.out + campaign.ended.err
    leaks = [path for path in campaign.home.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert leaks == []


def test_the_last_checkpoint_explains_itself(campaign, verb):
    last = campaign.ended.value["stages"][-1]["policy_out"]
    found = verb(campaign.home, "explain", last, "--json")
    assert found.code == 0, found.err
    assert found.value["kind"] == "checkpoint"
