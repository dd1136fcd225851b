"""The report of a campaign: one HTML file that opens from disk, made from the warehouse alone."""

from flows.report.build import build

__all__ = ["build"]
