"""Patterns of paths (`skipPaths`) and of whole names: branches (`baseBranches`), and files in Copilot's instructions.

A pattern of paths matches as in a gitignore file, except that brackets have no special meaning.
A pattern of whole names has the same wildcards.
The rules: https://git-scm.com/docs/gitignore
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

_MAX_CHARACTERS = 500
# With each wildcard a hostile path costs the regular expression another factor of its length.
_MAX_WILDCARDS = 3


def pattern_problem(pattern: str) -> str | None:
    """Say why a text is not a valid pattern of paths, None if it is one."""
    segments = pattern.removeprefix("/").removesuffix("/").split("/")
    if pattern.startswith("!"):
        return "exceptions with “!” are not supported"
    if "\\" in pattern:
        return "folders are separated by “/”, and “\\” has no meaning"
    if pattern != pattern.strip() or not pattern.isprintable():
        return "spaces at its ends and invisible characters would never match"
    if any(segment in ("", ".", "..") for segment in segments):
        return "it has an empty part, “.” or “..”, which no path has"
    if any("**" in segment and segment != "**" for segment in segments):
        return "“**” stands alone between slashes"
    if segments.count("**") > _MAX_WILDCARDS or any(part.count("*") > _MAX_WILDCARDS for part in segments):
        return f"it has “**” over {_MAX_WILDCARDS} times, or “*” that often in one part"
    if len(pattern) > _MAX_CHARACTERS:
        return f"it is over {_MAX_CHARACTERS} characters"
    return None


def branch_pattern_problem(pattern: str) -> str | None:
    """Say why a text is not a valid pattern of branches, None if it is one."""
    if pattern.startswith("/") or pattern.endswith("/"):
        return "no branch begins or ends with “/”"
    return pattern_problem(pattern)


def matches_whole(name: str, pattern: str) -> bool:
    """Whether a pattern matches a whole name, such as "release/1.0"; a `**` at its end matches everything below."""
    found = _compiled(f"/{pattern}").match_file(name.replace("\n", "\0"))
    # The group is the slash behind a folder, where only a folder that the name would be in is matched.
    return found is not None and not found.match.groupdict().get("ps_d")


def matches_any(path: str, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns matches a file; `path` is relative to the root, with slashes."""
    return any(matches(path, pattern) for pattern in patterns)


def matches(path: str, pattern: str) -> bool:
    """Whether a pattern matches a file: itself, or a folder that it is in."""
    # A wildcard of the library would stop at the end of a line.
    return _compiled(pattern).match_file(path.replace("\n", "\0")) is not None


@lru_cache(maxsize=1_000)
def _compiled(pattern: str) -> "GitIgnoreSpecPattern":
    """A pattern in which only `*`, `?` and `/` have a meaning."""
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern  # noqa: PLC0415 - 25 ms that few events pay

    literal = "".join(f"\\{sign}" if sign in "[#!\\" else sign for sign in pattern)
    # The library takes these folders in a folder for all that is in it.
    return GitIgnoreSpecPattern(f"{literal}*/" if f"/{literal}".endswith("/**/") else literal)
