"""No string makes the checker raise, hang, run anything, or use more than 1.5 CPU seconds."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.math import Equality, check, extract, prepare_gold
from synth.math.hostile import HANGING
from synth.math.hostile import HOSTILE as NASTY
from synth.math.parser import parse
from synth.math.workers import Workers, shared

BOUND_CPU_S = 1.5
GOLDS = ["7", "x+1", "\\sqrt{2}", "\\{1,2\\}", "x^2+y^2=1"]


def workers_cpu_s() -> float:
    """CPU seconds of the template and its workers, living and reaped."""
    template = shared()._template
    if template is None:
        return 0.0
    listed = subprocess.run(["ps", "-o", "pid=,ppid=", "-A"], capture_output=True, text=True, check=True).stdout
    pids = [int(pid) for pid, parent in (line.split() for line in listed.splitlines()) if int(parent) == template.pid]
    total = 0
    for pid in [template.pid, *pids]:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        total += int(fields[11]) + int(fields[12]) + (int(fields[13]) + int(fields[14]) if pid == template.pid else 0)
    return total / 100


@pytest.fixture(scope="module", autouse=True)
def warm():
    check(prepare_gold("\\pi"), "e")


def cost_of(gold: str, text: str) -> float:
    """CPU seconds of one comparison in all processes, once it came out as it may."""
    prepared = prepare_gold(gold)
    before = time.process_time() + workers_cpu_s()
    assert check(prepared, text) in (Equality.NOT_EQUAL, Equality.UNDECIDED)
    return time.process_time() + workers_cpu_s() - before


@pytest.mark.parametrize("place", range(len(NASTY)))
def test_no_nasty_string_costs_more_than_its_bound(place):
    assert cost_of(GOLDS[place % len(GOLDS)], NASTY[place]) < BOUND_CPU_S
    start = time.process_time()
    prepare_gold(NASTY[place])
    extract(NASTY[place])
    assert time.process_time() - start < BOUND_CPU_S


@pytest.mark.slow
@pytest.mark.parametrize("gold", GOLDS)
def test_no_nasty_string_costs_more_than_its_bound_under_any_gold(gold):
    assert max(cost_of(gold, text) for text in NASTY) < BOUND_CPU_S


symbols = st.sampled_from(
    [*"0123456789xyzei+-*/^_(){}[]|,.=<>!%$&:;'\"#~ \n", "\\frac", "\\sqrt", "\\boxed", "\\sin", "\\log", "\\pi",
    "\\text",
     "\\left(", "\\right)", "\\{", "\\}", "\\cup", "\\in", "\\infty", "\\pm", "\\overline", "\\begin{pmatrix}",
     "\\\\", "\\int",
     "and", "or", "million", "cm", "<think>", "####", "é", "√", "½", "\x00"]
)  # fmt: skip


@given(st.lists(symbols, max_size=25).map("".join), st.lists(symbols, max_size=12).map("".join))
@settings(max_examples=400, deadline=None)
def test_no_text_makes_it_raise(answer, gold):
    assert check(prepare_gold(gold), answer) in Equality
    assert check(prepare_gold("\\frac{x}{2}"), answer) in Equality


@pytest.mark.parametrize(
    "text",
    ["__import__('os').system('touch {path}')", "exec(\"open('{path}','w')\")", "open('{path}','w')",
    "\\sqrt{{__import__('os')}}",
     "lambda: 1", "().__class__.__bases__[0].__subclasses__()", "\\text{{eval('1')}}",
     "\\int __import__('os').system('touch {path}') dx",
     "\\input{{{path}}}", "\\write18{{touch {path}}}"],
)  # fmt: skip
def test_no_answer_has_a_side_effect(tmp_path, text):
    path = tmp_path / "made"
    answer = text.format(path=path)
    for gold in ("7", "x", "\\int_0^1 x dx"):
        assert check(prepare_gold(gold), answer) is not Equality.EQUAL
    prepare_gold(answer)
    assert not path.exists()


def test_a_thousand_comparisons_of_which_some_hang():
    """From 64 threads: waiting is not counted, the hanging ones are undecided, all others are right."""
    work = [
        (f"\\sqrt{{{6 * i}}}", f"\\sqrt2\\sqrt{{{3 * i}}}", Equality.EQUAL)
        if i % 2
        else (f"{i}\\pi", f"{i + 1}\\pi", Equality.NOT_EQUAL)
        for i in range(1, 1001)
    ]
    for place in (10, 500):
        work[place] = ("\\pi", HANGING, Equality.UNDECIDED)
    before, outcomes, lock = shared().replaced, {}, threading.Lock()
    places = iter(range(len(work)))

    def run():
        while True:
            with lock:
                place = next(places, None)
            if place is None:
                return
            gold, answer, _ = work[place]
            outcomes[place] = check(prepare_gold(gold), answer)

    threads = [threading.Thread(target=run) for _ in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [outcomes[place] for place in range(len(work))] == [expected for _, _, expected in work]
    assert shared().replaced == before + 2


def test_a_killed_worker_and_a_killed_template_are_replaced():
    workers = Workers(1)
    a, b = parse("\\pi"), parse("e")
    assert workers.compare("value", a, b)[0] is Equality.NOT_EQUAL
    assert workers.compare("value", a, parse(HANGING))[0] is Equality.UNDECIDED
    assert workers.compare("value", a, b)[0] is Equality.NOT_EQUAL
    workers._template.kill()
    workers._template.wait()
    assert workers.compare("value", a, parse(HANGING))[0] is Equality.UNDECIDED
    assert workers.compare("value", a, b)[0] is Equality.NOT_EQUAL
    workers.close()


def test_no_process_outlives_its_caller():
    code = (
        "import os, signal\nfrom synth.math import check, prepare_gold\nfrom synth.math.workers import shared\n"
        "check(prepare_gold('\\\\pi'), 'e')\nprint(shared()._template.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    pid = int(child.stdout)
    for _ in range(100):
        listed = subprocess.run(["ps", "-o", "pid=,stat=", "-A"], capture_output=True, text=True, check=True).stdout
        living = [line.split()[0] for line in listed.splitlines() if "Z" not in line]
        if str(pid) not in living:
            return
        time.sleep(0.1)
    raise AssertionError("the template outlived its caller")
