import threading

import pytest

from synth.graders import Judge, program_of
from synth.graders.programs import code_of
from synth.sandbox import Test, dump_tests
from warehouse.errors import UserError
from warehouse.records import Domain, JsonValue, Judgement, Task


def math_task(gold: str, kind: str = "integer", **params: JsonValue) -> Task:
    return Task(
        task_id=gold + kind,
        domain=Domain.MATH,
        family="f",
        level=1,
        params=params,
        prompt="p",
        answer_kind=kind,
        gold=gold,
    )


def code_task(scaffold: str | None = None, hidden: bool = True, **params: JsonValue) -> Task:
    visible = [Test(args=(1,), expected=3), Test(args=(2,), expected=5)]
    return Task(
        task_id=f"code{scaffold}{hidden}", domain=Domain.CODE, family="f", level=1, params=params, prompt="p",
        answer_kind="program", entry="f", scaffold=scaffold, tests=dump_tests(visible),
        hidden_tests=dump_tests([Test(args=(7,), expected=15)]) if hidden else None, reference="def f(x): return 2*x+1",
    )  # fmt: skip


def test_a_bare_text_answer_is_compared_exactly():
    task = math_task("cba", "text", answer_format="bare")
    with Judge() as judge:
        words = judge.judge([task] * 5, ["cba", " cba\n", "CBA", "cba.", ""])
    assert [word.judgement for word in words] == [
        Judgement.PASS, Judgement.PASS, Judgement.WRONG, Judgement.WRONG, Judgement.NO_ANSWER,
    ]  # fmt: skip
    assert [word.reward for word in words] == [1.0, 1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("format", "completion", "judgement"),
    [
        ("boxed", "so \\boxed{7}", Judgement.PASS),
        ("boxed", "so it is 7, I think, or so they say", Judgement.NO_ANSWER),
        ("last_number", "so it is 7, I think, or so they say", Judgement.PASS),
        ("gsm8k", "work\n#### 7", Judgement.PASS),
        ("gsm8k", "work\n#### 8", Judgement.WRONG),
        ("bare", "7", Judgement.PASS),
        ("boxed", "<think>\\boxed{7}", Judgement.TRUNCATED),
    ],
)
def test_each_answer_format_is_read_its_own_way(format: str, completion: str, judgement: Judgement):
    with Judge() as judge:
        assert judge.judge([math_task("7", answer_format=format)], [completion])[0].judgement is judgement


def test_reward_is_none_exactly_for_what_could_not_be_judged():
    with Judge() as judge:
        broken = judge.judge([math_task("\\frac{1}{", "expression")], ["\\boxed{1}"])[0]
        cut = judge.judge([math_task("7")], ["\\boxed{7}"], truncated=[True])[0]
    assert (broken.judgement, broken.reward) == (Judgement.UNDECIDED, None)
    assert (cut.judgement, cut.reward) == (Judgement.TRUNCATED, 0.0)


def test_lengths_must_agree_and_an_unknown_format_is_named():
    with Judge() as judge:
        with pytest.raises(UserError, match="2 tasks, 1 completions"):
            judge.judge([math_task("7")] * 2, ["7"])
        with pytest.raises(UserError, match="answer_format is 'roman'"):
            judge.judge([math_task("7", answer_format="roman")], ["VII"])


def test_code_and_math_are_judged_in_one_batch_in_order():
    pocket = code_task("def f(x):\n    return {completion}\n")
    plain = code_task()
    with Judge(workers=1) as judge:
        words = judge.judge(
            [pocket, math_task("7", answer_format="bare"), pocket, plain, plain, pocket],
            ["2*x+1", "7", "3*x", "Here:\n```python\ndef f(x):\n    return x + x + 1\n```", "def f(x:", "2*x+1"],
        )
    assert [word.judgement for word in words] == [
        Judgement.PASS, Judgement.PASS, Judgement.WRONG, Judgement.PASS, Judgement.LOAD_ERROR, Judgement.PASS,
    ]  # fmt: skip
    assert words[0].parts == {"verifier": 1.0, "tests_passed": 1.0}
    assert words[2].parts == {"verifier": 0.0, "tests_passed": 1 / 3}


def test_what_a_hidden_test_expects_is_in_no_detail():
    with Judge(workers=1) as judge:
        word = judge.judge([code_task()], ["def f(x): return {1: 3, 2: 5}.get(x)"])[0]
    assert word.judgement is Judgement.WRONG
    assert "15" not in word.detail


def test_a_code_task_that_no_test_can_decide_does_not_spoil_the_batch():
    bad = Task(
        task_id="bad", domain=Domain.CODE, family="f", level=1, params={}, prompt="p", answer_kind="program", entry="f"
    )
    with Judge(workers=1) as judge:
        words = judge.judge([bad, code_task()], ["def f(x): return 1", "def f(x): return 2*x+1"])
    assert (words[0].judgement, words[0].reward, words[1].reward) == (Judgement.UNDECIDED, None, 1.0)


def test_the_judge_serves_many_threads_at_once():
    results: list[float | None] = []
    with Judge(workers=2) as judge:

        def work(i: int) -> None:
            task = math_task("\\sin^2 x+\\cos^2 x", "expression")
            results.append(judge.judge([task], [f"\\boxed{{{i}/{i}}}"])[0].reward)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(1, 65)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert results == [1.0] * 64


def test_code_is_taken_out_of_fences_and_after_thoughts():
    assert code_of("<think>```python\nx\n```</think>\n```py\ndef f(): 1\n```\n```\nf()\n```", "f") == "def f(): 1\n"
    assert code_of("def g(): 2\n") == "def g(): 2\n"
    assert program_of(code_task("return {completion}"), "1+1") == "return 1+1"
