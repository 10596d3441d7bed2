"""Where a review comment sits in the pull request as it is now."""

from local.github.hunks import Side, find_line, follow_line
from local.github.state import Place, PullRequest, ReviewComment
from local.github.world import World


def current_place(world: World, comment: ReviewComment) -> Place | None:
    """The comment's place at the present head, None where it is outdated.

    A line is followed through what changed since; it must still stand in a hunk of the pull request.
    A reply sits where its thread's first comment sits.
    """
    first = world.state.comments.get(comment.thread, comment)
    pull = world.state.pulls[first.number]
    place = first.place
    path = _follow_path(world, first.commit, pull.head_sha, place.path)
    file = world.file_at(pull, pull.head_sha, path) if path is not None else None
    if path is None or file is None:
        return None
    if place.line is None:
        return Place(path)
    line = _follow(world, pull, first, place.side, place.line)
    start = _follow(world, pull, first, place.start_side, place.start_line) if place.start_line else None
    shown = find_line(file.text, place.side or "RIGHT", line) if line else None
    if shown is None or (place.start_line and start is None):
        return None
    return Place(path, place.side, line, place.start_side, start, shown.position)


def _follow_path(world: World, old: str, new: str, path: str) -> str | None:
    if old == new:
        return path
    moved = world.moves(old, new).get(path)
    if moved is None:
        return path
    return None if moved.status == "removed" else moved.name


def _follow(world: World, pull: PullRequest, first: ReviewComment, side: Side | None, number: int) -> int | None:
    """A line's number now: the new side moves with the head, the old side with the merge base."""
    if first.commit == pull.head_sha:
        return number
    if side == "LEFT":
        old, new = (world.base_of(pull.base_sha, sha) for sha in (first.commit, pull.head_sha))
    else:
        old, new = first.commit, pull.head_sha
    moved = world.moves(old, new).get(first.place.path) if old != new else None
    return number if moved is None else follow_line(moved.text, number)
