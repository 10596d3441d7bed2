"""Posts: what people wrote, as the viewer sees it, with its reactions and whether the viewer may change it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from local.github.state import IssueComment, PullRequest, Reaction, Review, ReviewComment, SubjectKind, User
from local.page.page_request import PageRequest
from local.rendering.markdown import as_html

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
"""GitHub's reactions in its order: each one's emoji and name."""

Source = PullRequest | Review | ReviewComment | IssueComment


@dataclass(frozen=True)
class Post:
    """A description, a comment or a review. Reactions refer to `id`, a description's is its pull request's number.

    `at` and `edited_at` are epoch seconds, `minimized` is the reason for which it was hidden.
    `reactions` has the logins of those who reacted, by the reaction.
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
    reactions: Mapping[str, Sequence[str]]
    may_change: bool
    pending: bool = False


def post_of(request: PageRequest, source: Source, *, path: str = "", original: Sequence[str] = ()) -> Post:
    """Show what was written; a suggestion in it is about the lines `original` of the file `path`."""
    repository, author = request.repository, request.repository.user(source.author)
    kind, number, anchor = _identity(source)
    return Post(
        kind=kind,
        id=number,
        anchor=anchor,
        author=author,
        text=source.body or "",
        body=as_html(source.body or "", path=path, original=tuple(original)),
        at=(source.submitted_at if isinstance(source, Review) else None) or source.created_at,
        edited_at=source.body_edited_at if isinstance(source, PullRequest) else source.edited_at,
        minimized=None if isinstance(source, PullRequest) else source.minimized,
        reactions=_by_content(repository.reactions(kind, number)),
        may_change=request.may_change(author.login),
        pending=_is_pending(request, source),
    )


def _identity(source: Source) -> tuple[SubjectKind, int, str]:
    """Give its kind, its id and its anchor on the page, which is GitHub's."""
    if isinstance(source, PullRequest):
        return "issue", source.number, f"issue-{source.number}"
    if isinstance(source, Review):
        return "review", source.id, f"pullrequestreview-{source.id}"
    if isinstance(source, ReviewComment):
        return "review comment", source.id, f"discussion_r{source.id}"
    return "issue comment", source.id, f"issuecomment-{source.id}"


def _is_pending(request: PageRequest, source: Source) -> bool:
    review = request.repository.state.reviews[source.review] if isinstance(source, ReviewComment) else source
    return isinstance(review, Review) and review.state == "PENDING"


def _by_content(reactions: Sequence[Reaction]) -> Mapping[str, Sequence[str]]:
    by = {content: [each.author for each in reactions if each.content == content] for content in REACTIONS}
    return {content: authors for content, authors in by.items() if authors}
