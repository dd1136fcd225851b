"""Small packages written by generators: several domains, in several sizes, each with an independent oracle."""

from synth.environments.packages.blueprint import Blueprint, Probe, domains

__all__ = ["Blueprint", "Probe", "domains"]
