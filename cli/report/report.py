"""Writes the report: one HTML file that needs nothing else and runs nothing."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from cli.report.code import coloured_hunk
from cli.report.diff import Diff, Stretch, place, stretches
from cli.report.prose import as_html, comment_as_html, title_as_html
from cli.report.result import Comment, DiffFile, Finding, Push, Result
from cli.report.visible import visible, visible_line
from kodiai.core.changes.hunk import Hunk
from kodiai.core.words.markers import finding_of

_HERE = Path(__file__).parent
_SHORT = 7


def write_report(
    result: Mapping[str, Any], path: Path, diffs: Mapping[int, Sequence[Mapping[str, Any]]] | None = None
) -> None:
    """Write the result of a review, as its JSON has it, as one page to `path`.

    `diffs` gives for a push, by its index from 0, the changed files: path, previous_path, status, patch;
    without one the comments stand without their code. Raises pydantic.ValidationError and OSError.
    """
    read = Result.model_validate(result)
    pages = [
        PushPage(number, push, Diff([DiffFile.model_validate(file) for file in (diffs or {}).get(number, ())]))
        for number, push in enumerate(read.pushes)
    ]
    css = (_HERE / "page.css").read_text(encoding="utf-8")
    made = (
        _environment()
        .get_template("page.html.j2")
        .render(
            result=read,
            pages=pages,
            css=Markup(css),  # noqa: S704 - a file of ours
            css_hash=_hash(css),
        )
    )
    path.write_text(made, encoding="utf-8")


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
    """Read a status or a reason as words: "wont_fix" is "wont fix"."""
    return name.replace("_", " ").replace("-", " ")


@dataclass(frozen=True)
class ShownFile:
    """A file with comments: its hunks that have some, and the comments that stand in none of them."""

    path: str
    file: DiffFile | None
    hunks: Sequence[tuple[Hunk, Sequence[Stretch]]]
    loose: Sequence[Comment]


@dataclass(frozen=True)
class PushPage:
    """One push, arranged for the page; `index` counts from 0."""

    index: int
    push: Push
    diff: Diff

    @property
    def anchor(self) -> str:
        """The name of the push's section in the page's address."""
        return f"push-{self.index + 1}"

    @property
    def body(self) -> Markup:
        """The review's summary, its first details open."""
        return as_html(self.push.review.body if self.push.review else "", open_first=True)

    @cached_property
    def comments(self) -> Sequence[Comment]:
        """The inline comments, as they were posted."""
        return self.push.review.comments if self.push.review else ()

    def comment_anchor(self, comment: Comment) -> str:
        """The name of a comment in the page's address."""
        number = next(number for number, one in enumerate(self.comments, start=1) if one is comment)
        return f"{self.anchor}-comment-{number}"

    def comment_html(self, comment: Comment) -> Markup:
        """Render a comment; a suggestion in it is shown against the lines that it would replace."""
        original = [row.text for row in self.diff.commented(comment)]
        return comment_as_html(comment.body, comment.path, original)

    def comment_of(self, finding: Finding) -> Comment | None:
        """Find the comment that this push posted for a finding: by its marker, else, unmarked, by its place."""
        marked = {finding_of(one.body): one for one in self.comments}
        if finding.id in marked:
            return marked[finding.id]
        unmarked = [one for one in self.comments if finding_of(one.body) is None]
        at = [one for one in unmarked if one.path == finding.path and finding.line in one.lines]
        return min(at, key=lambda one: (finding.title not in one.body, len(one.lines)), default=None)

    @cached_property
    def statuses(self) -> list[tuple[str, int]]:
        """How many findings there are of each status."""
        names = sorted(finding.status for finding in self.push.findings)
        return [(name, len(list(same))) for name, same in groupby(names)]

    @cached_property
    def files(self) -> list[ShownFile]:
        """The files with comments, in the order in which they were posted."""
        paths = dict.fromkeys(comment.path for comment in self.comments)
        return [self._file(path) for path in paths]

    def _file(self, path: str) -> ShownFile:
        left = [comment for comment in self.comments if comment.path == path]
        hunks = []
        for hunk in self.diff.hunks(path):
            rows, elsewhere = place(hunk, coloured_hunk(path, hunk), left)
            if len(elsewhere) < len(left):
                hunks.append((hunk, list(stretches(rows))))
            left = elsewhere
        return ShownFile(path, self.diff.file(path), hunks, left)
