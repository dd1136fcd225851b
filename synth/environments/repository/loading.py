"""A repository as one program for the sandbox: its files are modules in memory, so that no file is ever written.

Covered: only names below the package (and `tests`, when tests are run for the policy) come from the repository, so
that no file of it stands in for a module of the standard library. Hidden tests are calls, whose answers are compared
outside; nothing that decides is ever in this process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

ENTRY, RUN_TESTS = "call", "run_tests"

_PROGRAM = """
import importlib
import sys
from importlib.machinery import ModuleSpec

FILES = %(files)r
ROOTS = %(roots)r


class Memory:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] not in ROOTS:
            return None
        place = name.replace(".", "/")
        for file, package in ((place + "/__init__.py", True), (place + ".py", False)):
            if file in FILES:
                return ModuleSpec(name, Memory, origin=file, is_package=package)
        if any(file.startswith(place + "/") for file in FILES):
            return ModuleSpec(name, Memory, origin="", is_package=True)
        return None

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        origin = module.__spec__.origin
        if origin:
            module.__file__ = origin
            exec(compile(FILES[origin], origin, "exec", dont_inherit=True), module.__dict__)


sys.meta_path.insert(0, Memory)


def call(module, function, args):
    return getattr(importlib.import_module(module), function)(*args)
"""
_TESTS = """

def describe(error):
    trace, place = error.__traceback__, ""
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in FILES:
            place = f" at {trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__}: {str(error)[:300]}{place}"


def run_tests(modules, wanted):
    rows = []
    for name in modules:
        try:
            module = importlib.import_module(name)
        except BaseException as error:
            rows.append((name, False, describe(error)))
            continue
        for key, value in list(vars(module).items()):
            if key.startswith("test") and callable(value) and wanted in f"{name}.{key}":
                try:
                    value()
                    rows.append((f"{name}.{key}", True, ""))
                except BaseException as error:
                    rows.append((f"{name}.{key}", False, describe(error)))
    return rows
"""


def program(files: Mapping[str, str], roots: Sequence[str], *, tests: bool = False) -> str:
    """The program that answers `call(module, function, args)` and, with `tests`, `run_tests(modules, wanted)`."""
    kept = {path: text for path, text in files.items() if path.endswith(".py") and path.partition("/")[0] in roots}
    return _PROGRAM % {"files": kept, "roots": tuple(roots)} + (_TESTS if tests else "")
