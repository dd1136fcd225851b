"""Texts that have hung, crashed or exhausted checkers of this kind; for tests, audits and benchmarks."""

from __future__ import annotations

HANGING = "e^{e^{e^{e^{e}}}}"
"""A text on which computer algebra does not come back."""

HOSTILE: tuple[str, ...] = (
    "9^{9^{9^{9}}}", "2**3**4**5", "99999999!", "10^{10^{10}}", "(" * 5000 + "1" + ")" * 5000,
    "\\frac{1}{" * 300 + "2" + "}" * 300,
    "\\frac{" * 300 + "1" + "}{2}" * 300, "9" * 100_000, "0." + "3" * 100_000, "\\sqrt{" * 35 + "2+x" + "}" * 35,
    "(" * 35 + "x+1" + ")^2" * 35, "+".join(f"\\sin({i}x)" for i in range(120)), "(x+y+z+w)^{50}",
    "\\sin(" * 35 + "x" + ")" * 35,
    "\\binom{1000000}{500000}", "-" * 900 + "1", "x^" * 300 + "2", "{" * 3000, "\\left(" * 1000, "\\text{" * 1000,
    "$" * 100_000,
    "\\" * 100_000, "\n" * 199_999, "\\boxed{" * 20_000, "\\boxed{" * 20_000 + "42" + "}" * 20_000,
    "\\fbox{\\boxed{" * 9_000 + "x" + "}}" * 9_000, "answer is " * 20_000, "answer:" + " " * 190_000,
    "a" * 199_999,
    "1," * 90_000, "(1,2)," * 120, "\x00" * 1000, "\ud800", "٣", "½", "1e99999", "\\int_0^1 \\sin(x^{x^x}) dx",
    "x^{10^9}",
    "\\prod_{n=1}^{10^9} n", "\\sin(10^{10^{5}})", "\\lfloor 10^{20}\\pi\\rfloor", "|" * 500, "5 " + "a " * 1000,
    "=".join("x" * 300),
    "\\pm" * 300 + "1", "\\pm x" * 50, "\\begin{pmatrix}" + "1&" * 300, "x^x^x^x^x",
    "(1+\\sqrt2+\\sqrt3+\\sqrt5+\\sqrt7)^{20}", HANGING,
)  # fmt: skip
