"""Which paths a pattern of `skipPaths` means, and which branches one of `baseBranches`.

The grammar of paths is a part of that of gitignore files.

A pattern without a slash means files and folders of that name anywhere; one with a slash at its start or within
means them from the repository's root. A folder means everything in it, and a slash at the end means folders only.
`*` is any run of characters and `?` any one, neither of them a slash; `**` between slashes is any run of folders.
Everything else, brackets too, is itself; capitals and small letters differ.
A pattern of branches means a branch by its whole name, with the same wildcards.
Source of the meanings: https://git-scm.com/docs/gitignore
"""

from collections.abc import Callable, Iterable, Sequence

_MAX_CHARACTERS = 500


def pattern_problem(pattern: str) -> str | None:
    """Say why a text is not a pattern that we follow, None where it is one."""
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
    if len(pattern) > _MAX_CHARACTERS:
        return f"it is over {_MAX_CHARACTERS} characters"
    return None


def branch_pattern_problem(pattern: str) -> str | None:
    """Say why a text is not a pattern of branches that we follow, None where it is one."""
    if pattern.startswith("/") or pattern.endswith("/"):
        return "no branch begins or ends with “/”"
    return pattern_problem(pattern)


def matches_branch(branch: str, pattern: str) -> bool:
    """Whether a pattern means this branch, "release/1.0"; a `**` at its end means everything below."""
    wanted = pattern.split("/")
    if wanted[-1] == "**":
        wanted.append("*")
    return _covers(wanted, branch.split("/"), "**", _name_matches)


def matches_any(path: str, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns means this file; `path` is relative to the root, with slashes."""
    return any(matches(path, pattern) for pattern in patterns)


def matches(path: str, pattern: str) -> bool:
    """Whether a pattern means this file: itself, or a folder that it is in."""
    parts = path.split("/")
    wanted = _segments(pattern)
    shortest_rest = 1 if pattern.endswith("/") else 0
    return any(
        _covers(wanted, parts[:length], "**", _name_matches) for length in range(1, len(parts) + 1 - shortest_rest)
    )


def _segments(pattern: str) -> list[str]:
    """Cut a pattern at its slashes, written from the root."""
    bare = pattern.rstrip("/")
    segments = bare.lstrip("/").split("/")
    if "/" not in bare:
        segments.insert(0, "**")
    if segments[-1] == "**":
        segments.append("*")  # everything in a folder, but not the folder itself
    return segments


def _name_matches(wanted: str, name: str) -> bool:
    return _covers(wanted, name, "*", lambda one, other: one in ("?", other))


def _covers(wanted: Sequence[str], given: Sequence[str], anything: str, same: Callable[[str, str], bool]) -> bool:
    """Whether `wanted`, where `anything` stands for any run, covers all of `given`.

    Only the last `anything` is ever tried again, longer by one, so no pattern takes more than
    the product of both lengths.
    """
    at, retry, retried = 0, -1, 0
    position = 0
    while position < len(given):
        if at < len(wanted) and wanted[at] == anything:
            retry, retried, at = at, position, at + 1
        elif at < len(wanted) and same(wanted[at], given[position]):
            at, position = at + 1, position + 1
        elif retry >= 0:
            retried += 1
            at, position = retry + 1, retried
        else:
            return False
    return all(left == anything for left in wanted[at:])
