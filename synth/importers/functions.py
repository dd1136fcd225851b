"""HumanEval and MBPP in its format: a function's head, its body as reference, and asserts as tests."""

from __future__ import annotations

import ast

from synth.family import Item
from synth.importers.contract import broken_contract
from synth.importers.corpus import Unfit, importer, text_of
from synth.importers.hub import HubCorpus
from synth.importers.jsonl import asserts
from synth.importers.reading import Row
from synth.sandbox import from_asserts
from synth.syntax import tree_of
from warehouse.errors import UserError

FIELDS = ("task_id", "prompt", "entry_point", "canonical_solution", "test")


@importer(
    "humaneval",
    version=1,
    licence="MIT",
    fields=FIELDS,
    hub=HubCorpus("openai/openai_humaneval", "openai_humaneval", "test"),
)
def humaneval(row: Row) -> Item:
    """The head with its docstring as prompt; the completion is the body."""
    return function_item(row)


@importer(
    "mbpp",
    version=1,
    licence="CC-BY-4.0",
    fields=FIELDS,
    others=(("task_id", "text", "code", "test_list"), ("task_id", "prompt", "code", "test_list")),
)
def mbpp(row: Row) -> Item:
    """MBPP with function heads as prompts, the completion being the body, or as it was published, then the program."""
    return program_item(row) if "code" in row else function_item(row)


def program_item(row: Row) -> Item:
    """The item of one row as published: a description, a whole program, and asserts that stay hidden.

    The prompt names the function and its arguments, which the description leaves to the asserts. Raises `Unfit`
    when program or tests cannot be used.
    """
    code = text_of(row, "code").replace("\r\n", "\n")
    imports = asserts(row.get("test_imports") or [], "test_imports")
    setup = "\n".join([imports, text_of(row, "test_setup_code", default="")]).strip()
    checks = asserts(row["test_list"])
    try:
        defined = {node.name: node for node in tree_of(code).body if isinstance(node, ast.FunctionDef)}
        entry = called(checks, list(defined), "")
        tests = from_asserts(checks, entry=entry, prelude=setup)
    except (SyntaxError, ValueError) as error:
        raise Unfit(f"the reference or its tests do not parse: {type(error).__name__}") from None
    except UserError as error:
        raise Unfit(f"tests: {str(error).partition(';')[0][:80]}") from None
    if entry not in defined:
        raise Unfit("the tests call no function that the reference defines")
    if broken := broken_contract(tests):
        raise Unfit(broken)
    asked = text_of(row, "text" if row.get("text") else "prompt").strip()
    return Item(
        prompt=f"{asked}\nWrite the function {entry}({ast.unparse(defined[entry].args)}).",
        answer_kind="program",
        reference=code,
        entry=entry,
        hidden_tests=tests,
        params={"key": str(row["task_id"])},
    )


def function_item(row: Row) -> Item:
    """The item of one function task; raises `Unfit` when head, reference or tests cannot be used."""
    prompt, body, checks = (text_of(row, name) for name in ("prompt", "canonical_solution", "test"))
    body = indented(body)
    if "{completion}" in prompt:
        raise Unfit("the prompt holds the completion marker")
    try:
        defined = [node.name for node in tree_of(prompt + body).body if isinstance(node, ast.FunctionDef)]
    except (SyntaxError, ValueError) as error:
        raise Unfit(f"the reference does not parse: {type(error).__name__}") from None
    try:
        entry = called(checks, defined, text_of(row, "entry_point").strip())
    except (SyntaxError, ValueError) as error:
        raise Unfit(f"the tests do not parse: {type(error).__name__}") from None
    if not entry.isidentifier():
        raise Unfit("entry_point is no name of a function")
    try:
        tests = from_asserts(checks, entry=entry, prelude=f"{prompt}{body}")
    except UserError as error:
        raise Unfit(f"tests: {str(error).partition(';')[0][:80]}") from None
    if broken := broken_contract(tests, head=prompt, entry=entry):
        raise Unfit(broken)
    return Item(
        prompt=prompt,
        answer_kind="program",
        reference=body,
        entry=entry,
        scaffold=f"{prompt}{{completion}}",
        hidden_tests=tests,
        params={"key": str(row["task_id"])},
    )


def indented(body: str) -> str:
    r"""`body` with its first level indented by four spaces, as the heads are; lines at the margin stay.

    >>> indented("\treturn 1\n")
    '    return 1\n'
    """
    lines = body.splitlines(keepends=True)
    first = next((line for line in lines if line.strip()), "")
    margin = first[: len(first) - len(first.lstrip())]
    if not margin:
        return body
    return "".join("    " + line.removeprefix(margin) if line.startswith(margin) else line for line in lines)


def called(checks: str, defined: list[str], entry: str) -> str:
    """The function that the asserts call: `entry`, unless they call another that the reference defines."""
    names = {
        node.func.id
        for node in ast.walk(tree_of(checks))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    if entry in names or "candidate" in names:
        return entry
    others = [name for name in defined if name in names]
    return others[-1] if others else entry
