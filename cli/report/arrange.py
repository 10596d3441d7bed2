"""The pushes of a pull request and what was said between them, arranged for the page in their order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from cli.report.diff import Diff
from cli.report.push_page import PushPage, Told
from cli.report.result import DiffFile, Reply, Result
from local.rendering.markdown import as_html


@dataclass(frozen=True)
class ReplyPage:
    """A reply; `about` names the comment that it answers in the page's address, None where that is not on the page.

    `changes` are sentences on findings that stand otherwise since.
    """

    anchor: str
    reply: Reply
    about: str | None
    changes: Sequence[str]
    review: PushPage | None

    @property
    def said(self) -> Markup:
        """What was said, as GitHub would show it."""
        return as_html(self.reply.text, on_site=False)

    @property
    def answer(self) -> Markup:
        """What was answered."""
        return as_html(self.reply.answer or "", on_site=False)


def arrange(
    result: Result, diffs: Mapping[int, Sequence[Mapping[str, Any]]]
) -> tuple[list[PushPage], dict[int, list[ReplyPage]]]:
    """Arrange all pushes, and the replies by the index, from 0, of the push that they follow.

    `diffs` gives for a push, by its index, the changed files.
    """
    pages: list[PushPage] = []
    replies: dict[int, list[ReplyPage]] = {}
    said = list(result.replies())
    last: PushPage | None = None  # whose review came last that has comments, be it of a push or of a reply
    told: Mapping[str, Told] = {}
    for index, push in enumerate(result.pushes):
        diff = Diff([DiffFile.model_validate(file) for file in diffs.get(index, ())])
        pages.append(PushPage(index, push, diff, told))
        last, told = pages[-1] if pages[-1].comments else last, pages[-1].told
        for number, (after, reply, before) in enumerate(said, start=1):
            if after != index:
                continue
            anchor = f"reply-{number}"
            review = PushPage(index, reply.review, diff, told, anchor) if reply.review else None
            about = _about(reply, last)
            replies.setdefault(index, []).append(ReplyPage(anchor, reply, about, reply.changes(before), review))
            if review is not None:
                last, told = review if review.comments else last, review.told
    return pages, replies


def _about(reply: Reply, page: PushPage | None) -> str | None:
    """Find the comment of the last review that a reply is about."""
    comments = page.push.review.in_order if page and page.push.review else []
    number = reply.to.comment
    return page.comment_anchor(comments[number - 1]) if page and 0 < number <= len(comments) else None
