"""Corpora from files or the hub, row by row, for the same evidence as every other task."""

from synth.importers.corpus import IMPORTERS, Corpus, Importer, get, importer

__all__ = ["IMPORTERS", "Corpus", "Importer", "get", "importer"]
