"""kill -9 at random moments: the same command goes on, and ends with the same tasks and the same policies."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest


def state_of(gradatim, home) -> tuple[list, list]:
    tasks = gradatim(home, "sql", "select task_id from current_tasks where status = 'accepted' order by 1", "--json")
    stages = gradatim(
        home, "sql", "select stage_id, policy_out from current_stages where status = 'finished' order by all", "--json"
    )
    return tasks.value, stages.value


@pytest.mark.slow
def test_a_campaign_killed_five_times_ends_as_one_that_was_not(campaign, gradatim, tmp_path):
    home, rng = tmp_path / "home", random.Random(0)
    command = ["-c", "from flows.cli import main; main()", "--home", str(home), "run", "--config", str(campaign.config)]
    for _ in range(5):
        process = subprocess.Popen(
            [sys.executable, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        try:
            process.wait(rng.uniform(5, 60))
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        time.sleep(0.5)
    ended = gradatim(home, "run", "--config", str(campaign.config), "--json")
    assert ended.code == 0, ended.err[-3000:]
    assert state_of(gradatim, home) == state_of(gradatim, campaign.home)
    assert gradatim(home, "warehouse", "check", "--json").code == 0
