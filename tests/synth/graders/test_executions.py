"""A completion's CPU limit follows from what the task's reference takes."""

from synth.graders import Judge
from synth.sandbox import Limits, Test, dump_tests
from warehouse.records import Domain, Judgement, Task

SPIN = "import time\ndef f(x):\n    while time.process_time() < {}: pass\n    return x\n"


def spinning(reference_cpu_s: float | None) -> Task:
    return Task(
        task_id=f"spin {reference_cpu_s}",
        domain=Domain.CODE,
        family="spin",
        level=1,
        params={},
        prompt="p",
        answer_kind="program",
        entry="f",
        hidden_tests=dump_tests([Test(args=(1,), expected=1)]),
        reference=None if reference_cpu_s is None else SPIN.format(reference_cpu_s),
    )


def test_a_slow_reference_grants_time_and_a_fast_one_ends_waste():
    tasks = [spinning(0.0), spinning(0.3), spinning(None)]
    with Judge(workers=1) as judge:
        words = judge.judge(tasks, [SPIN.format(1.5)] * 3)
        hung = judge.judge([tasks[1]], [SPIN.format(60)])[0]
    assert [word.judgement for word in words] == [Judgement.TIMEOUT_CPU, Judgement.PASS, Judgement.PASS]
    assert hung.judgement is Judgement.TIMEOUT_CPU


def test_the_judges_own_limit_is_never_passed():
    with Judge(workers=1, limits=Limits(cpu_s=1.2)) as judge:
        words = judge.judge([spinning(0.5), spinning(0.5)], [SPIN.format(1.1), SPIN.format(2.0)])
    assert [word.judgement for word in words] == [Judgement.PASS, Judgement.TIMEOUT_CPU]
