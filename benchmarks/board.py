"""The board over a large warehouse, in a headless Chromium: first paint, a page of tasks, a search, a task in full.

python benchmarks/board.py --json --tasks 1000000

Seconds of wall time as the browser saw them, and of the server's CPU time. Needs the extra `board` and a Chromium.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil
from warehouse_rows import campaign, tasks

from warehouse.store import Store

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "flows" / "board"))

from browser import CHROMIUM, Browser  # noqa: E402

CHUNK = 250_000
VERB = "from flows.cli import main; main()"
PAINTED = "performance.getEntriesByName('first-contentful-paint')"


def fill(home: Path, n: int) -> None:
    """Commit `n` tasks with their statuses, measurements, attempts and verdicts."""
    with Store.open(home) as store:
        store.commit(campaign(n), batch="campaign", purpose="bench", run="bench")
        for low in range(0, n, CHUNK):
            rows = tasks(low, min(n, low + CHUNK))
            store.commit_tables(rows, batch=f"tasks:{low}", purpose="bench", run="bench")


def measure(browser: Browser, url: str, server: psutil.Process, n: int) -> dict[str, float]:
    """Each figure once, in the order in which a reader would come by it."""
    found: dict[str, float] = {}

    def timed(name: str, work: Callable[[], object]) -> None:
        wall, cpu = time.perf_counter(), sum(server.cpu_times()[:2])
        work()
        found[f"{name}_s"] = round(time.perf_counter() - wall, 3)
        found[f"{name}_cpu_s"] = round(sum(server.cpu_times()[:2]) - cpu, 3)

    def turn(page: str, words: str) -> Callable[[], object]:
        def work() -> str:
            browser.open(f"{url}&page={page}")
            return browser.wait_words(words)

        return work

    timed("first_load", turn("Run", "Compare"))
    found["first_paint_s"] = round(browser.wait(f"{PAINTED}.length && {PAINTED}[0].startTime") / 1000, 3)
    timed("tasks", turn("Tasks", f"of {n:,}"))
    timed("tasks_again", turn("Tasks", f"of {n:,}"))
    browser.ask("every('input[type=text]')[0].focus()")
    browser.type("a b c")
    timed("search", lambda: (browser.press("Enter"), browser.wait(f"!words().includes('of {n:,}')")))
    turn("Tasks", f"of {n:,}")()
    browser.wait("every('[role=checkbox]').length > 1")
    timed("task", lambda: (browser.ask("every('[role=checkbox]')[0].click()"), browser.wait_words("Verdicts")))
    timed("funnel", turn("Funnel", "By reason"))
    assert browser.errors == [], browser.errors
    found["server_mb"] = round(server.memory_info().rss / 1e6)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--tasks", type=int, default=20_000)
    parser.add_argument("--home", type=Path, help="a home that an earlier run filled")
    asked = parser.parse_args()
    if CHROMIUM is None:
        print(json.dumps({"skipped": "no chromium on this machine"}))
        return
    with tempfile.TemporaryDirectory() as folder:
        home = asked.home or Path(folder) / "home"
        if not home.exists():
            fill(home, asked.tasks)
        command = [sys.executable, "-c", VERB, "--home", str(home), "board", "--port", "0", "--json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
            url = json.loads(process.stdout.readline())["url"] if process.stdout else ""
            browser = Browser(Path(folder) / "chromium")
            try:
                browser.look(width=1280)
                print(
                    json.dumps(
                        {"tasks": asked.tasks, **measure(browser, url, psutil.Process(process.pid), asked.tasks)}
                    )
                )
            finally:
                browser.close()
                process.send_signal(signal.SIGINT)
                process.wait(60)


if __name__ == "__main__":
    main()
