"""Writes the reports of a run: Markdown for people, and JSON of everything."""

import json
from pathlib import Path

from evals.markdown import markdown
from evals.summary import Comparison, Summary, as_json

MARKDOWN, DATA = "report.md", "report.json"


def write_reports(folder: Path, summary: Summary, comparison: Comparison | None = None) -> None:
    """Write both reports into a folder. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARKDOWN).write_text(markdown(summary, comparison), encoding="utf-8")
    data = json.dumps(as_json(summary, comparison), indent=1, ensure_ascii=False)
    (folder / DATA).write_text(f"{data}\n", encoding="utf-8")
