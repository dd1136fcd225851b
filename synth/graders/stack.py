"""A grader stack at work: judges completions, runs the graph over them, and gives S with every part."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Protocol

from synth.graders.config import Node, StackConfig
from synth.graders.grader import GRADERS, Case, Grade, Grader, Kind, Referee
from synth.graders.graph import StackInvalid, order, problems
from synth.graders.judged import Judged
from synth.graders.reward import TERMS, settle, weighted_mean
from synth.lineage import same_lineage
from warehouse.records import JsonValue, Judgement, Task


class JudgeLike(Protocol):
    """What a stack needs of `Judge`."""

    def judge(
        self, tasks: Sequence[Task], completions: Sequence[str], *, truncated: Sequence[bool] | None = None
    ) -> list[Judged]: ...


class Stack:
    """Graders of one declaration, active in one stage, over one judge; judges as a `Judge` does.

    `policy_lineage` is refused to a referee of the same lineage. Raises `StackInvalid` for a stack with fatal
    problems, and `UserError` where a grader needs a referee that is missing or related.
    """

    def __init__(
        self,
        config: StackConfig,
        judge: JudgeLike,
        *,
        stage: int = 1,
        referee: Referee | None = None,
        policy_lineage: str | None = None,
    ) -> None:
        fatal = [problem for problem in problems(config) if problem.fatal]
        if fatal:
            lines = "; ".join(": ".join((*problem.nodes[:1], problem.message)) for problem in fatal)
            raise StackInvalid(f"{len(fatal)} problems in the grader stack: {lines}; see: gradatim graders check")
        self.config, self._judge = config, judge
        self._nodes = [node for node in order(config.grader) if node.active(stage)]
        if referee is not None and policy_lineage is not None and same_lineage(referee.lineage, policy_lineage):
            raise StackInvalid(f"the referee's lineage is the policy's, '{policy_lineage}'; choose another referee")
        self._graders: dict[str, Grader] = {}
        for node in self._nodes:
            kind = GRADERS.get(node.uses)
            self._graders[node.name] = kind(kind.Settings.model_validate(dict(node.params)), referee)

    def judge(
        self,
        tasks: Sequence[Task],
        completions: Sequence[str],
        *,
        truncated: Sequence[bool] | None = None,
        n_tokens: Sequence[int] | None = None,
        latency_s: Sequence[float] | None = None,
        turns: Sequence[tuple[Mapping[str, JsonValue], ...]] | None = None,
    ) -> list[Judged]:
        """The word on each completion with all its parts; its reward is S without cost terms until `settle`.

        Parts are `NAME` for each node's score, `S/quality`, `S/cost`, `S/time`, `S/risk`, and `S`.
        """
        words = self._judge.judge(tasks, completions, truncated=truncated)
        return self.grade(
            tasks, completions, words, truncated=truncated, n_tokens=n_tokens, latency_s=latency_s, turns=turns
        )

    def grade(
        self,
        tasks: Sequence[Task],
        completions: Sequence[str],
        words: Sequence[Judged],
        *,
        truncated: Sequence[bool] | None = None,
        n_tokens: Sequence[int] | None = None,
        latency_s: Sequence[float] | None = None,
        turns: Sequence[tuple[Mapping[str, JsonValue], ...]] | None = None,
    ) -> list[Judged]:
        """As `judge`, over words that a judge has already said."""
        cases = [
            Case(
                task=task,
                completion=completions[i],
                judged=words[i],
                truncated=bool(truncated and truncated[i]),
                n_tokens=n_tokens[i] if n_tokens is not None else None,
                latency_s=latency_s[i] if latency_s is not None else None,
                turns=turns[i] if turns is not None else (),
            )
            for i, task in enumerate(tasks)
        ]
        found: dict[str, list[Grade]] = {}
        for node in self._nodes:
            found[node.name] = self._graded(node, cases, found)
        return [self._word(words[i], {name: grades[i] for name, grades in found.items()}) for i in range(len(words))]

    def settle(self, words: Sequence[Judged], groups: Sequence[Hashable]) -> list[Judged]:
        """Rewards once groups are known; see `synth.graders.reward.settle`."""
        return settle(words, groups, self.config.weights, self.config.costs)

    def _graded(self, node: Node, cases: Sequence[Case], found: Mapping[str, list[Grade]]) -> list[Grade]:
        """Grades of one node; what stands behind a failed gate is 0, behind an undecided need is undecided."""
        by_name = {other.name: other for other in self._nodes}
        grades: list[Grade | None] = []
        for i in range(len(cases)):
            needed = [(by_name[need], found[need][i]) for need in node.needs if need in found]
            grades.append(_behind(needed))
        open_places = [i for i, grade in enumerate(grades) if grade is None]
        fresh = self._graders[node.name].grade([cases[i] for i in open_places]) if open_places else []
        for i, grade in zip(open_places, fresh, strict=True):
            grades[i] = grade
        return [grade for grade in grades if grade is not None]

    def _word(self, word: Judged, grades: Mapping[str, Grade]) -> Judged:
        """One judged completion from its grades."""
        parts = {**word.parts, **{name: grade.score for name, grade in grades.items() if grade.score is not None}}
        cheats = tuple(node.name for node in self._nodes if grades[node.name].cheat and self._is_anti_cheat(node))
        details = [f"{name}: {grade.detail}" for name, grade in grades.items() if grade.detail]
        detail = "; ".join(([word.detail] if word.detail else []) + details)
        if cheats:
            return Judged(Judgement.CHEAT, 0.0, {**parts, "S": 0.0}, cheats, detail)
        undecided = [node.name for node in self._nodes if node.weight > 0 and grades[node.name].score is None]
        if word.reward is None:
            return Judged(word.judgement, None, parts, (), detail)
        if undecided:
            return Judged(Judgement.UNDECIDED, None, parts, (), f"undecided: {', '.join(undecided)}; {detail}")
        for term in TERMS:
            nodes = [node for node in self._nodes if node.axis == term and node.weight > 0]
            scores = [grades[node.name].score or 0.0 for node in nodes]
            parts[f"S/{term}"] = weighted_mean(scores, [node.weight for node in nodes])
        value = self.config.weights.quality * parts["S/quality"]
        return Judged(word.judgement, value, {**parts, "S": value}, (), detail)

    def _is_anti_cheat(self, node: Node) -> bool:
        return self._graders[node.name].kind is Kind.ANTI_CHEAT


def _behind(needed: Sequence[tuple[Node, Grade]]) -> Grade | None:
    """The grade that the needs of a node force on it, or `None` when it is free to grade."""
    if any(node.gate and grade.score is not None and grade.score < node.gate_at for node, grade in needed):
        return Grade(0.0, detail="behind a failed gate")
    if any(grade.score is None for _, grade in needed):
        return Grade(None, detail="behind an undecided grader")
    return None
