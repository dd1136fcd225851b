"""Tasks as files that other systems read, and back."""

from warehouse.exports.layouts import LAYOUTS
from warehouse.exports.manifest import ExportError
from warehouse.exports.reading import Package, read, unpack
from warehouse.exports.writing import Export, export

__all__ = ["LAYOUTS", "Export", "ExportError", "Package", "export", "read", "unpack"]
