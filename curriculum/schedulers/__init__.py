"""Schedulers under one protocol, one a file."""

from curriculum.schedulers.protocol import Draw, Group, Pool, Scheduler
from curriculum.schedulers.registry import get, names, scheduler

__all__ = ["Draw", "Group", "Pool", "Scheduler", "get", "names", "scheduler"]
