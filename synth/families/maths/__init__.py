"""Arithmetic, number theory, algebra, combinatorics, probability and geometry."""
