"""Source: the files at the head, found by a path in the form that a model writes.

A model may write git's prefixes, line numbers and backticks around a path, or only its end.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.patch import Hunk, Line
from kodiai.core.code.cache import Cache
from kodiai.core.code.comments import blanked
from kodiai.core.code.parser import CodeParser
from kodiai.core.findings.places import Located, Places, SearchedCode, Span

_AROUND = " \t\r\n`'\"*,;"
_GIT_SIDE = re.compile("[ab]/(?=.)")
_RANGE = r"\d+(?:\s?[-–:]\s?L?\d+){0,3}"
_PLACE = re.compile(
    rf"(?::\s?L?{_RANGE}|#L?\d+(?:C\d+)?(?:-L?\d+(?:C\d+)?)?"
    rf"|[\s,]{{0,3}}\((?:lines?|L)?\.?\s?{_RANGE}\)|,?\s(?:lines?|L)\.?\s?{_RANGE})\Z",
    re.IGNORECASE,
)
_MOST_BYTES = 60_000_000


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

    def is_code(self, place: Located) -> bool:
        """Whether a place has code, not only comments or docstrings."""
        lines = self.without_comments(place.path, self.read(place.path) or [], docstrings=True)
        return any(map(str.isalnum, "".join(lines[place.start_line - 1 : place.end_line])))

    def places(self, quote: str, path: str) -> Places:
        """All places of quoted code in a file, none where there is no such text file."""
        return self._places((quote, path))

    @cached_property
    def _places(self) -> Cache[tuple[str, str], Places]:
        return Cache(self._found, lambda places: sum(300 + len(each.quote) for each in places.found), _MOST_BYTES)

    @cached_property
    def _codes(self) -> Cache[str, SearchedCode]:
        return Cache(self._code, lambda code: code.size, _MOST_BYTES)

    def _code(self, path: str) -> SearchedCode:
        lines = self.read(path) or []
        return SearchedCode([lines], partial(self.without_comments, path, lines))

    def _found(self, place: tuple[str, str]) -> Places:
        quote, path = place
        code = self._codes(path)
        return Places(
            [
                Located(path, span.first + 1, span.last + 1, "\n".join(span.cut(code.lines)), span.complete)
                for _, span in code.search(quote)
            ]
        )


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
        known, before = self._known, self._before
        forms = list(_readings(path))
        found = next((form for paths in (known, before) for form in forms if form in paths), None)
        found = found or self._ending_with(forms)
        return before.get(found, found) if found and found not in known else found

    def changed(self, path: str) -> ChangedFile | None:
        """The file of the pull request at a path, None if it does not change it."""
        return self._changed.get(path)

    def has_folder(self, folder: str) -> bool:
        """Whether a file is in a folder, whose name ends with a slash."""
        return any(path.startswith(folder) for path in self._known)

    def places_in_diff(self, quote: str, path: str) -> Places:
        """All places of quoted code in a file's hunks: as it was before the change, else among all lines they show."""
        found = ((lines, code.search(quote)) for lines, code in self._diffs(path))
        shown, spans = next((each for each in found if each[1]), ((), ()))
        return Places([_located_in(path, self._changed[path].hunks[at], shown[at], span) for at, span in spans])

    @cached_property
    def _changed(self) -> Mapping[str, ChangedFile]:
        return {file.path: file for file in reversed(self.files)}

    @cached_property
    def _before(self) -> Mapping[str, str]:
        return {file.previous_path: file.path for file in self.files if file.previous_path}

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.paths) | self._changed.keys()

    @cached_property
    def _by_name(self) -> Mapping[str, Sequence[str]]:
        """The paths by their last parts."""
        named = defaultdict(list)
        for path in self._known | self._before.keys():
            named[path.rpartition("/")[2]].append(path)
        return named

    def _ending_with(self, forms: Iterable[str]) -> str | None:
        """The only file that ends with one of these paths, else the only one of the pull request."""
        for form in filter(None, forms):
            ending = [path for path in self._by_name.get(form.rpartition("/")[2], ()) if path.endswith(f"/{form}")]
            changed = [path for path in ending if path in self._changed or path in self._before]
            if ending:
                return next((only[0] for only in (ending, changed) if len(only) == 1), None)
        return None

    @cached_property
    def _diffs(self) -> Cache[str, Sequence[tuple[Sequence[Sequence[Line]], SearchedCode]]]:
        return Cache(self._diff, lambda shown: sum(code.size for _, code in shown), _MOST_BYTES)

    def _diff(self, path: str) -> Sequence[tuple[Sequence[Sequence[Line]], SearchedCode]]:
        """The lines of each of a file's hunks as they were before, and all of them, each with the code to search."""
        file = self.changed(path)
        whole = [hunk.lines for hunk in file.hunks] if file is not None else []
        before = [[line for line in lines if line.marker != "+"] for lines in whole]
        return [(shown, SearchedCode([[line.text for line in each] for each in shown])) for shown in (before, whole)]


def _located_in(path: str, hunk: Hunk, lines: Sequence[Line], span: Span) -> Located:
    """A place in a diff; if the quote has added lines, it is about those."""
    shown = lines[span.first : span.last + 1]
    whole = Span(0, len(shown) - 1, span.start, span.end)
    found = list(zip(shown, whole.cut([line.text for line in shown]), strict=True))
    removed = all(line.marker != "+" for line, _ in found)
    about = [(line, text) for line, text in found if removed or line.new is not None]
    numbers = [line.new for line, _ in about if line.new is not None] or [_next_to(found[-1][0], hunk.lines)]
    return Located(path, numbers[0], numbers[-1], "\n".join(text for _, text in about), span.complete, removed)


def _next_to(removed: Line, lines: Sequence[Line]) -> int:
    """The new-side line after a removed one, else the one before; 1 if the file is gone."""
    at = next(at for at, line in enumerate(lines) if line is removed)
    return next((line.new for line in (*lines[at:], *reversed(lines[:at])) if line.new is not None), 1)


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
