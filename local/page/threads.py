"""The review threads of a pull request, as the viewer sees them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from local.github.comment_places import current_place
from local.github.hunks import HEADER
from local.github.state import Place, Resolution, ReviewComment
from local.page.diffs import Row, rows_of
from local.page.said import Said, said_in
from local.page.visit import Visit


@dataclass(frozen=True)
class Thread:
    """A thread by the id of its first comment; it stands at the review that began it.

    `now` is its place in the pull request as it is, None where it is outdated; `then` and `hunk` are where it began.
    """

    id: int
    review: int
    now: Place | None
    then: Place
    hunk: str
    resolution: Resolution | None
    comments: Sequence[Said]

    @property
    def path(self) -> str:
        """The file that it is about, by its present name where it has one."""
        return (self.now or self.then).path

    @property
    def place(self) -> Place:
        """Where it is, or was last seen."""
        return self.now or self.then


def threads_of(visit: Visit) -> list[Thread]:
    """Every thread that the viewer may see, in the order in which they were begun."""
    state = visit.world.state
    grouped: dict[int, list[ReviewComment]] = defaultdict(list)
    for comment in state.comments_of(visit.pull.number, visit.viewer.login):
        grouped[comment.thread].append(comment)
    return [_thread(visit, comments) for comments in grouped.values()]


def _thread(visit: Visit, comments: Sequence[ReviewComment]) -> Thread:
    first = comments[0]
    original = commented_lines(first.hunk, first.place)
    return Thread(
        id=first.thread,
        review=first.review,
        now=_now(visit, first),
        then=first.place,
        hunk=first.hunk,
        resolution=visit.world.state.resolutions.get(first.thread),
        comments=[said_in(visit, comment, path=first.place.path, original=original) for comment in comments],
    )


def _now(visit: Visit, first: ReviewComment) -> Place | None:
    """Find where a thread is now, once for each head and base: in a large diff that is much to read."""
    places, key = visit.places, (first.commit, first.place, visit.pull.head_sha, visit.pull.base_sha)
    if key not in places:
        places[key] = current_place(visit.world, first)
    return places[key]


@lru_cache(maxsize=2048)
def commented_lines(hunk: str, place: Place) -> Sequence[str]:
    """Give the lines that a comment is about, without their marks. The hunk above a comment ends at its line."""
    side = [text[1:] for text in hunk.split("\n")[1:] if text[:1] in (" -" if place.side == "LEFT" else " +")]
    return tuple(side[-(place.line - (place.start_line or place.line) + 1) :])


def above(thread: Thread, lines: int = 4) -> Sequence[Row]:
    """Give the end of the hunk that a comment shows above it: some lines, or all that it is about."""
    place = thread.then
    about = place.line - (place.start_line or place.line) + 1
    return rows_of(thread.path, _end(thread.hunk, max(lines, about)))[1:]


@lru_cache(maxsize=2048)
def _end(hunk: str, lines: int) -> str:
    """Cut a hunk to its last lines, under a header that tells where these begin."""
    header, *body = hunk.split("\n")
    begins = HEADER.match(header)
    if begins is None:
        return ""
    gone = body[:-lines]
    old, new = (int(begins[side]) + sum(text[:1] in marks for text in gone) for side, marks in ((1, " -"), (3, " +")))
    return "\n".join([f"@@ -{old} +{new} @@", *body[-lines:]])
