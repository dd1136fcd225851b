"""A shortened pocket campaign, run once through the command line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest
from filelock import FileLock

sys.path.insert(0, str(Path(__file__).parent))

from console import console as open_console

SECRET = "hunter2-planted-secret"

CONFIG = """
name = "tiny"
[synthesis]
families = ["rev", "max", "mix"]
n_per_family = 96
[writing]
n_proposals = 96
families = ["rev"]
levels = [2, 3]
writer = { n_steps = 30, n_lessons = 512, batch_size = 32 }
checker = { n_steps = 60, n_lessons = 512, batch_size = 32 }
[warm_start]
n_steps = 40
batch_size = 64
[curriculum]
n_stages = 2
baseline = "uniform"
[stage]
n_steps = 2
prompts_per_step = 4
group_size = 4
entropy_coef = 0.001
[calibration]
group_size = 4
[guard]
canary_tasks = 0
[evaluation]
n_tasks = 24
n_samples = 8
groups = { words = ["rev", "max"] }
"""


@dataclass(frozen=True)
class Ended:
    """A finished command: its exit code, what it printed, and its standard output as JSON."""

    code: int
    out: str
    err: str

    @property
    def value(self):
        return json.loads(self.out)


@pytest.fixture(scope="session")
def gradatim():
    """Run the command line in a process of its own: gradatim(home, *arguments, **environment)."""

    def run(home: Path, *arguments: str, timeout: float = 900, **environment: str) -> Ended:
        done = subprocess.run(
            [sys.executable, "-c", "from flows.cli import main; main()", "--home", str(home), *arguments],
            capture_output=True,
            text=True,
            timeout=timeout,
            env=os.environ | environment,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="session")
def console():
    """Run verbs of one home in one other process: `with console(home) as ask`, then ask(*arguments)."""

    @contextmanager
    def opened(home: Path):
        with open_console(home) as ask:
            yield lambda *arguments: Ended(*ask(*arguments))

    return opened


@pytest.fixture
def verb(capsys, monkeypatch):
    """Run a verb in this process as the console script would: verb(home, *arguments)."""
    from flows.cli import main

    def run(home: Path, *arguments: str) -> Ended:
        kept = dict(os.environ)
        monkeypatch.setattr(sys, "argv", ["gradatim", "--home", str(home), *arguments])
        capsys.readouterr()
        try:
            with pytest.raises(SystemExit) as left:
                main()
        finally:
            os.environ.clear()
            os.environ.update(kept)
        printed = capsys.readouterr()
        code = left.value.code
        return Ended(code if isinstance(code, int) else 0, printed.out, printed.err)

    return run


@dataclass(frozen=True)
class Campaign:
    """A finished campaign: its home, its configuration file and what the command printed."""

    home: Path
    config: Path
    ended: Ended


@pytest.fixture(scope="session")
def campaign(tmp_path_factory, gradatim) -> Campaign:
    """The finished campaign; parallel test processes share one."""
    root = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent
    folder, kept = root / "campaign", root / "campaign" / "ended.json"
    config = folder / "tiny.toml"
    with FileLock(root / "campaign.lock"):
        if not kept.is_file():
            folder.mkdir()
            config.write_text(CONFIG)
            webhook = f"https://user:{SECRET}@127.0.0.1:9/hook"
            ran = gradatim(folder / "home", "run", "--config", str(config), "--json", GRADATIM_WEBHOOK=webhook)
            kept.write_text(json.dumps(asdict(ran)))
    ended = Ended(**json.loads(kept.read_text()))
    assert ended.code == 0, ended.err[-3000:]
    return Campaign(folder / "home", config, ended)


@pytest.fixture(scope="session")
def blank(tmp_path_factory):
    """A created, empty home, copied by tests: creating one takes most of a second."""
    from warehouse.store import Store

    home = tmp_path_factory.mktemp("blank") / "home"
    Store.open(home).close()
    return home


@pytest.fixture
def bare(tmp_path, blank):
    """An empty home of a test's own, at tmp_path / "home"."""
    return shutil.copytree(blank, tmp_path / "home")


@pytest.fixture(scope="session")
def one_judge():
    """A judge for all tests; its sandbox starts when it is first asked."""
    from synth.graders import Judge

    with Judge(workers=1) as judge:
        yield judge


@pytest.fixture
def planted(bare, one_judge):
    """An empty warehouse in which a test plants a campaign, stage by stage."""
    from planted_campaign import Planted

    from flows.settings import Settings
    from flows.workshop import Workshop
    from warehouse.store import Store

    with Store.open(bare, threads=1) as store:
        yield Planted(Workshop(settings=Settings(home=bare), store=store, judge=one_judge, run="run"))
