import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.math import extract


@pytest.mark.parametrize(
    ("completion", "answer"),
    [
        ("\\boxed{5} so \\boxed{7}", "7"), ("\\boxed{\\frac{1}{\\sqrt{2}}}", "\\frac{1}{\\sqrt{2}}"), ("\\boxed 5",
        "5"),
        ("\\boxed{\\{1,2\\}}", "\\{1,2\\}"), ("\\fbox{3}", "3"), ("\\boxed{\\boxed{7}}", "7"),
        ("\\boxed{5}\n\nNo, wait.\n\n\\boxed{6}", "6"),
        ("\\boxed{5}, or equivalently \\boxed{5.0}", "5.0"), ("\\boxed{\\frac12} or \\boxed{0.5}", "0.5"),
        ("The answer is 42.", "42"), ("**Answer:** 42", "42"), ("Final answer: $x=3$", "$x=3$"), ("work\n#### 72",
        "72"),
        ("#### 1\nno\n#### 2", "2"), ("  12 ", "12"), ("no thoughts, \\boxed{1}", "1"),
        ("<think>a</think>\\boxed{2}", "2"),
        ("reasoning </think> \\boxed{3}", "3"), ("<think>\\boxed{9}</think> so \\boxed{4}", "4"),
    ],
)  # fmt: skip
def test_the_committed_answer_is_found(completion, answer):
    assert extract(completion).answer == answer


PLAIN = st.text(alphabet="0123456789x+", min_size=1, max_size=6)


def boxed(inner):
    """One more box around `inner`, and something after it."""
    names, tails = st.sampled_from(["boxed", "fbox"]), st.sampled_from(["", "+1", "{x}"])
    return st.builds(lambda name, text, tail: f"\\{name}{{{text}}}{tail}", names, inner, tails)


@given(st.recursive(PLAIN, boxed, max_leaves=12))
def test_of_boxes_within_boxes_the_innermost_at_the_start_is_the_answer(text):
    wanted = re.match(r"(?:\\(?:boxed|fbox)\{)*([^{}]*)", text)[1]
    assert extract(f"so \\boxed{{{text}}}").answer == wanted


def test_twenty_thousand_boxes_cost_what_the_text_costs():
    def cpu_s(n):
        began = time.process_time()
        assert extract("\\boxed{" * n + "42" + "}" * n).answer == "42"
        return time.process_time() - began

    assert cpu_s(20_000) < 30 * max(cpu_s(2_000), 0.005)


@pytest.mark.parametrize(
    ("completion", "reason"),
    [
        ("Either \\boxed{5} or \\boxed{7}", "alternatives"), ("\\boxed{5}, \\boxed{6}, \\boxed{7}", "alternatives"),
        ("\\boxed{5} / \\boxed{7}", "alternatives"), ("\\boxed{5}\\boxed{7}", "alternatives"),
        ("\\boxed{5}, maybe \\boxed{7}", "alternatives"), ("The answer is 5 or 7.", "alternatives"),
        ("<think>so \\boxed{5}", "truncated"), ("<think>a</think><think>\\boxed{5}", "truncated"),
        ("\\boxed{\\frac{1}{2}", "unbalanced"),
        ("\\boxed{}", "no_answer"), ("", "no_answer"), ("I think that it might be seven of them", "no_answer"),
        ("They are 5 or maybe so", "no_answer"), ("x" * 1_000_001, "too_long"),
    ],
)  # fmt: skip
def test_no_answer_has_a_reason(completion, reason):
    found = extract(completion)
    assert (found.answer, found.reason) == (None, reason)


def test_a_truncated_completion_has_no_answer():
    assert extract("\\boxed{5}", truncated=True).reason == "truncated"


def test_the_last_number_counts_only_where_it_is_allowed():
    text = "I have 3 apples and you have 1,204.5 of them all"
    assert extract(text).answer is None
    assert extract(text, format="last_number").answer == "1,204.5"
    assert extract("see x2 or v1", format="last_number").answer is None


@given(
    st.text(alphabet="ab{}\\12 ", max_size=20).filter(
        lambda s: s.count("{") == s.count("}") == 0 and "\\" not in s and s.strip()
    )
)
def test_what_was_boxed_is_found_again(inner):
    assert extract(f"so \\boxed{{ {inner} }} is it").answer == inner.strip()


@given(st.text(max_size=200), st.sampled_from(["bare", "boxed", "last_number", "gsm8k"]))
def test_extraction_never_raises_and_gives_an_answer_or_a_reason(text, format):
    found = extract(text, format=format)
    assert (found.answer is None) != (found.reason is None)
