"""Engines that answer in text: the protocol, any OpenAI-compatible server, a cache of replies and budgets."""

from synth.engines.budget import Budget, Budgeted, Purse
from synth.engines.cache import Cached
from synth.engines.config import BudgetConfig, ModelConfig
from synth.engines.kinds import ENGINES, engine_kind
from synth.engines.protocol import Answered, Ask, Engine, Reply, as_they_come

__all__ = [
    "ENGINES",
    "Answered",
    "Ask",
    "Budget",
    "BudgetConfig",
    "Budgeted",
    "Cached",
    "Engine",
    "ModelConfig",
    "Purse",
    "Reply",
    "as_they_come",
    "engine_kind",
]
