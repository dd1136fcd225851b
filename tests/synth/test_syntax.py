"""Trees built from many threads at once."""

from __future__ import annotations

import ast
import gc
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from synth.syntax import tree_of

SOURCE = Path(ast.__file__).read_text()[:20_000].rpartition("\nclass ")[0]


def test_threads_build_the_trees_that_one_thread_builds():
    wanted = ast.dump(ast.parse(SOURCE))
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            found = list(threads.map(lambda k: ast.dump(tree_of(SOURCE)) if k % 8 else str(gc.collect(0)), range(64)))
    finally:
        sys.setswitchinterval(interval)
    assert {tree for tree in found if not tree.isdigit()} == {wanted}


def test_what_is_no_program_is_refused_as_ever():
    with pytest.raises(SyntaxError):
        tree_of("def f(:")
