"""The verbs that look at, keep and continue a warehouse: what they print, what they leave, what they refuse."""

from __future__ import annotations

import json
import shutil

import pytest

from warehouse.store import Store

FIGURES = {"rollouts_to_target", "uniform", "ratio", "low", "high", "oracle_ratio"}


@pytest.fixture
def tell(campaign, verb):
    """Run a verb on the campaign's home unless told another."""

    def run(*arguments: str, home=campaign.home):
        return verb(home, *arguments)

    return run


@pytest.fixture
def ask(tell):
    """The JSON value that a verb prints; it must have ended well."""

    def run(*arguments: str, **where):
        ended = tell(*arguments, "--json", **where)
        assert ended.code == 0, ended.err
        return json.loads(ended.out)

    return run


@pytest.fixture
def refused(tell):
    """The one line with which a verb refuses, with exit code 2."""

    def run(*arguments: str, **where) -> str:
        ended = tell(*arguments, **where)
        assert ended.code == 2, (ended.code, ended.out, ended.err)
        line = ended.err.strip().splitlines()[-1]
        assert line.startswith("gradatim: ")
        return line

    return run


@pytest.fixture
def copy(campaign, tmp_path):
    """A home of its own that may be changed."""
    return shutil.copytree(campaign.home, tmp_path / "copy")


def subverbs() -> list[tuple[str, str]]:
    from flows.cli.app import app

    return [
        (group.name, command.name or command.callback.__name__)
        for group in app.registered_groups
        for command in group.typer_instance.registered_commands
    ]


@pytest.mark.parametrize(("group", "verb"), subverbs())
def test_every_verb_of_a_group_has_help_and_an_example(group, verb):
    from typer.testing import CliRunner

    from flows.cli.app import app

    shown = CliRunner().invoke(app, [group, verb, "--help"])
    assert shown.exit_code == 0
    assert "Example:" in shown.output


# report, policies, diff, feed


def test_a_report_is_written_anew_and_the_campaign_stays_verified(campaign, ask, refused, tmp_path):
    out = tmp_path / "again.html"
    told = ask("report", "--out", str(out))
    assert told["campaign_id"] == campaign.ended.value["campaign_id"]
    assert told["campaign_id"] in out.read_text()
    assert "uniform" in out.read_text()
    own = campaign.ended.value["report"]
    assert "stays as it is" in refused("report", "--out", own)
    assert "matches 0 campaigns" in refused("report", "--campaign", "nothing")


