"""Source: the files at the head, found by a path in the form that a model writes.

A model may write git's prefixes, line numbers and backticks around a path, or only its end.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.code.comments import blanked
from kodiai.core.code.parser import CodeParser

_AROUND = " \t\r\n`'\"*,;"
_GIT_SIDE = re.compile("[ab]/(?=.)")
_RANGE = r"\d+(?:\s?[-–:]\s?L?\d+){0,3}"
_PLACE = re.compile(
    rf"(?::\s?L?{_RANGE}|#L?\d+(?:C\d+)?(?:-L?\d+(?:C\d+)?)?"
    rf"|[\s,]{{0,3}}\((?:lines?|L)?\.?\s?{_RANGE}\)|,?\s(?:lines?|L)\.?\s?{_RANGE})\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ReadLines:
    """Files by their paths, and what parses them.

    `read` gives a file's lines at the head (without their ends), None if there is no such text file.
    """

    read: Callable[[str], list[str] | None]
    parser: CodeParser

    def __call__(self, path: str) -> list[str] | None:
        """A file's lines, None if there is no such text file."""
        return self.read(path)

    def without_comments(self, path: str, lines: Sequence[str], *, docstrings: bool = False) -> list[str]:
        """Lines of a file with each character of a comment as a space; as they are if its language has no grammar.

        With `docstrings`, the docstrings of Python become spaces too.
        """
        return blanked(lines, self.parser.comment_spans(path, lines, docstrings=docstrings))


@dataclass(frozen=True)
class Source:
    """The files at the head, the pull request's files, and the tree's paths."""

    read_lines: ReadLines
    files: Sequence[ChangedFile]
    paths: Collection[str]

    def find(self, path: str) -> str | None:
        """Find the file that a path means: the path as it is, else cleaned, else the only one that ends with it.

        The path of a file that the pull request renames may be the old one.
        """
        changed = {file.path for file in self.files}
        before = {file.previous_path: file.path for file in self.files if file.previous_path}
        known = {*self.paths, *changed}
        forms = list(_readings(path))
        found = next((form for paths in (known, before) for form in forms if form in paths), None)
        found = found or _ending_with(forms, known | {*before}) or _ending_with(forms, changed | {*before})
        return before.get(found, found) if found and found not in known else found


def _readings(path: str) -> Iterator[str]:
    """The readings of a path, the most literal first: a folder may really be called `a`, a file `b:4`."""
    yield path
    tidy = _tidy(path)
    if tidy != path:
        yield tidy
    if git_side := _GIT_SIDE.match(tidy):
        yield tidy[git_side.end() :]


def _tidy(path: str) -> str:
    before = None
    while path != before:
        before, path = path, _PLACE.sub("", path.strip(_AROUND))
    path = path.replace("\\", "/").lstrip("/")
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path


def _ending_with(forms: Collection[str], paths: Collection[str]) -> str | None:
    for form in filter(None, forms):
        ending = [path for path in paths if path.endswith(f"/{form}")]
        if ending:
            return ending[0] if len(ending) == 1 else None
    return None
