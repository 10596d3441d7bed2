"""The review of a pull request as one HTML page, and what the terminal's printout shares with it."""

from cli.report.report import write_report

__all__ = ["write_report"]
