"""Generated and vendored files: how a file says that it is one, and whether the base branch has such files already.

`.gitattributes`: https://github.com/github-linguist/linguist/blob/main/docs/overrides.md
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.globs import matches

ATTRIBUTES = ".gitattributes"
_GENERATED_OR_VENDORED = frozenset({"linguist-generated", "linguist-vendored"})
_VENDORED = re.compile(
    r"(^|/)(vendor|vendored|_vendor|third[_-]?party|node_modules|bower_components|Pods|site-packages|Carthage)/"
)
_GENERATED_FOLDER = re.compile(r"(^|/)(__snapshots__|dist|generated|__generated__)/", re.IGNORECASE)
_GENERATED = re.compile(
    r"\.min\.(js|css)$|\.(js|css)\.map$|_pb2(_grpc)?\.pyi?$|\.pb\.(go|cc|h)$|\.g\.dart$|\.freezed\.dart$"
    r"|\.designer\.cs$|\.snap$|\.generated\.[a-z]+$",
    re.IGNORECASE,
)
_SAYS_GENERATED = re.compile(
    r"@generated\b|code generated .{0,80}do not edit|(auto-?|automatically )generated.{0,40}do not (edit|modify)", re.I
)
_MARK_LINES = 10


def is_vendored(path: str) -> bool:
    """Somebody else's code, kept as a copy."""
    return _VENDORED.search(path) is not None


def vendored_folder(path: str) -> str | None:
    """The folder of copies that a path is in, with its slash; None if it is in none."""
    found = _VENDORED.search(path)
    return path[: found.end()] if found is not None else None


def is_generated(path: str, first_lines: Sequence[str]) -> bool:
    """Written by a program: the path says so, or the file's own first lines do."""
    return _is_named_generated(path) or _says_generated(first_lines)


@dataclass(frozen=True)
class BaseBranch:
    """The places of generated or vendored files in the base branch, and its patterns for them, the last one first.

    Each pattern has True if it marks such files, False if it takes a mark back.
    """

    places: frozenset[str] = frozenset()
    patterns: Sequence[tuple[str, bool]] = ()

    @classmethod
    def of(cls, head: Iterable[str], attributes: str, files: Iterable[ChangedFile]) -> "BaseBranch":
        """Derive the base's paths from the head's and from the changes; `attributes` is the base's `.gitattributes`."""
        places = frozenset(place for path in base_paths(head, tuple(files)) for place in _places(path))
        return cls(places, tuple(_patterns(attributes))[::-1])

    def is_generated_or_vendored(self, path: str) -> bool:
        """Whether its `.gitattributes` marks the file, or else it has files of the same kind at the same place."""
        for pattern, says_so in self.patterns:
            if matches(path, pattern):
                return says_so
        return not self.places.isdisjoint(_places(path))


def base_paths(head: Iterable[str], files: Collection[ChangedFile]) -> set[str]:
    """The paths of the base, from the head's and from the changes."""
    new = {file.path for file in files if file.status in ("added", "copied", "renamed")}
    old = {file.path for file in files if file.status == "removed"}
    old |= {file.previous_path for file in files if file.status == "renamed" and file.previous_path}
    return {*head} - new | old


def generated_or_vendored(file: ChangedFile, base: Callable[[], BaseBranch]) -> Literal["generated", "vendored"] | None:
    """Say which of both a file is; None if it is neither, or if the base branch has no such files there.

    A pull request cannot keep its own file from being read by a folder's name or a line at its beginning.
    `base` is called only if the pull request itself does not tell.
    """
    vendored = is_vendored(file.path)
    if vendored or _is_named_generated(file.path):
        was = file.previous_path if file.status == "renamed" and file.previous_path else file.path
        stood = file.status not in ("added", "copied") and (is_vendored(was) or _is_named_generated(was))
    elif _says_generated(_first_lines(file, "-")):
        stood = _says_generated(_first_lines(file, "+"))
    else:
        return None
    if not stood and not base().is_generated_or_vendored(file.path):
        return None
    return "vendored" if vendored else "generated"


def _first_lines(file: ChangedFile, without: Literal["+", "-"]) -> list[str]:
    """The lines that the patch shows of the file's beginning: at the head without "-", at the base without "+"."""
    first = file.hunks[0] if file.hunks else None
    if first is None or (first.new_start if without == "-" else first.old_start) > 1:
        return []
    return [line.text for line in first.lines if line.marker != without]


def _is_named_generated(path: str) -> bool:
    return _GENERATED_FOLDER.search(path) is not None or _GENERATED.search(path) is not None


def _says_generated(first_lines: Sequence[str]) -> bool:
    return any(_SAYS_GENERATED.search(line) for line in first_lines[:_MARK_LINES])


def _places(path: str) -> frozenset[str]:
    """The folders of a path up to "vendored" or "generated", and its own folder with such an ending.

    Files that have one of these in common belong together.
    """
    folders = (_VENDORED.search(path), _GENERATED_FOLDER.search(path))
    places = {path[: folder.end()] for folder in folders if folder is not None}
    if ending := _GENERATED.search(path):
        places.add(f"{path.rpartition('/')[0]}/*{ending[0].lower()}")
    return frozenset(places)


def _patterns(attributes: str) -> Iterator[tuple[str, bool]]:
    for row in attributes.splitlines():
        pattern, *said = row.split()[:50] or ["#"]
        if pattern.startswith(("#", "[attr]", '"')):
            continue
        for each in said:
            name, sign, value = each.lstrip("-!").partition("=")
            if name in _GENERATED_OR_VENDORED:
                yield pattern, not each.startswith(("-", "!")) and sign + value in ("", "=true")
