"""Writes the report: one HTML file that loads nothing and runs nothing."""

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from markupsafe import Markup

from cli.finding_history import LEGEND, MARKS, finding_histories
from cli.results import Comment, Diff, Push, Reply, Result, commented_lines
from kodiai.core.findings.markers import finding_of
from local.rendering.diffs import Row, rows_of
from local.rendering.markdown import as_html
from local.rendering.templating import STATIC, environment

_HERE = Path(__file__).parent
REPORT = _HERE / "static" / "report.css"
_STYLES = (*(STATIC / name for name in ("markdown.css", "base.css", "diff.css")), REPORT)
_ROWS = 4


@dataclass(frozen=True)
class ShownComment:
    """An inline comment with its id on the page, the end of the code that it is about, and its text."""

    anchor: str
    comment: Comment
    rows: Sequence[Row]
    html: Markup


@dataclass(frozen=True)
class ShownReview:
    """The review of a push, or one that a reply requested, with its inline comments."""

    anchor: str
    push: Push
    comments: Sequence[ShownComment]


@dataclass(frozen=True)
class ShownReply:
    """A reply, the findings that it changed in words, and the review that it requested."""

    anchor: str
    reply: Reply
    changes: Sequence[str]
    review: ShownReview | None


def write_report(result: Result, path: Path, diffs: Sequence[Diff] = ()) -> None:
    """Write the result as a page to `path`; `diffs` has the changed files of each push.

    Comments without a diff are shown without their code. Raises OSError.
    """
    reviews = [_review(f"push-{at + 1}", push, _diff(diffs, at)) for at, push in enumerate(result.pushes)]
    replies = dict(_replies(result, diffs))
    template = environment(_HERE / "templates").get_template("report.html.j2")
    made = template.render(
        result=result,
        reviews=reviews,
        replies=replies,
        comment_ids=_comment_ids(reviews),
        histories=finding_histories(result.pushes),
        marks=MARKS,
        legend=LEGEND,
        **inlined(_STYLES),
    )
    path.write_text(made, encoding="utf-8")


def _diff(diffs: Sequence[Diff], push: int) -> Diff:
    return diffs[push] if push < len(diffs) else {}


def _replies(result: Result, diffs: Sequence[Diff]) -> Iterator[tuple[int, list[ShownReply]]]:
    """The replies after each push that has some, by the index of the push."""
    numbered = enumerate(result.replies(), start=1)
    for push, group in groupby(numbered, key=lambda each: each[1][0]):
        yield (
            push,
            [
                ShownReply(
                    f"reply-{number}",
                    reply,
                    reply.changes(before),
                    _review(f"reply-{number}", reply.review, _diff(diffs, push)) if reply.review else None,
                )
                for number, (_, reply, before) in group
            ],
        )


def _review(anchor: str, push: Push, diff: Diff) -> ShownReview:
    comments = push.review.in_order if push.review else ()
    shown = [_comment(f"{anchor}-comment-{number}", comment, diff) for number, comment in enumerate(comments, start=1)]
    return ShownReview(anchor, push, shown)


def _comment(anchor: str, comment: Comment, diff: Diff) -> ShownComment:
    """Render a comment; a suggestion in it is shown against the lines that it would replace."""
    original = [line.text for line in commented_lines(diff, comment)]
    html = as_html(comment.body, path=comment.path, original=original, on_site=False)
    return ShownComment(anchor, comment, _rows(comment, diff), html)


def _rows(comment: Comment, diff: Diff) -> Sequence[Row]:
    """The end of the hunk above a comment: some lines, or all that it is about; none where the diff has none of it."""
    file = diff.get(comment.path)
    rows = rows_of(comment.path, file.patch) if file and file.patch else ()
    at = [index for index, row in enumerate(rows) if row.on(comment.side) in comment.lines]
    return rows[max(0, min(at[0], at[-1] - _ROWS + 1)) : at[-1] + 1] if at else ()


def _comment_ids(reviews: Sequence[ShownReview]) -> Mapping[str | None, str]:
    """The id on the page of the latest comment on each finding, by the id of the finding."""
    return {finding_of(each.comment.body): each.anchor for review in reviews for each in review.comments}


def inlined(styles: Sequence[Path]) -> Mapping[str, str]:
    """The style sheets as one, and its name for the content security policy, which allows no other."""
    css = "".join(file.read_text(encoding="utf-8") for file in styles)
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    return {"css": Markup(css), "css_hash": f"sha256-{digest}"}  # noqa: S704 - our own files
