"""Writes the report: one HTML file that loads nothing and runs nothing."""

import base64
import hashlib
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from cli.finding_history import LEGEND, MARKS, finding_histories
from cli.results import ChangedFile, Comment, Diff, Finding, Push, Reply, Result, commented_lines
from kodiai.core.findings.markers import finding_of
from local.rendering.diffs import LinePosition, Row, folded, places_of, rows_of
from local.rendering.markdown import as_html
from local.rendering.templating import STATIC, environment

_HERE = Path(__file__).parent
REPORT = _HERE / "static" / "report.css"
_STYLES = (*(STATIC / name for name in ("markdown.css", "base.css", "diff.css")), REPORT)


@dataclass(frozen=True)
class ShownComment:
    """An inline comment as HTML, with its id on the page."""

    anchor: str
    comment: Comment
    html: Markup


@dataclass(frozen=True)
class CommentedFile:
    """A file with comments: the stretches of its hunks with whether they are folded, and the comments `below` lines.

    The lines that comments are about are `marked`; the comments that are `elsewhere` are on none of the lines.
    """

    path: str
    file: ChangedFile | None
    stretches: Sequence[tuple[bool, Sequence[Row]]]
    below: Mapping[LinePosition, Sequence[ShownComment]]
    marked: Collection[LinePosition]
    elsewhere: Sequence[ShownComment]


@dataclass(frozen=True)
class ShownReview:
    """The review of a push, or one that a reply requested."""

    anchor: str
    push: Push
    comments: Sequence[ShownComment]
    files: Sequence[CommentedFile]

    def comment_on(self, finding: Finding) -> ShownComment | None:
        """Find the comment on a finding: by its marker, else, among unmarked ones, by its place and title."""
        marked = {finding_of(one.comment.body): one for one in self.comments}
        if finding.id in marked:
            return marked[finding.id]
        unmarked = [one for one in self.comments if finding_of(one.comment.body) is None]
        at = [one for one in unmarked if one.comment.path == finding.path and finding.line in one.comment.lines]
        return min(at, key=lambda one: (finding.title not in one.comment.body, len(one.comment.lines)), default=None)


Section = Mapping[str, Any]
"""A push with its `review` and `replies`, or a reply with the `review` that it requested, for the template."""


def write_report(result: Result, path: Path, diffs: Sequence[Diff] = ()) -> None:
    """Write the result of a review as one page to `path`. `diffs` has the changed files of each push.

    Comments without a diff are shown without their code. Raises OSError.
    """
    pushes = _pushes(result, diffs)
    made = (
        environment(_HERE / "templates")
        .get_template("report.html.j2")
        .render(
            result=result,
            pushes=pushes,
            comment_ids=_comment_ids(pushes),
            histories=finding_histories(result.pushes),
            marks=MARKS,
            legend=LEGEND,
            **inlined(_STYLES),
        )
    )
    path.write_text(made, encoding="utf-8")


def _pushes(result: Result, diffs: Sequence[Diff]) -> list[Section]:
    pushes: list[Section] = []
    replies = list(enumerate(result.replies(), start=1))
    last: ShownReview | None = None  # the latest review with comments, to which replies refer
    for index, push in enumerate(result.pushes):
        diff = diffs[index] if index < len(diffs) else {}
        review = _review(f"push-{index + 1}", push, diff)
        last = review if review.comments else last
        shown: list[Section] = []
        for number, (after, reply, before) in replies:
            if after == index:
                about, changes = _about(reply, last), reply.changes(before)
                asked = _review(f"reply-{number}", reply.review, diff) if reply.review else None
                shown.append({"number": number, "reply": reply, "about": about, "changes": changes, "review": asked})
                last = asked if asked and asked.comments else last
        pushes.append({"number": index + 1, "review": review, "replies": shown})
    return pushes


def _about(reply: Reply, review: ShownReview | None) -> str | None:
    """The id of the comment of the latest review that a reply is about, None if the comment is not on the page."""
    comments = review.push.review.in_order if review and review.push.review else []
    if review is None or not 0 < reply.to.comment <= len(comments):
        return None
    return next(one.anchor for one in review.comments if one.comment is comments[reply.to.comment - 1])


def _comment_ids(pushes: Sequence[Section]) -> Mapping[str, str]:
    """The id of the latest comment on each finding, by the finding's key."""
    reviews = [section["review"] for push in pushes for section in (push, *push["replies"])]
    return {
        finding.key: comment.anchor
        for review in filter(None, reviews)
        for finding in review.push.findings
        if (comment := review.comment_on(finding))
    }


def _review(anchor: str, push: Push, diff: Diff) -> ShownReview:
    comments = [
        _comment(f"{anchor}-comment-{number}", comment, diff)
        for number, comment in enumerate(push.review.comments if push.review else (), start=1)
    ]
    paths = dict.fromkeys(one.comment.path for one in comments)
    files = [_file(path, diff, [one for one in comments if one.comment.path == path]) for path in paths]
    return ShownReview(anchor, push, comments, files)


def _comment(anchor: str, comment: Comment, diff: Diff) -> ShownComment:
    """Render a comment; a suggestion in it is shown against the lines that it would replace."""
    original = [line.text for line in commented_lines(diff, comment)]
    return ShownComment(anchor, comment, as_html(comment.body, path=comment.path, original=original, on_site=False))


def _file(path: str, diff: Diff, comments: Sequence[ShownComment]) -> CommentedFile:
    file = diff.get(path)
    rows = rows_of(path, file.patch) if file and file.patch else ()
    places = places_of(rows)
    below: dict[LinePosition, list[ShownComment]] = defaultdict(list)
    elsewhere, marked = [], set()
    for one in comments:
        place = places.get((one.comment.side, one.comment.line))
        if place is None:
            elsewhere.append(one)
            continue
        below[place].append(one)
        marked |= {places[at] for line in one.comment.lines if (at := (one.comment.side, line)) in places}
    stretches = [
        stretch
        for hunk in _hunks(rows)
        if any(row.marker != "@" and row.place in below for row in hunk)
        for stretch in folded(hunk, marked)
    ]
    return CommentedFile(path, file, stretches, below, marked, elsewhere)


def _hunks(rows: Sequence[Row]) -> list[list[Row]]:
    """Divide rows at the headers of the hunks."""
    hunks: list[list[Row]] = []
    for row in rows:
        if row.marker == "@":
            hunks.append([])
        hunks[-1].append(row)
    return hunks


def inlined(styles: Sequence[Path]) -> Mapping[str, str]:
    """The style sheets as one, and its name for the content security policy, which allows no other."""
    css = "".join(file.read_text(encoding="utf-8") for file in styles)
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    return {"css": Markup(css), "css_hash": f"sha256-{digest}"}  # noqa: S704 - our own files
