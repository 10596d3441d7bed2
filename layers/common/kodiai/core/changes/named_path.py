"""Paths as a model writes them: with git's prefixes, line numbers, backticks, or only their end."""

import re
from collections.abc import Collection, Iterator

_AROUND = " \t\r\n`'\"*,;"
_GIT_SIDE = re.compile("[ab]/(?=.)")
_RANGE = r"\d+(?:\s?[-–:]\s?L?\d+){0,3}"
_PLACE = re.compile(
    rf"(?::\s?L?{_RANGE}|#L?\d+(?:C\d+)?(?:-L?\d+(?:C\d+)?)?"
    rf"|[\s,]{{0,3}}\((?:lines?|L)?\.?\s?{_RANGE}\)|,?\s(?:lines?|L)\.?\s?{_RANGE})\Z",
    re.IGNORECASE,
)


def clean_path(path: str) -> str:
    """Give a path without what a model may write around it: `./`, `a/` of git, backticks, `:4`, `#L4`, `(line 4)`."""
    return list(readings_of(path))[-1]


def find_path(path: str, paths: Collection[str]) -> str | None:
    """Find which of the paths is meant: the path as it is, else cleaned, else the only one that ends with it."""
    forms = list(readings_of(path))
    return next((form for form in forms if form in paths), None) or _ending_with(forms, paths)


def readings_of(path: str) -> Iterator[str]:
    """What a path may mean, the most literal first: a folder may really be called `a`, a file `b:4`."""
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
