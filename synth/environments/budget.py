"""What one episode may use, and what it has used."""

from __future__ import annotations

from dataclasses import dataclass

from warehouse.errors import UserError


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one episode; a call that could not be read counts like any other."""

    calls: int = 30
    """Tool calls, 1 to 10,000."""
    tokens: int = 20_000
    """Tokens that the policy writes, 1 or more."""
    seconds: float = 600.0
    """Time from reset, the policy's own included, seconds, above 0."""
    observation_characters: int = 8_000
    """Longest observation, characters, 200 or more; the middle of a longer one is left out."""

    def __post_init__(self) -> None:
        ranges = {"calls": (1, 10_000), "tokens": (1, 10**9), "seconds": (0.001, 10**7)}
        ranges["observation_characters"] = (200, 10**7)
        for name, (low, high) in ranges.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise UserError(f"budget {name} is {value}; allowed: {low} to {high}")

    def spent(self, *, calls: int, tokens: int, seconds: float) -> str | None:
        """The name of the limit that has been reached, none while there is something left of each."""
        used = {"calls": calls, "tokens": tokens, "seconds": seconds}
        return next((name for name, value in used.items() if value >= getattr(self, name)), None)

    def shortened(self, text: str) -> str:
        """An observation within its limit: the middle of a long one is left out, and it says how much."""
        most = self.observation_characters
        if len(text) <= most:
            return text
        head, tail = 2 * most // 3, most // 3
        return f"{text[:head]}\n[... {len(text) - head - tail} characters left out ...]\n{text[-tail:]}"
