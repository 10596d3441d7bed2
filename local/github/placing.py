"""Where a new review comment may sit: only on lines that the pull request's diff shows."""

from dataclasses import dataclass
from typing import Any, cast

from local.github.hunks import PatchLine, Side, find_line, find_position, hunk_up_to
from local.github.state import Place, PullRequest
from local.github.world import World


@dataclass(frozen=True)
class Placed:
    """A comment's place, the commit it is about, and the piece of diff above it."""

    place: Place
    commit: str
    hunk: str


class Misplaced(Exception):
    """The diff does not show that place. `field` is GitHub's name for what was wrong."""

    def __init__(self, sentence: str, field: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.field = field


def place_comment(world: World, pull: PullRequest, commit: str, told: dict[str, Any]) -> Placed:
    """Find a comment's line in the diff of the merge base against `commit`. Raises Misplaced."""
    path = told["path"]
    file = world.file_at(pull, commit, path)
    if file is None:
        raise Misplaced("Path could not be resolved", "path")
    if told.get("subject_type") == "file":
        return Placed(Place(path), commit, "")
    if told.get("line") is None and told.get("position") is not None:
        return _at_position(path, file.text, told["position"], commit)
    side = cast(Side, told.get("side") or "RIGHT")
    line = _line(file.text, side, told.get("line"), "Line could not be resolved", "line")
    start_line, start_side = _start(file.text, told, line, side)
    place = Place(path, side, told["line"], start_side, start_line, line.position)
    return Placed(place, commit, hunk_up_to(file.text, line))


def _at_position(path: str, patch: str, position: int, commit: str) -> Placed:
    line = find_position(patch, position)
    if line is None:
        raise Misplaced("Position could not be resolved", "position")
    side: Side = "LEFT" if line.right is None else "RIGHT"
    place = Place(path, side, line.left if line.right is None else line.right, position=position)
    return Placed(place, commit, hunk_up_to(patch, line))


def _start(patch: str, told: dict[str, Any], end: PatchLine, side: Side) -> tuple[int | None, Side | None]:
    """The first line of a comment on several: in the same hunk as the last, and above it."""
    number = told.get("start_line")
    if number is None:
        return None, None
    start_side = cast(Side, told.get("start_side") or side)
    start = _line(patch, start_side, number, "Start line could not be resolved", "start_line")
    if start.position >= end.position:
        raise Misplaced("Start line must precede the end line.", "start_line")
    if start.hunk != end.hunk:
        raise Misplaced("Start line must be part of the same hunk as the line.", "start_line")
    return number, start_side


def _line(patch: str, side: Side, number: int | None, sentence: str, field: str) -> PatchLine:
    found = find_line(patch, side, number) if number is not None and side in ("LEFT", "RIGHT") else None
    if found is None:
        raise Misplaced(sentence, field)
    return found
