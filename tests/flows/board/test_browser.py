"""The board served for real and read by a headless Chromium: pages, filters, errors, sizes, themes, the end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import httpx
import psutil
import pytest
from board_rows import SECRET
from browser import CHROMIUM, Browser

pytest.importorskip("marimo")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine; on Debian: apt-get install chromium"),
]

PAGES = {
    "Run": "Alarms",
    "Tasks": "tasks 1 to 20 of 140",
    "SQL": "Ask runs it",
    "Funnel": "By reason",
    "Collapse": "pass@1 on held-out tasks",
    "Graders": "Pairs of graders, the worst first",
    "Compare": "policy A",
}
CLIPPED = """
every('.board-cards b, .board-cards small, .board-table td, .board-title, .board-problem, dd')
  .filter(e => e.getBoundingClientRect().right > innerWidth + 1 || e.scrollWidth > e.clientWidth + 1 && e.clientWidth)
  .map(e => e.className + ' ' + e.textContent.slice(0, 60))
"""
"""Texts of ours that leave the page or their own place."""

OVERLAPS = """
(() => {
  const boxes = every('.board-cards > div, .board-charts > figure, .board-controls > div, .board-row > *, .board-table')
    .map(e => e.getBoundingClientRect()).filter(b => b.width && b.height);
  return boxes.filter((a, i) => boxes.some((b, j) => i < j
    && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)).length;
})()
"""
"""How many of our boxes lie over another."""


@pytest.fixture(scope="module")
def served(board_home):
    """A running `gradatim board` and what it printed."""
    command = [sys.executable, "-c", "from flows.cli import main; main()", "--home", str(board_home), "board"]
    process = subprocess.Popen(
        [*command, "--port", "0", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    )
    told = json.loads(process.stdout.readline())
    yield process, told
    if process.poll() is None:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def browser(served, tmp_path_factory):
    found = Browser(tmp_path_factory.mktemp("chromium"))
    yield found
    found.close()


def show(browser, served, page, *, width=1280, dark=False):
    browser.look(width=width, dark=dark)
    browser.open(f"{served[1]['url']}&page={page}")
    return browser.wait_words(PAGES[page])


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (390, False), (390, True)])
def test_every_page_loads_without_an_error_and_fits(served, browser, width, dark):
    for page in PAGES:
        words = show(browser, served, page, width=width, dark=dark)
        assert "internal error" not in words
        assert SECRET not in words
        if page in ("Funnel", "Collapse", "Graders"):
            browser.wait("every('canvas, svg.marks').length > 0")
        assert browser.ask(CLIPPED) == []
        assert browser.ask(OVERLAPS) == 0
        assert browser.ask("Math.max(...every('body, #App, .board-row').map(e => e.scrollWidth))") <= width
        assert browser.ask("every('body')[0].classList.contains('dark-theme') || every('.dark').length > 0") is dark
    assert browser.errors == []
    assert browser.hosts == {"127.0.0.1"}


def test_a_button_turns_the_page_and_its_address(served, browser):
    show(browser, served, "Run")
    press(browser, "Funnel")
    browser.wait_words(PAGES["Funnel"])
    browser.wait("location.search.includes('page=Funnel')")


def test_filters_change_what_is_shown(served, browser):
    show(browser, served, "Tasks")
    choose(browser, "family", "sort")
    browser.wait_words("tasks 1 to 16 of 16", "sort-2-0")
    choose(browser, "level", "5")
    words = browser.wait_words("tasks 1 to 2 of 2", "sort-5-0")
    assert "sort-2-0" not in words
    choose(browser, "status", "rejected")
    browser.wait_words("No task fits.")
    show(browser, served, "Tasks")
    browser.ask("every('input[type=text]')[0].focus()")
    browser.type("rev W1")
    browser.press("Enter")
    words = browser.wait_words("of 1", "rev w1?")
    assert "add-2-0" not in words
    assert browser.errors == []


def test_a_picked_task_is_shown_in_full(served, browser):
    show(browser, served, "Tasks")
    browser.wait("every('[role=checkbox]').length > 1")
    browser.ask("every('[role=checkbox]')[0].click()")
    browser.wait_words("Task add-2-0", "Verdicts", "Newest completions")


def test_a_bad_query_shows_its_error_and_a_good_one_its_rows(served, browser):
    show(browser, served, "SQL")
    ask(browser, "SELECT nothing FROM tasks")
    browser.wait_words("the query failed", "nothing")
    ask(browser, "DROP TABLE tasks")
    browser.wait_words("a statement of kind DROP")
    ask(browser, "SELECT 41 + count(*) AS answer FROM tasks")
    browser.wait_words("answer", "181", "1 rows")
    assert browser.errors == []


def test_a_browser_that_is_closed_in_mid_page_leaves_the_board_to_the_others(served, browser, tmp_path):
    other = Browser(tmp_path)
    other.open(f"{served[1]['url']}&page=Tasks")
    other.close()
    show(browser, served, "Tasks")
    assert served[0].poll() is None
    assert browser.errors == []


def test_no_one_comes_in_without_the_token(served, browser):
    told = served[1]
    base = told["url"].partition("?")[0]
    assert httpx.get(base).status_code in (303, 401)
    assert httpx.get(f"{base}?access_token=wrong").status_code in (303, 401)
    assert httpx.get(f"{base}api/status").status_code in (303, 401, 403)
    inside = httpx.get(told["url"], follow_redirects=True)
    assert inside.status_code == 200
    assert "import marimo" not in inside.text


def test_ctrl_c_leaves_nothing_running(served, browser):
    process, told = served
    family = [process.pid, *(child.pid for child in psutil.Process(process.pid).children(recursive=True))]
    process.send_signal(signal.SIGINT)
    assert process.wait(60) in (0, 130)
    until = time.monotonic() + 20
    while any(psutil.pid_exists(pid) for pid in family[1:]) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(psutil.pid_exists(pid) for pid in family[1:])
    with pytest.raises(httpx.ConnectError):
        httpx.get(told["url"])
    assert "Traceback" not in process.stderr.read()


def press(browser, label):
    """Click the button with this label once it is there."""
    found = f"every('button').find(e => e.textContent.trim() === {json.dumps(label)})"
    browser.wait(f"(() => {{ const b = {found}; if (b) b.click(); return !!b; }})()")


def choose(browser, label, value):
    """Set the dropdown with this label to a value that it offers."""
    browser.wait(
        f"(() => {{ const s = every('marimo-dropdown').map(d => [d, [...d.shadowRoot.querySelectorAll('select')]])"
        f".filter(([d, s]) => s.length && d.shadowRoot.textContent.trim().startsWith({json.dumps(label)})"
        f" && [...s[0].options].some(o => o.textContent === {json.dumps(value)}))[0];"
        f" if (!s) return false; const e = s[1][0];"
        f" const o = [...e.options].find(o => o.textContent === {json.dumps(value)});"
        " Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value').set.call(e, o.value);"
        " e.dispatchEvent(new Event('change', {bubbles: true})); return true; })()"
    )


def ask(browser, sql):
    """Put a query into the editor and run it."""
    browser.wait("every('.cm-content').length > 0")
    browser.ask("every('.cm-content')[0].focus()")
    browser.send(
        "Input.dispatchKeyEvent",
        type="rawKeyDown",
        key="a",
        code="KeyA",
        windowsVirtualKeyCode=65,
        modifiers=2,
        commands=["selectAll"],
    )
    browser.type(sql)
    browser.wait(f"every('.cm-content')[0].textContent.includes({json.dumps(sql)})")
    press(browser, "Ask")
