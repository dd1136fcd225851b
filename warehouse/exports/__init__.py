"""Tasks as files that other systems read, and back."""

from warehouse.exports.layouts import LAYOUTS
from warehouse.exports.reading import read
from warehouse.exports.writing import Export, export

__all__ = ["LAYOUTS", "Export", "export", "read"]
