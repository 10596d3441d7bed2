"""The names in the headers of a diff, read as `git apply` reads them."""

import re

_SPACES = b" \t\r\n"
_ESCAPES = {
    ord("a"): b"\a",
    ord("b"): b"\b",
    ord("f"): b"\f",
    ord("n"): b"\n",
    ord("r"): b"\r",
    ord("t"): b"\t",
    ord("v"): b"\v",
    ord("\\"): b"\\",
    ord('"'): b'"',
}
_QUOTED = re.compile(rb'"((?:[^"\\\n]|\\[abfnrtv"\\]|\\[0-3][0-7]{2})*)"')
_ESCAPE = re.compile(rb"\\([0-3][0-7]{2}|.)", re.DOTALL)
_TIMESTAMP = re.compile(
    rb"[\t ](?:[0-9]{2})?[0-9]{2}-[0-9]{2}-[0-9]{2}(?: [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?)?"
    rb"(?: [+-][0-9]{4}| [+-][0-9]{2}:[0-9]{2})?\Z"
)
_LONGEST_TIMESTAMP = 100
_EPOCH = re.compile(
    rb"\t(1969-12-31|1970-01-01) ([0-2][0-9]):([0-5][0-9]):00(?:\.0+)? ([-+])([0-2][0-9]):?([0-5][0-9])\n\Z"
)


def is_dev_null(rest: bytes) -> bool:
    """Whether a `---` or `+++` line, without these signs, names no file."""
    return rest.startswith(b"/dev/null") and rest[9:10] != b"" and rest[9:10] in _SPACES


def git_name(rest: bytes, prefix: int, *, at_tab: bool) -> bytes | None:
    """The name in the rest of a header line of git, without its first `prefix` folders; None if there is none.

    It ends at the end of the line, also at a tab if `at_tab`.
    """
    found = _QUOTED.match(rest)
    if found is not None:
        name = _without_prefix(_unquoted(found), prefix)
        if name is not None:
            return _with_single_slashes(name)
    ends = re.search(rb"[\t\r\n]" if at_tab else rb"[\r\n]", rest)
    return _stripped(rest[: ends.start()] if ends else rest, prefix)


def plain_name(rest: bytes, prefix: int, other: bytes | None = None) -> bytes | None:
    """The name in the rest of a `---` or `+++` line of another program, which may have a time after it.

    `other` is the name on the other line: the shorter one counts if one begins with the other.
    """
    if _QUOTED.match(rest):
        return git_name(rest, prefix, at_tab=True)
    line = rest.removesuffix(b"\n")
    timestamp = _TIMESTAMP.search(line, max(len(line) - _LONGEST_TIMESTAMP, 0))
    written = _before(line, timestamp.start()) if timestamp is not None else None
    name = git_name(rest, prefix, at_tab=True) if written is None else _stripped(written, prefix)
    if name is None or (other is not None and name.startswith(other)):
        return other
    return name


def has_epoch(rest: bytes) -> bool:
    """Whether a `---` or `+++` line has the time 0, by which other programs say that there is no such file."""
    found = _EPOCH.search(rest)
    if found is None:
        return False
    day, hour, minute, sign, zone_hours, zone_minutes = found.groups()
    zone = int(zone_hours) * 60 + int(zone_minutes)
    start = 24 * 60 if day == b"1969-12-31" else 0
    return int(hour) * 60 + int(minute) - (-zone if sign == b"-" else zone) == start


def name_of_both(rest: bytes, prefix: int) -> bytes | None:
    """The name in the rest of a `diff --git` line if it is the same on both sides, else None."""
    if rest.startswith(b'"'):
        first = _QUOTED.match(rest)
        if first is None:
            return None
        old = _without_prefix(_unquoted(first), prefix, absolute=False)
        return old if old is not None and old == _second_name(rest[first.end() :].lstrip(_SPACES), prefix) else None
    line = rest.removesuffix(b"\n")
    skipped = _without_prefix(line, prefix, absolute=False)
    if skipped is None or not rest.endswith(b"\n"):
        return None
    quote = skipped.find(b'"')
    if quote >= 0:
        second = _QUOTED.match(skipped, quote)
        name = _without_prefix(_unquoted(second), prefix, absolute=False) if second is not None else None
        if name is None or len(name) >= quote or not skipped.startswith(name):
            return None
        return name if skipped[len(name) : len(name) + 1] in (b" ", b"\t", b"\r") else None
    for separator in re.finditer(rb"[\t ]", skipped):
        name = skipped[: separator.start()]
        second_name = _without_prefix(skipped[separator.end() :], prefix, absolute=False)
        if second_name is None:
            return None
        if second_name == name:
            return name
    return None


def guessed_prefix(rest: bytes) -> int | None:
    """The number of folders to leave out, guessed from a `---` or `+++` line of another program: none, or None."""
    if is_dev_null(rest):
        return None
    name = plain_name(rest, 0)
    return 0 if name is not None and b"/" not in name else None


def _before(line: bytes, separator: int) -> bytes:
    """The text before the tab or the spaces that end here."""
    return line[:separator] if line[separator:].startswith(b"\t") else line[:separator].rstrip(b" ")


def _second_name(rest: bytes, prefix: int) -> bytes | None:
    quoted = _QUOTED.match(rest)
    if rest.startswith(b'"'):
        return _without_prefix(_unquoted(quoted), prefix, absolute=False) if quoted is not None else None
    return _without_prefix(rest.removesuffix(b"\n"), prefix, absolute=False)


def _unquoted(found: re.Match[bytes]) -> bytes:
    return _ESCAPE.sub(_unescaped, found.group(1))


def _unescaped(found: re.Match[bytes]) -> bytes:
    escape = found.group(1)
    return bytes([int(escape, 8)]) if len(escape) > 1 else _ESCAPES[escape[0]]


def _stripped(name: bytes, prefix: int) -> bytes | None:
    stripped = _without_prefix(name, prefix)
    return _with_single_slashes(stripped) if stripped else None


def _without_prefix(name: bytes, prefix: int, *, absolute: bool = True) -> bytes | None:
    """A name without its first folders; None if it has fewer, or if it is absolute and may not be."""
    if not absolute and name.startswith(b"/"):
        return None
    for _ in range(prefix):
        _, slash, name = name.partition(b"/")
        if not slash:
            return None
    return name


def _with_single_slashes(name: bytes) -> bytes:
    return re.sub(rb"/{2,}", b"/", name)
