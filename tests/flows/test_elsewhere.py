"""Samples drawn by other processes: the same rollouts, bit for bit, also when one of them dies."""

from __future__ import annotations

import importlib.util
import shutil
from dataclasses import replace

import pytest
from prefect import flow
from prefect.settings import PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS, temporary_settings

from flows.elsewhere import LEAST, drawn_elsewhere
from flows.settings import Settings
from trainer import policies
from trainer.rollout import Piece, draw

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
@pytest.mark.parametrize("kind", ["processes", "ray"])
def test_pieces_drawn_by_workers_are_those_drawn_here_bit_for_bit(tmp_path, monkeypatch, kind):
    if kind == "ray" and not importlib.util.find_spec("prefect_ray"):
        pytest.skip("prefect-ray is not installed")
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "prefect"))
    policy = policies.save(policies.fresh_pocket(0), tmp_path / "policy")
    pieces = [Piece(("rev abc?", "max 3 1?"), 3, 1.0, 8, seed) for seed in range(6)]

    @flow(name="drawing", persist_result=False)
    def drawing():
        settings = Settings(home=tmp_path, task_runner=kind, workers=2)
        return drawn_elsewhere(settings, policy).elsewhere(pieces)

    def bits(found):
        return [[[replace(one, latency_s=0.0) for one in group] for group in groups] for groups in found]

    with temporary_settings({PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS: 300}):
        found = drawing()
    assert bits(found) == bits([draw(policy, piece) for piece in pieces])
    assert len({one.text for groups in found for group in groups for one in group}) > 6


PROBED = DRAWN.replace("'eval'", "'probe'")
"""Probes of a calibration; the three kinds of worker must store the same ones."""


def asked(kind, campaign, gradatim, folder, *verb):
    """A verb on a copy of the campaign's home with two workers of one kind: the copy, and what the verb printed."""
    if kind == "ray" and not importlib.util.find_spec("prefect_ray"):
        pytest.skip("prefect-ray is not installed")
    home = shutil.copytree(campaign.home, folder / kind)
    made = gradatim(home, *verb, "--json", GRADATIM_TASK_RUNNER=kind, GRADATIM_WORKERS="2")
    assert made.code == 0, made.err
    return home, made.value


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["processes", "ray"])
def test_an_evaluation_by_workers_is_that_of_one_process_bit_for_bit(campaign, gradatim, tmp_path, kind):
    protocol = tmp_path / "protocol.toml"
    protocol.write_text(campaign.config.read_text().replace("n_samples = 8", "n_samples = 200"))
    policy, rows = campaign.ended.value["stages"][-1]["policy_out"], []
    for one in ("threads", kind):
        verb = ("evaluate", "--policy", policy, "--protocol", str(protocol))
        home, value = asked(one, campaign, gradatim, tmp_path, *verb)
        rows.append((value, gradatim(home, "sql", DRAWN.format(policy=policy), "--json").value))
    assert rows[0] == rows[1]
    assert len(rows[0][1]) > 24 * 200


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["processes", "ray"])
def test_a_calibration_by_workers_is_that_of_one_process_bit_for_bit(campaign, gradatim, tmp_path, kind):
    config = tmp_path / "more.toml"
    more = campaign.config.read_text().replace("n_steps = 2\n", "n_steps = 6000\n")  # what probes may cost follows
    config.write_text(more.replace("[calibration]\ngroup_size = 4", "[calibration]\ngroup_size = 64"))
    policy, rows = campaign.ended.value["stages"][-1]["policy_in"], []
    for one in ("threads", kind):
        verb = ("calibrate", "--policy", policy, "--config", str(config))
        home, value = asked(one, campaign, gradatim, tmp_path, *verb)
        rows.append((value, gradatim(home, "sql", PROBED.format(policy=policy), "--json").value))
    assert rows[0] == rows[1]
    assert len(rows[0][1]) > 4 * 1024, "few enough would be drawn in one process"
