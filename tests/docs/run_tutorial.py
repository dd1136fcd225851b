"""Runs a page: python blocks become modules, toml blocks files, pycon blocks doctests in the module before them."""

from __future__ import annotations

import doctest
import importlib
import sys
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).parent))

from pages import blocks


def main(page: Path) -> int:
    """The number of examples that failed; the files are written to the working directory."""
    sys.path.insert(0, str(Path.cwd()))
    made = blocks(page.read_text(encoding="utf-8"))
    for block in made:
        if block.language in ("python", "toml"):
            Path(block.title).write_text(block.body, encoding="utf-8")
    module, failures = ModuleType("page"), 0
    for block in made:
        if block.language == "python":
            module = importlib.import_module(Path(block.title).stem)
        if block.language == "pycon":
            test = doctest.DocTestParser().get_doctest(block.body, dict(vars(module)), module.__name__, str(page), 0)
            failures += doctest.DocTestRunner().run(test).failed
    return failures


if __name__ == "__main__":
    sys.exit(min(main(Path(sys.argv[1])), 1))
