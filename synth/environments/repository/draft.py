"""Drafts of repair tasks: a package, its tests, and faults in it; nothing is run yet."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from synth.environments.packages import Blueprint, domains
from synth.environments.packages.blueprint import Probe
from synth.environments.repository.faults import Fault, inject
from synth.sandbox import Test
from synth.syntax import tree_of

N_VISIBLE, N_HIDDEN = 3, 8
TRIES = 60
FLAT = "core"
N_FAULTS = {1: (1, 1), 2: (1, 1), 3: (1, 2), 4: (1, 2), 5: (2, 3)}
"""Least and most faults by level; the level is also the package's size."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A package whole and broken, with the calls that tell them apart; `tests` are shown, `hidden` decide."""

    domain: str
    package: str
    whole: Mapping[str, str]
    broken: Mapping[str, str]
    faults: Sequence[Fault]
    tests: tuple[Test, ...]
    hidden: tuple[Test, ...]

    def distance(self, module: str) -> int:
        """Least number of imports from a module to a faulty one, -1 when none leads there."""
        reached = self._reached(module)
        faulty = [f"{self.package}.{fault.module}" for fault in self.faults]
        return min((reached[name] for name in faulty if name in reached), default=-1)

    def n_beside(self, modules: Sequence[str]) -> int:
        """How many of the package's modules none of `modules` imports, nor what they import: noise for who searches."""
        reached = {name for module in modules for name in self._reached(module)}
        own = {name for name in _by_module(self.whole) if name.startswith(f"{self.package}.")}
        return len({name for name in own if not name.endswith(".__init__")} - reached)

    def _reached(self, module: str) -> dict[str, int]:
        """The modules that a module imports, itself among them, each with the least number of imports to it."""
        imports = {name: _imports(source, self.package) for name, source in _by_module(self.whole).items()}
        reached, near, steps = dict[str, int](), {module}, 0
        while near:
            reached |= dict.fromkeys(near, steps)
            near = {other for name in near for other in imports.get(name, ())} - set(reached)
            steps += 1
        return reached


def draft(rng: random.Random, level: int) -> Draft:
    """A draft of one level; depends on `rng` and `level` alone."""
    names = domains()
    domain = rng.choice(sorted(names))
    blueprint = names[domain](rng, level)
    if level == 1 and domain != "machine" and rng.random() < 0.5:
        blueprint = _flat(blueprint)
    probes = list(dict.fromkeys(blueprint.probes))
    tests: list[Test] = []
    hidden: list[Test] = []
    for probe in probes:
        drawn = _drawn(rng, blueprint.package, probe)
        tests += drawn[:N_VISIBLE]
        hidden += drawn[N_VISIBLE:]
    modules, faults = inject(rng, blueprint.modules, rng.randint(*N_FAULTS[level]))
    around = {f"tests/test_{blueprint.package}.py": written(tests), "README.md": _readme(blueprint)}
    whole = {**blueprint.files(), **around}
    broken = {**whole, **{f"{blueprint.package}/{name}.py": text for name, text in modules.items()}}
    return Draft(domain, blueprint.package, whole, broken, faults, tuple(tests), tuple(hidden))


def _drawn(rng: random.Random, package: str, probe: Probe) -> list[Test]:
    """Calls of one function with different inputs, what they must return computed by its oracle."""
    made: dict[str, Test] = {}
    results: set[str] = set()
    for _ in range(TRIES):
        given = probe.inputs(rng)
        expected = probe.oracle(*given)
        alike = len(made) == N_VISIBLE + N_HIDDEN - 1 and results == {repr(expected)}
        if repr(given) not in made and not alike:
            made[repr(given)] = Test(args=(f"{package}.{probe.module}", probe.function, list(given)), expected=expected)
            results |= {repr(expected)} if len(made) > N_VISIBLE else set()
        if len(made) == N_VISIBLE + N_HIDDEN:
            break
    return list(made.values())


def written(tests: Sequence[Test]) -> str:
    """Visible tests as a test file."""
    calls: dict[tuple[str, str], list[Test]] = {}
    for test in tests:
        calls.setdefault((test.args[0], test.args[1]), []).append(test)
    lines = [f"from {module} import {function}" for module, function in sorted(calls)]
    for (_, function), same in calls.items():
        for number, test in enumerate(same, 1):
            given = ", ".join(map(repr, test.args[2]))
            lines += ["", "", f"def test_{function}_{number}():", f"    found = {function}({given})"]
            lines += [f'    assert found == {test.expected!r}, f"got {{found!r}}"']
    return "\n".join(lines) + "\n"


def shown(test: Test) -> str:
    """A call as the issue names it."""
    return f"{test.args[1]}({', '.join(map(repr, test.args[2]))})"


def _flat(blueprint: Blueprint) -> Blueprint:
    """The same package with all of its modules in one."""
    inside = re.compile(rf"^from {blueprint.package}[.\w]* import .*\n", re.MULTILINE)
    text = "\n\n".join(inside.sub("", source).strip() for source in blueprint.modules.values()) + "\n"
    probes = [Probe(FLAT, probe.function, probe.inputs, probe.oracle) for probe in blueprint.probes]
    return Blueprint(blueprint.package, blueprint.about, {FLAT: text}, probes)


def _readme(blueprint: Blueprint) -> str:
    lines = [f"# {blueprint.package}", "", blueprint.about, ""]
    for name, source in sorted(blueprint.modules.items()):
        about = (ast.get_docstring(tree_of(source)) or "").partition("\n")[0]
        lines.append(f"- `{blueprint.package}/{name}.py`: {about}")
    return "\n".join(lines) + "\n"


def _by_module(files: Mapping[str, str]) -> dict[str, str]:
    return {path[:-3].replace("/", "."): text for path, text in files.items() if path.endswith(".py")}


def _imports(source: str, package: str) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree_of(source)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == package:
            found |= {node.module} if "." in node.module else {f"{package}.{alias.name}" for alias in node.names}
    return found
