"""The words of the report that a newcomer may not know."""

from __future__ import annotations

WORDS = {
    "pass@k": "the chance that at least one of k completions of a task passes; pass@1 is the pass rate",
    "breadth": "what pass@k shows: how many tasks the policy can solve at all when it may try often",
    "entropy": "how undecided the policy is about its next token, in nats; near 0 it always writes the same",
    "arm": "what a mixture is made of: tasks of one family, level and source, as family/level/source",
    "mixture": "the share of each arm in what a stage draws",
    "P(mixed)": "the chance that a group of completions of a task holds passes and failures; only such groups train",
    "bucket": "where a task stands for the policy: dead, hard, frontier, easy, mastered, or unknown as long as too "
    "little was seen of it",
    "frontier": "tasks that the policy passes sometimes; also the scheduler that draws them most",
    "dead": "tasks that it as good as never passes; hard ones it passes seldom",
    "mastered": "tasks that it as good as always passes; easy ones it fails seldom",
    "canary": "tasks kept aside that are sampled while a stage trains, to see collapse early; nothing trains on them",
    "baseline": "a second line of training from the same start under another scheduler, as the yardstick",
    "task by task": "the difference on each task, with an interval clustered by family and level; it sees smaller "
    "changes than two separate intervals do",
}
"""Word to what it means here."""
