"""The hunks of a unified diff, as git writes them."""

from collections.abc import Iterator, Sequence

from kodiai.core.changes.line_matcher import LineMatcher, common

_CONTEXT = 3
_NO_NEWLINE = b"\n\\ No newline at end of file\n"


def patch_between(old: str, new: str) -> str:
    """The patch from one text to another, as GitHub gives it: from the first `@@` on; empty if they are the same."""
    rows = unified_hunks(_lines(old), _lines(new))
    return b"".join(rows).decode("utf-8", "surrogatepass").removesuffix("\n")


def _lines(text: str) -> list[bytes]:
    lines = [b"%s\n" % line for line in text.encode("utf-8", "surrogatepass").split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def unified_hunks(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[bytes]:
    """The hunks between two rows of lines, each of which has its end, with three lines of context, in parts."""
    # What both begin and end with is left out, except for the context: the comparison of long files takes long.
    start = max(common(old, new) - _CONTEXT, 0)
    end = max(common(old[start:][::-1], new[start:][::-1]) - _CONTEXT, 0)
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    for group in LineMatcher(old, new).get_grouped_opcodes(_CONTEXT):
        _, old_start, _, new_start, _ = group[0]
        _, _, old_end, _, new_end = group[-1]
        ranges = (_range(start + old_start, start + old_end), _range(start + new_start, start + new_end))
        yield b"@@ -%s +%s @@\n" % ranges
        for tag, first_old, last_old, first_new, last_new in group:
            if tag == "equal":
                yield from _marked(b" ", old[first_old:last_old])
            else:
                yield from _marked(b"-", old[first_old:last_old])
                yield from _marked(b"+", new[first_new:last_new])


def _range(start: int, end: int) -> bytes:
    """Lines from an index up to another, as in the header of a hunk: an empty range names the line before it."""
    count = end - start
    return b"%d" % (start + 1) if count == 1 else b"%d,%d" % (start + (count > 0), count)


def _marked(marker: bytes, lines: Sequence[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield marker + (line if line.endswith(b"\n") else line + _NO_NEWLINE)
