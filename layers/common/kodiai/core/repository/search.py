"""Search: the lines of the repository's files that match, in one pass over the files."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import islice
from typing import Any

from kodiai.core.changes.text import MOST_LINES, decoded
from kodiai.core.repository.tree import Tree

_LARGEST_SEARCHED = 1_000_000
_MOST_BYTES = 200_000_000
_MOST_FETCHED = 20
_LONGEST_PATTERN = 500
# Of a compiled pattern. It bounds the steps for each byte of a text, so a hostile pattern takes seconds for 1 MB.
_PATTERN_BYTES = 1 << 20

TOO_LARGE = "each over 1 MB"
"""The reason why files that are large are not searched; up to 5 MB, ranges of them can be read."""
_OVER_TIME = "the time was over"
_OF_TIME_LEFT = 1 / 4

Matcher = Callable[[str], Sequence[int]]
"""Gives the 1-based lines of a text that match, in their order."""


def time_share(time_left: Callable[[], float], most_seconds: float) -> Callable[[], bool]:
    """Begin a step with `most_seconds`, and a quarter of the time left; the result says whether the time is over.

    A step that takes longer shows less. If it raised OutOfTime instead, it would raise it again on every try.
    """
    left = time_left()
    until = left - min(most_seconds, left * _OF_TIME_LEFT)
    return lambda: time_left() <= until


class Unsearchable(ValueError):
    """Nothing can be searched, or not for this; the text says why."""


@dataclass(frozen=True)
class Found:
    """The 1-based lines that match, by the paths of their files.

    `searched` is how many files were searched, `unsearched` are the paths of those that were not, by the reason.
    """

    lines: Mapping[str, Sequence[int]]
    searched: int
    unsearched: Mapping[str, Sequence[str]]

    @property
    def count(self) -> int:
        """The number of lines that match."""
        return sum(map(len, self.lines.values()))

    def page(self, number: int, size: int) -> list[tuple[str, int]]:
        """The places, each a path and a line, of a page of this size; pages are numbered from 1."""
        places = ((path, line) for path, lines in self.lines.items() for line in lines)
        return list(islice(places, (number - 1) * size, number * size))

    def ordered(self, key: Callable[[str], tuple[Any, ...]]) -> "Found":
        """The same with the files in the order of this key of their paths."""
        return replace(self, lines={path: self.lines[path] for path in sorted(self.lines, key=key)})


def text_matcher(text: str, *, whole_words: bool = False) -> Matcher:
    """Match the lines that have a text; with `whole_words`, no letter, digit or underscore goes on at its ends."""
    word = re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")

    def lines(content: str) -> Sequence[int]:
        if text not in content:
            return ()
        rows = ((number, row) for number, row in enumerate(content.split("\n"), 1) if text in row)
        return [number for number, row in rows if not whole_words or word.search(row)]

    return lines


def pattern_matcher(pattern: str, *, whole_words: bool = False) -> Matcher:
    """Match the lines that have a regular expression of RE2, whose time grows with the text and no faster.

    Raises Unsearchable if it is none, or too large. Source: https://github.com/google/re2/wiki/Syntax
    """
    re2 = import_module("re2")  # a library of 1.6 MB that few reviews need
    options = re2.Options()
    options.never_nl = options.never_capture = True
    options.log_errors = False
    options.max_mem = _PATTERN_BYTES
    if len(pattern) > _LONGEST_PATTERN:
        raise Unsearchable(f"a pattern has at most {_LONGEST_PATTERN} characters")
    try:
        compiled = re2.compile((rf"(?m)\b(?:{pattern})\b" if whole_words else f"(?m){pattern}").encode(), options)
    except (re2.error, UnicodeEncodeError) as error:
        why = error.args[0]
        said = why.decode("utf-8", "replace") if isinstance(why, bytes) else "it has a surrogate"
        raise Unsearchable(f"this is no pattern of RE2: {said}") from error

    def lines(content: str) -> Iterator[int]:
        source = content.replace("\r\n", "\n").encode()
        line, counted, at = 1, 0, 0
        while at < len(source) and (match := compiled.search(source, at)) and match.start() < len(source):
            line += source.count(b"\n", counted, match.start())
            counted = match.start()
            yield line
            at = source.find(b"\n", match.end()) + 1 or len(source)

    return lambda content: list(lines(content))


def search(tree: Tree, paths: Sequence[str], matcher: Matcher, is_over: Callable[[], bool]) -> Found:
    """Search files of a tree, in their order; `is_over` says whether the time for it is over.

    Raises Unsearchable if the repository is read file by file, and these are over 20.
    """
    if len(paths) <= _MOST_FETCHED:
        tree.prefetch(paths)
    elif not tree.searchable:
        raise Unsearchable("the repository is too large to be searched: list and read files instead")
    unsearched: defaultdict[str, list[str]] = defaultdict(list)
    found = {path: lines for path, text in texts(tree, paths, is_over, unsearched) if (lines := matcher(text))}
    return Found(found, len(paths) - sum(map(len, unsearched.values())), unsearched)


def texts(
    tree: Tree, paths: Iterable[str], is_over: Callable[[], bool], unsearched: defaultdict[str, list[str]]
) -> Iterator[tuple[str, str]]:
    """The paths of files that are text, each with its text; paths that are left out go to `unsearched`, by the reason.

    They are those that are large, those after 200 MB, and those after the time is over. The bound in bytes is the same
    on every try, the one in seconds is for files that are slower than any known.
    """
    read, why = 0, ""
    for path in paths:
        why = why or (_OVER_TIME if is_over() else f"over {_MOST_BYTES / 1_000_000:g} MB" if read > _MOST_BYTES else "")
        content = None if why else tree.read(path)
        if content is None or len(content) > _LARGEST_SEARCHED:
            unsearched[why or TOO_LARGE].append(path)
        elif content.count(b"\n") <= MOST_LINES and (found := decoded(content)) is not None:
            read += len(content)
            yield path, found.text
