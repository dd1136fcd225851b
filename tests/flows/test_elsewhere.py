"""Samples drawn by other processes: the same rollouts, bit for bit, also when one of them dies."""

from __future__ import annotations

import shutil

import pytest

from flows.elsewhere import LEAST, drawn_elsewhere
from flows.settings import Settings
from trainer import policies

DRAWN = """
select rollout_id, completion, n_tokens, mean_entropy, judgement, reward from rollouts
where policy_id = '{policy}' and purpose = 'eval' order by rollout_id
"""


def test_small_samples_and_policies_without_a_folder_are_drawn_here():
    fresh = policies.fresh_pocket(0)
    assert drawn_elsewhere(Settings(task_runner="threads", workers=2), fresh) is fresh
    assert drawn_elsewhere(Settings(task_runner="processes", workers=2), fresh) is fresh
    assert LEAST > 1


@pytest.mark.slow
def test_processes_draw_what_one_process_draws_bit_for_bit(campaign, gradatim, tmp_path):
    protocol = tmp_path / "protocol.toml"
    protocol.write_text(campaign.config.read_text().replace("n_samples = 8", "n_samples = 200"))
    policy, rows = campaign.ended.value["stages"][-1]["policy_out"], []
    for kind in ("threads", "processes"):
        home = shutil.copytree(campaign.home, tmp_path / kind)
        verb = ("evaluate", "--policy", policy, "--protocol", str(protocol), "--json")
        made = gradatim(home, *verb, GRADATIM_TASK_RUNNER=kind, GRADATIM_WORKERS="2")
        assert made.code == 0, made.err
        rows.append((made.value, gradatim(home, "sql", DRAWN.format(policy=policy), "--json").value))
    assert rows[0] == rows[1]
    assert len(rows[0][1]) > 24 * 200
