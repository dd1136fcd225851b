"""Schedulers under one protocol, one a file."""

from curriculum.schedulers.protocol import Draw, Group, Pool, Scheduler
from curriculum.schedulers.registry import SCHEDULERS, get, names, scheduler

__all__ = ["SCHEDULERS", "Draw", "Group", "Pool", "Scheduler", "get", "names", "scheduler"]
