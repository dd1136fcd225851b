"""Schedulers under one protocol, one a file."""

from curriculum.schedulers.protocol import Draw, Group, Pool, Scheduler
from curriculum.schedulers.registry import SCHEDULERS, check_scheduler, get, names, scheduler

__all__ = ["SCHEDULERS", "Draw", "Group", "Pool", "Scheduler", "check_scheduler", "get", "names", "scheduler"]
