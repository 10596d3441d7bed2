"""The position of a review comment: a line of the diff at the time of writing, followed through later commits."""

from dataclasses import dataclass
from typing import Any

from local.github.hosted_repository import HostedRepository
from local.github.hunks import PatchLine, Side, find_line, follow_line, hunk_up_to
from local.github.state import CommentPosition, PullRequest, ReviewComment


@dataclass(frozen=True)
class CommentAnchor:
    """A comment's place, the commit it is about, and the piece of diff above it."""

    place: CommentPosition
    commit: str
    hunk: str


class InvalidPosition(Exception):
    """The diff does not show that place. `field` is GitHub's name for what was wrong."""

    def __init__(self, sentence: str, field: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.field = field


def place_comment(repository: HostedRepository, pull: PullRequest, commit: str, given: dict[str, Any]) -> CommentAnchor:
    """Find a comment's line in the diff of the merge base against `commit`. Raises InvalidPosition."""
    path = given["path"]
    file = repository.file_at(pull, commit, path)
    if file is None:
        raise InvalidPosition("Path could not be resolved", "path")
    side: Side = given.get("side") or "RIGHT"
    line = _line(file.text, side, given.get("line"), "Line could not be resolved", "line")
    start_line, start_side = _start(file.text, given, line, side)
    place = CommentPosition(path, side, given["line"], line.position, start_side, start_line)
    return CommentAnchor(place, commit, hunk_up_to(file.text, line))


def _start(patch: str, given: dict[str, Any], end: PatchLine, side: Side) -> tuple[int | None, Side | None]:
    """The first line of a comment on several: in the same hunk as the last, and above it."""
    number = given.get("start_line")
    if number is None:
        return None, None
    start_side: Side = given.get("start_side") or side
    start = _line(patch, start_side, number, "Start line could not be resolved", "start_line")
    if start.position >= end.position:
        raise InvalidPosition("Start line must precede the end line.", "start_line")
    if start.hunk != end.hunk:
        raise InvalidPosition("Start line must be part of the same hunk as the line.", "start_line")
    return number, start_side


def _line(patch: str, side: Side, number: int | None, sentence: str, field: str) -> PatchLine:
    found = find_line(patch, side, number) if number is not None and side in ("LEFT", "RIGHT") else None
    if found is None:
        raise InvalidPosition(sentence, field)
    return found


def current_place(repository: HostedRepository, comment: ReviewComment) -> CommentPosition | None:
    """The comment's place at the present head, None where it is outdated.

    A line is followed through what changed since; it must still be in a hunk of the pull request.
    A reply sits where its thread's first comment sits.
    """
    first = repository.state.comments.get(comment.thread, comment)
    pull = repository.state.pulls[first.number]
    place = first.place
    path = _follow_path(repository, first.commit, pull.head_sha, place.path)
    file = repository.file_at(pull, pull.head_sha, path) if path is not None else None
    if path is None or file is None:
        return None
    line = _follow(repository, pull, first, place.side, place.line)
    start = _follow(repository, pull, first, place.start_side, place.start_line) if place.start_line else None
    shown = find_line(file.text, place.side, line) if line else None
    if line is None or shown is None or (place.start_line and start is None):
        return None
    return CommentPosition(path, place.side, line, shown.position, place.start_side, start)


def _follow_path(repository: HostedRepository, old: str, new: str, path: str) -> str | None:
    if old == new:
        return path
    moved = repository.moves(old, new).get(path)
    if moved is None:
        return path
    return None if moved.status == "removed" else moved.name


def _follow(
    repository: HostedRepository, pull: PullRequest, first: ReviewComment, side: Side | None, number: int
) -> int | None:
    """A line's number now: the new side moves with the head, the old side with the merge base."""
    if first.commit == pull.head_sha:
        return number
    if side == "LEFT":
        old, new = (repository.base_of(pull.base_sha, sha) for sha in (first.commit, pull.head_sha))
    else:
        old, new = first.commit, pull.head_sha
    moved = repository.moves(old, new).get(first.place.path) if old != new else None
    return number if moved is None else follow_line(moved.text, number)
