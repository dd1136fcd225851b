"""Learner worlds in which schedulers are compared without a GPU."""
