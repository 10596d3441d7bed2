"""Writes the reports of a run: Markdown, one HTML page, and JSON of everything."""

import json
from pathlib import Path

from evals.markdown import markdown
from evals.page import page
from evals.summary import Comparison, Summary, as_json

REPORT_FILES = ("report.md", "report.html", "report.json")


def write_reports(folder: Path, summary: Summary, comparison: Comparison | None = None) -> None:
    """Write the three reports into a folder. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    data = json.dumps(as_json(summary, comparison), indent=1, ensure_ascii=False) + "\n"
    texts = (markdown(summary, comparison), page(summary, comparison), data)
    for name, text in zip(REPORT_FILES, texts, strict=True):
        (folder / name).write_text(text, encoding="utf-8")
