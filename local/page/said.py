"""What somebody wrote, as the viewer sees it: rendered, with its reactions, and whether the viewer may change it."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from local.github.state import IssueComment, PullRequest, Reaction, Review, ReviewComment, SubjectKind, User
from local.page.visit import Visit
from local.rendering.prose import as_html

REACTIONS = {
    "+1": ("👍", "thumbs up"),
    "-1": ("👎", "thumbs down"),
    "laugh": ("😄", "laugh"),
    "hooray": ("🎉", "hooray"),
    "confused": ("😕", "confused"),
    "heart": ("❤️", "heart"),
    "rocket": ("🚀", "rocket"),
    "eyes": ("👀", "eyes"),
}
"""GitHub's reactions in its order: each one's picture and name."""

Written = PullRequest | Review | ReviewComment | IssueComment


@dataclass(frozen=True)
class Reacted:
    """One reaction to something, and who reacted so; `mine` where the viewer is among them."""

    content: str
    by: Sequence[str]
    mine: bool

    @property
    def picture(self) -> str:
        """Its emoji."""
        return REACTIONS[self.content][0]

    @property
    def name(self) -> str:
        """What it is called."""
        return REACTIONS[self.content][1]


@dataclass(frozen=True)
class Said:
    """A description, a comment or a review. `id` is what reactions go by: a description's is its pull request's number.

    `at` and `edited_at` are epoch seconds, `minimized` is the reason for which it was hidden.
    """

    kind: SubjectKind
    id: int
    anchor: str
    author: User
    text: str
    body: Markup
    at: float
    edited_at: float | None
    minimized: str | None
    reactions: Sequence[Reacted]
    may_change: bool
    pending: bool = False


def said_in(visit: Visit, written: Written, *, path: str = "", original: Sequence[str] = ()) -> Said:
    """Show what was written; a suggestion in it is about the lines `original` of the file `path`."""
    world, author = visit.world, visit.world.user(written.author)
    kind, number, anchor = _name(written)
    return Said(
        kind=kind,
        id=number,
        anchor=anchor,
        author=author,
        text=written.body or "",
        body=as_html(written.body or "", path=path, original=tuple(original)),
        at=(written.submitted_at if isinstance(written, Review) else None) or written.created_at,
        edited_at=written.body_edited_at if isinstance(written, PullRequest) else written.edited_at,
        minimized=None if isinstance(written, PullRequest) else written.minimized,
        reactions=_grouped(world.reactions(kind, number), visit.viewer.login),
        may_change=visit.may_change(author.login),
        pending=_is_pending(visit, written),
    )


def _name(written: Written) -> tuple[SubjectKind, int, str]:
    """Give its kind, its id and its anchor on the page, which is GitHub's."""
    if isinstance(written, PullRequest):
        return "issue", written.number, f"issue-{written.number}"
    if isinstance(written, Review):
        return "review", written.id, f"pullrequestreview-{written.id}"
    if isinstance(written, ReviewComment):
        return "review comment", written.id, f"discussion_r{written.id}"
    return "issue comment", written.id, f"issuecomment-{written.id}"


def _is_pending(visit: Visit, written: Written) -> bool:
    review = visit.world.state.reviews[written.review] if isinstance(written, ReviewComment) else written
    return isinstance(review, Review) and review.state == "PENDING"


def _grouped(reactions: Sequence[Reaction], viewer: str) -> Sequence[Reacted]:
    by = {content: [each.author for each in reactions if each.content == content] for content in REACTIONS}
    return [Reacted(content, authors, viewer in authors) for content, authors in by.items() if authors]
