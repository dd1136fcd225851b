"""Engines that answer in text: the protocol, any OpenAI-compatible server, a cache of replies and budgets."""

from synth.engines.budget import Budget, Budgeted, Purse
from synth.engines.cache import Cached
from synth.engines.config import BudgetConfig, ModelConfig, ModelsConfig, model_of
from synth.engines.kinds import ENGINES, engine_kind
from synth.engines.protocol import Answered, Ask, Engine, Reply, as_they_come
from synth.engines.referee import EngineReferee

__all__ = [
    "ENGINES",
    "Answered",
    "Ask",
    "Budget",
    "BudgetConfig",
    "Budgeted",
    "Cached",
    "Engine",
    "EngineReferee",
    "ModelConfig",
    "ModelsConfig",
    "Purse",
    "Reply",
    "as_they_come",
    "engine_kind",
    "model_of",
]
