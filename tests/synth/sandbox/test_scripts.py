"""Programs that read standard input and are judged by what they print."""

from __future__ import annotations

from dataclasses import replace

from synth.sandbox import Pool, Test
from warehouse.records import Judgement

from .conftest import TIGHT


def test_scripts_read_and_write_bytes_and_text(each_pool: Pool) -> None:
    binary = "import sys\ndata = sys.stdin.buffer.read()\nsys.stdout.buffer.write(data[::-1])\n"
    low = "import os\nos.write(1, os.read(0, 100)[::-1])\n"
    text = "print(input()[::-1], end='')\n"
    opened = "print(open(0).read()[::-1], end='')\n"
    for program in (binary, low, text, opened):
        assert each_pool.verify(program, [Test(stdin="abc", expected="cba")]).detail == "1 of 1 tests passed"


def test_a_script_that_raises_fails_even_when_nothing_was_expected(pool: Pool) -> None:
    test = [Test(stdin="", expected="")]
    assert pool.verify("raise ValueError\n", test).verdict is Judgement.EXCEPTION
    assert pool.verify("import sys\nsys.exit(3)\n", test).verdict is Judgement.EXCEPTION
    assert pool.verify("import os\nos._exit(0)\n", test).verdict is Judgement.CRASH
    assert pool.verify("def f(:\n", test).verdict is Judgement.LOAD_ERROR
    assert pool.verify("import sys\nsys.exit(0)\n", test).verdict is Judgement.PASS
    assert pool.verify("", test).verdict is Judgement.PASS


def test_output_over_the_limit_is_named(pool: Pool) -> None:
    limits = replace(TIGHT, output_bytes=2000)
    test = [Test(stdin="", expected="x" * 1000)]
    assert pool.verify("print('x' * 1000)\n", test, limits=limits).reward == 1.0
    assert pool.verify("print('x' * 3000)\n", test, limits=limits).verdict is Judgement.OUTPUT_LIMIT
    assert pool.verify("while True: print('x' * 3000)\n", test, limits=limits).verdict in (
        Judgement.OUTPUT_LIMIT,
        Judgement.EXCEPTION,
    )


def test_white_space_of_output_follows_the_declared_rule(pool: Pool) -> None:
    program = "print('1 2  \\n3\\n\\n')\n"

    def reward(**rule: str) -> float | None:
        return pool.verify(program, [Test(stdin="", expected="1 2\n3", **rule)]).reward  # type: ignore[arg-type]

    assert reward() == reward(whitespace="lines") == reward(whitespace="tokens") == 1.0
    assert reward(whitespace="exact") == 0.0
