"""Writes the report: one HTML file that needs nothing else and runs nothing."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from cli.report.arrange import arrange
from cli.report.lives import LEGEND, MARKS, Step, lives
from cli.report.result import Result
from local.rendering.markdown import title_as_html
from local.rendering.visible import visible, visible_line

_HERE = Path(__file__).parent
_STYLES = (_HERE.parents[1] / "local" / "rendering" / "static" / "markdown.css", _HERE / "page.css")
_SHORT = 7


def write_report(
    result: Mapping[str, Any], path: Path, diffs: Mapping[int, Sequence[Mapping[str, Any]]] | None = None
) -> None:
    """Write the result of a review, as its JSON has it, as one page to `path`.

    `diffs` gives for a push, by its index from 0, the changed files: path, previous_path, status, patch;
    without one the comments stand without their code. Raises pydantic.ValidationError and OSError.
    """
    read = Result.model_validate(result)
    followed = lives(read.pushes)
    pages, replies = arrange(read, diffs or {})
    css = "".join(file.read_text(encoding="utf-8") for file in _STYLES)
    made = (
        _environment()
        .get_template("page.html.j2")
        .render(
            result=read,
            pages=pages,
            replies=replies,
            columns=_columns(read),
            told={key: told.anchor for key, told in pages[-1].told.items()} if pages else {},
            lives=followed,
            marks=MARKS,
            legend=LEGEND,
            css=Markup(css),  # noqa: S704 - a file of ours
            css_hash=_hash(css),
        )
    )
    path.write_text(made, encoding="utf-8")


def _columns(result: Result) -> list[tuple[str, str, Step]]:
    """The parts of the delta in the overview, by name, word and mark: what people settled only where they did."""
    columns: list[tuple[str, str, Step]] = [
        ("new", "New", "opened"),
        ("resolved", "Resolved", "fixed"),
        ("still_open", "Still open", "open"),
    ]
    settled = any(push.delta.settled for push in result.pushes)
    return [*columns, ("settled", "Settled", "settled")] if settled else columns


def _hash(css: str) -> str:
    """Name the style sheet for the content security policy: no other style is then obeyed."""
    return f"sha256-{base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()}"


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value if isinstance(value, Markup) else visible(str(value)),
    )
    made.filters |= {
        "short": _short,
        "number": "{:,}".format,
        "line": visible_line,
        "words": _words,
        "headline": title_as_html,
    }
    return made


def _short(commit: str) -> str:
    return commit[:_SHORT]


def _words(name: str) -> str:
    """Read a name as words: "REQUEST_CHANGES" is "REQUEST CHANGES"."""
    return name.replace("_", " ").replace("-", " ")