def test_the_path_of_a_report_is_a_line_that_no_terminal_breaks(campaign, tell, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out = tmp_path / f"{'a_long_name_' * 10}.html"
    lines = tell("report", "--out", str(out)).out.splitlines()
    assert str(out) in lines
    assert any("pass@1" in line for line in lines)


def test_a_comparison_says_which_of_the_two_is_better_and_both_rates(campaign, ask, tell):
    stage = campaign.ended.value["stages"][0]
    found = ask("compare", stage["policy_in"][:8], stage["policy_out"][:8])
    assert found["b"] - found["a"] == pytest.approx(found["difference"])
    text = " ".join(tell("compare", stage["policy_in"][:8], stage["policy_out"][:8]).out.split())
    words = {"better": "is better", "worse": "is better", "cannot tell": "cannot tell"}
    assert words[found["verdict"]] in text
    assert "pass@1 of A" in text


def test_a_home_without_a_campaign_has_no_report_and_no_plan(refused, tell, tmp_path):
    home = tmp_path / "empty"
    assert "there is no warehouse" in refused("report", home=home)
    assert tell("doctor", home=home).code == 0
    assert not home.exists()
    Store.open(home).close()
    assert "no finished campaign" in refused("report", home=home)
    assert "no campaign" in refused("plan", home=home)


def test_policies_are_listed_in_the_order_of_writing(campaign, ask):
    rows = ask("policies")
    stages = campaign.ended.value["stages"]
    assert [row["nth"] for row in rows] == list(range(1, len(rows) + 1))
    trained = [row for row in rows if row["kind"] in ("sft", "grpo")]
    assert trained[0]["policy_id"] == stages[0]["policy_in"]
    assert {row["stage_index"] for row in trained if row["scheduler"] == "frontier"} <= {1, 2}
    assert {stage["policy_out"] for stage in stages} <= {row["policy_id"] for row in rows}


def test_a_diff_counts_what_came_between_two_snapshots(campaign, ask, refused):
    stages = campaign.ended.value["stages"]
    before, after = stages[0]["snapshot_id"], stages[-1]["snapshot_id"]
    found = ask("diff", str(before), str(after))
    assert found["tasks_added"] == []
    assert {plan["stage_index"] for plan in found["mixtures"]} >= {2}
    whole = ask("diff", "3", str(after))
    accepted = ask("sql", "select count(*) n from current_tasks where status = 'accepted'")[0]["n"]
    assert sum(row["n"] for row in whole["tasks_added"] if row["status"] == "accepted") <= accepted
    assert whole["tasks_added"]
    assert "is not kept" in refused("diff", str(before), "99999")


def test_a_feed_continues_where_it_ended(ask, refused, tmp_path):
    first = ask("feed", "policies", "--since", "0")
    assert first["n_rows"] == len(first["rows"]) == len(ask("policies"))
    assert ask("feed", "policies", "--since", str(first["until"])) == {"until": first["until"], "n_rows": 0, "rows": []}
    out = tmp_path / "rows.parquet"
    assert ask("feed", "tasks", "--since", "0", "--parquet", str(out))["n_rows"] > 0
    assert out.is_file()
    assert "nearest: policies" in refused("feed", "polices", "--since", "0")


# export


def test_an_export_leaks_nothing_private_that_was_not_named(copy, ask, refused, tmp_path):
    kept = ask("sql", "select task_id, split from current_tasks where split <> 'train' and status = 'accepted'")
    secrets = {row["task_id"] for row in kept}
    to = tmp_path / "tasks"
    planned = ask("export", str(to), "--dry-run", home=copy)
    assert not to.exists()
    assert ask("export", str(to), home=copy) == planned
    assert set(planned["n_tasks"]) == {"train"}
    assert {"heldout", "canary"} < set(planned["left_out"])
    rows = [json.loads(line) for file in to.glob("*.jsonl") for line in file.read_text().splitlines()]
    assert len(rows) == sum(planned["n_tasks"].values())
    assert secrets
    assert not secrets & {row["task_id"] for row in rows}
    assert all(row["hidden_tests"] is None for row in rows)
    everything = tmp_path / "all"
    parts = [word for part in ("heldout", "canary", "hidden_tests") for word in ("--private", part)]
    told = ask("export", str(everything), *parts, home=copy)
    assert (told["n_tasks"]["heldout"] + told["n_tasks"]["canary"], told["left_out"]) == (len(secrets), {})
    named = [json.loads(line) for file in everything.glob("*.jsonl") for line in file.read_text().splitlines()]
    assert any(row["hidden_tests"] for row in named)


def test_an_export_refuses_what_it_does_not_know(copy, refused, tmp_path):
    to = str(tmp_path / "tasks")
    assert "hidden_tests" in refused("export", to, "--private", "all", home=copy)
    assert "nearest: trl" in refused("export", to, "--layout", "trll", home=copy)
    assert "unknown format" in refused("export", to, "--format", "csv", home=copy)
    assert "nearest: accepted" in refused("export", to, "--status", "acepted", home=copy)
    assert "no task fits" in refused("export", to, "--family", "nope", home=copy)
    assert list(tmp_path.glob("tasks*")) == []


# warehouse


def test_a_backup_is_restored_as_a_home_of_its_own(copy, ask, refused, tmp_path):
    stored, restored = tmp_path / "backup", tmp_path / "restored"
    ask("warehouse", "backup", str(stored), home=copy)
    assert ask("warehouse", "restore", str(stored), home=restored)["findings"] == []
    count = "select count(*) n from tasks"
    assert ask("sql", count, home=restored) == ask("sql", count, home=copy)
    assert "already holds a warehouse" in refused("warehouse", "restore", str(stored), home=restored)


def test_a_broken_file_is_named_and_the_rest_salvaged(copy, ask, tell, tmp_path):
    assert tell("warehouse", "check", home=copy).out.strip() == "every file is whole"
    broken = sorted((copy / "data" / "main" / "verdicts").rglob("*.parquet"))[0]
    data = bytearray(broken.read_bytes())
    data[len(data) // 2] ^= 1
    broken.write_bytes(bytes(data))
    ended = tell("warehouse", "check", "--json", home=copy)
    assert ended.code == 1
    assert [(found["problem"], found["table"]) for found in json.loads(ended.out)] == [("blake3", "verdicts")]
    ended = tell("warehouse", "check", "--salvage", str(tmp_path / "rescued"), "--json", home=copy)
    assert ended.code == 1
    assert [found["table"] for found in json.loads(ended.out)["findings"]] == ["verdicts"]
    told = {row["table"]: row for row in json.loads(ended.out)["salvaged"]}
    assert told["verdicts"]["n_files_lost"] == 1
    assert told["tasks"]["n_files_lost"] == 0


def test_upkeep_that_is_tried_changes_nothing_and_then_does_what_it_said(copy, ask):
    pinned = {stage["snapshot_id"] for stage in ask("sql", "select snapshot_id from current_stages", home=copy)}
    rollouts = ask("sql", "select count(*) n from rollouts", home=copy)[0]["n"]
    planned = ask("warehouse", "expire", "--older-than", "0s", "--dry-run", home=copy)
    assert planned["n_snapshots"] > 0
    assert not pinned & set(planned["snapshots"])
    assert ask("warehouse", "expire", "--older-than", "0s", home=copy) == planned
    assert ask("warehouse", "retain", "--rollouts", "0s", "--dry-run", home=copy) == {"n_rollouts": rollouts}
    assert ask("warehouse", "retain", "--rollouts", "9w", home=copy) == {"n_rollouts": 0}
    assert ask("sql", "select count(*) n from rollouts", home=copy)[0]["n"] == rollouts
    merged = ask("warehouse", "compact", home=copy)
    assert merged["n_files_after"] < merged["n_files_before"]
    assert ask("warehouse", "clean", "--dry-run", home=copy)["n_files"] >= 0
    planned = ask("warehouse", "purge", "--source", "gradatim", "--dry-run", home=copy)
    ours = "select count(*) n from tasks where source = 'gradatim'"
    assert ask("sql", ours, home=copy)[0]["n"] == planned["tasks"] > 0
    assert ask("warehouse", "purge", "--source", "gradatim", home=copy) == planned
    assert ask("sql", ours, home=copy) == [{"n": 0}]
    assert ask("sql", "select count(*) n from tasks", home=copy)[0]["n"] > 0


def test_upkeep_refuses_what_it_cannot_do(copy, refused, tmp_path):
    assert "a number and a unit" in refused("warehouse", "expire", "--older-than", "soon", home=copy)
    assert "no task comes from source" in refused("warehouse", "purge", "--source", "gsm8k", home=copy)
    assert "at most 1 each" in refused("warehouse", "move", "--to", "/a", "--to", "/b", home=copy)
    for verb in ("check", "compact", "expire", "clean", "attach"):
        assert "there is no warehouse" in refused("warehouse", verb, home=tmp_path / "none")
    assert not (tmp_path / "none" / "catalog.sqlite").exists()


def test_the_attach_line_names_this_home_and_no_password(campaign, ask, monkeypatch):
    assert str(campaign.home / "catalog.sqlite") in ask("warehouse", "attach")["sql"]
    monkeypatch.setenv("GRADATIM_CATALOG_URL", "postgres://me:hunter2@db:5432/lake")
    told = ask("warehouse", "attach")["sql"]
    assert "me@db" in told
    assert "hunter2" not in told


# simulate, graders


def test_a_simulation_gives_its_figures_whatever_the_number_of_processes(ask):
    alone = ask("simulate", "--scheduler", "dapo", "--pool", "easy", "--seeds", "0:2", "--workers", "1")
    assert alone.keys() == FIGURES | {"scheduler", "pool", "seeds"}
    assert alone["low"] <= alone["ratio"] <= alone["high"]
    assert ask("simulate", "--scheduler", "dapo", "--pool", "easy", "--seeds", "0:2", "--workers", "2") == alone


def test_simulations_of_what_is_unknown_are_refused(ask, refused):
    names = {row["scheduler"] for row in ask("simulate", "--list")}
    assert {"frontier", "uniform", "oracle"} <= names
    assert "nearest: frontier" in refused("simulate", "--scheduler", "fronteer")
    assert "unknown pool 'mix'" in refused("simulate", "--scheduler", "uniform", "--pool", "mix")
    for seeds in ("5", "5:5", "a:b", "-1:2"):
        assert "must be A:B" in refused("simulate", "--scheduler", "uniform", f"--seeds={seeds}")
    assert "name a scheduler" in refused("simulate")


def test_a_stack_that_cannot_work_is_refused_with_its_first_fatal_problem(ask, tell, refused, tmp_path):
    assert ask("graders", "check", "--default") == []
    stack = tmp_path / "stack.toml"
    stack.write_text('[[grader]]\nname = "right"\nuses = "verifyer"\n')
    line = refused("graders", "check", str(stack))
    assert "right: unknown grader 'verifyer'; nearest: verifier" in line
    listed = json.loads(tell("graders", "check", str(stack), "--json").out)
    assert listed[0]["fatal"] is True
    stack.write_text("[[grader]\n")
    assert "is not TOML" in refused("graders", "check", str(stack))
    assert "is not there" in refused("graders", "check", str(tmp_path / "absent.toml"))
    assert "give one stack" in refused("graders", "check")


def test_graders_are_listed_and_their_conflicts_are_rows(ask):
    assert "verifier" in {row["grader"] for row in ask("graders", "list")}
    assert isinstance(ask("graders", "conflicts"), list)


# plan, train, replay


def test_a_plan_is_shown_written_and_checked_and_nothing_is_stored(campaign, ask, refused, tmp_path):
    count = "select count(*) n, (select count(*) from runs) runs from mixtures"
    before = ask("sql", count)
    file = tmp_path / "plan.toml"
    told = ask("plan", "--dry-run", "--out", str(file))
    assert told["campaign_id"] == campaign.ended.value["campaign_id"]
    assert told["mixture_id"] is None
    assert sum(told["weights"].values()) == pytest.approx(1.0)
    assert told["previous"] is not None
    assert told["trained"] == campaign.ended.value["stages"][-1]["stage_id"]
    assert ask("sql", count) == before
    assert ask("plan", "--check", str(file))["n_arms"] == len(told["weights"])
    assert ask("plan", "--check", str(file), "--campaign", told["campaign_id"])["kl"] <= 0.35
    arm, weight = max(told["weights"].items(), key=lambda item: item[1])
    text = file.read_text()
    line = next(row for row in text.splitlines() if row.startswith(f'"{arm}" = '))
    file.write_text(text.replace(line, f'"{arm}" = {weight - 0.02}', 1))
    at = text.splitlines().index("[weights]") + 1
    assert f"mixture weights sum to 0.98, must be 1.0 ({file}:{at}); see: gradatim plan --check {file}" in refused(
        "plan", "--check", str(file)
    )


def test_a_plan_that_was_trained_already_says_so_in_its_title(campaign, tell):
    title = " ".join(tell("plan").out.partition("┃")[0].split())
    assert f"which was trained already, by stage {campaign.ended.value['stages'][-1]['stage_id'][:8]}" in title


def test_plans_for_what_is_not_there_are_refused(refused, tmp_path):
    assert "matches 0 rows" in refused("plan", "--policy", "nothing")
    assert "matches 0 campaigns" in refused("plan", "--campaign", "nothing")
    assert "is not there" in refused("plan", "--check", str(tmp_path / "absent.toml"))
    assert "leave out --dry-run" in refused("plan", "--apply", "--dry-run")
    assert "matches 0 plans" in refused("train", "--mixture", "nothing")


def test_a_policy_that_was_not_calibrated_is_answered_with_the_next_command(campaign, ask, refused):
    calibrated = {row["policy_id"] for row in ask("sql", "select distinct policy_id from current_calibrations")}
    others = [row["policy_id"] for row in ask("policies") if row["policy_id"] not in calibrated]
    assert others
    assert f"gradatim calibrate --policy {others[-1][:8]}" in refused("plan", "--policy", others[-1])


def test_a_baseline_is_planned_as_it_was_trained(campaign, ask):
    plans = ask("sql", "select campaign_id, scheduler from mixtures where scheduler = 'uniform'")
    told = ask("plan", "--campaign", plans[0]["campaign_id"])
    assert told["campaign_id"] == plans[0]["campaign_id"]
    assert told["scheduler"] == "uniform"
    shown = [row for row in ask("sql", "--named", "mixture_over_time") if row["scheduler"] == "uniform"]
    sizes = ask("sql", "select arm, count(distinct task_id) as n from current_calibrations group by arm")
    shares = {row["arm"]: row["n"] / sum(row["n"] for row in sizes) for row in sizes}
    assert all(row["planned"] == pytest.approx(shares[row["arm"]]) for row in shown)
    drawn = [sum(row["drawn"] for row in shown if row["mixture_id"] == one) for one in {r["mixture_id"] for r in shown}]
    assert drawn == pytest.approx([1.0] * len(drawn))


def test_a_stored_plan_is_found_again_and_its_finished_stage_costs_nothing(copy, console, ask):
    with console(copy) as run:
        planned = run("plan", "--apply", "--json")
        assert planned.code == 0, planned.err
        mixture = planned.value["mixture_id"]
        trained = run("train", "--mixture", mixture, "--json")
    assert trained.code == 0, trained.err
    stages = ask("sql", "select mixture_id, stage_id, policy_out from current_stages", home=copy)
    known = {stage["mixture_id"]: stage for stage in stages}
    order = ask("train", "--mixture", mixture, "--dry-run", home=copy)
    assert order["stage_id"] == known[mixture]["stage_id"]
    assert trained.value["policy_out"] == known[mixture]["policy_out"]


def test_a_stored_rollout_is_judged_again_and_shown_beside_its_word(ask, refused):
    for domain in ("math", "code"):
        query = f"select rollout_id from rollouts join current_tasks using (task_id) where domain = '{domain}' limit 1"
        found = ask("replay", ask("sql", query)[0]["rollout_id"])
        assert found["same"] is True
        assert {"judgement", "reward", "cheats"} <= {row["what"] for row in found["rows"]}
        assert all(row["stored"] == row["now"] for row in found["rows"])
    assert "matches 0 rollouts" in refused("replay", "nothing")
    assert "matches 0 rollouts" in refused("replay", "")
