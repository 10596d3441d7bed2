"""The review threads of a pull request, as the viewer sees them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from local.github.comment_places import current_place
from local.github.hunks import HEADER
from local.github.state import CommentPosition, Resolution, ReviewComment
from local.page.page_request import PageRequest
from local.page.posts import Post, post_of
from local.rendering.diffs import Row, rows_of

_ROWS = 4


@dataclass(frozen=True)
class Thread:
    """A thread by the id of its first comment, at the review that started it.

    `now` is its place in the present diff, None where it is outdated; `place` is that one, or else the original one.
    `rows` are the end of the hunk that it was started on: some lines, or all that it is about.
    """

    id: int
    review: int
    now: CommentPosition | None
    place: CommentPosition
    rows: Sequence[Row]
    resolution: Resolution | None
    comments: Sequence[Post]


def threads_of(request: PageRequest) -> list[Thread]:
    """Every thread that the viewer may see, in the order in which they were started."""
    grouped: dict[int, list[ReviewComment]] = defaultdict(list)
    for comment in request.repository.state.comments_of(request.pull.number, request.viewer.login):
        grouped[comment.thread].append(comment)
    return [_thread(request, comments) for comments in grouped.values()]


def _thread(request: PageRequest, comments: Sequence[ReviewComment]) -> Thread:
    first = comments[0]
    now, place = _now(request, first), first.place
    original = commented_lines(first.hunk, place)
    return Thread(
        id=first.thread,
        review=first.review,
        now=now,
        place=now or place,
        rows=hunk_end((now or place).path, first.hunk, max(_ROWS, len(original))),
        resolution=request.repository.state.resolutions.get(first.thread),
        comments=[post_of(request, comment, path=place.path, original=original) for comment in comments],
    )


def _now(request: PageRequest, first: ReviewComment) -> CommentPosition | None:
    """Find where a thread is now, once for each head and base: in a large diff that is much to read."""
    places, key = request.places, (first.commit, first.place, request.pull.head_sha, request.pull.base_sha)
    if key not in places:
        places[key] = current_place(request.repository, first)
    return places[key]


@lru_cache(maxsize=2048)
def commented_lines(hunk: str, place: CommentPosition) -> Sequence[str]:
    """Give the lines that a comment is about, without their marks. The hunk above a comment ends at its line."""
    side = [text[1:] for text in hunk.split("\n")[1:] if text[:1] in (" -" if place.side == "LEFT" else " +")]
    return tuple(side[-(place.line - (place.start_line or place.line) + 1) :])


@lru_cache(maxsize=2048)
def hunk_end(path: str, hunk: str, lines: int) -> Sequence[Row]:
    """Read the last lines of the hunk above a comment, whose header counts lines that are not there."""
    header, *body = hunk.split("\n")
    found = HEADER.match(header)
    if found is None:
        return ()
    left_out, end = body[:-lines], body[-lines:]
    sides = []
    for start, marks in ((found[1], " -"), (found[3], " +")):
        first = int(start) + sum(text[:1] in marks for text in left_out)
        sides.append(f"{first},{sum(text[:1] in marks for text in end)}")
    return rows_of(path, "\n".join([f"@@ -{sides[0]} +{sides[1]} @@", *end]))[1:]
