"""A diff as a suggestion of GitHub: what the lines of a review comment read afterwards.

The format: https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/reviewing-changes-in-pull-requests/commenting-on-a-pull-request
"""

from collections.abc import Sequence

from kodiai.core.diffs.apply_check import apply_diff
from kodiai.core.diffs.diff import read_diff
from kodiai.core.diffs.hunk_search import lines_of
from kodiai.core.diffs.tree import FILE, TreeEntry


def suggestion_for(diff: str, path: str, lines: tuple[int, int], text: Sequence[str]) -> str | None:
    """The lines of a comment after a diff, each with its newline, "" if they are removed; None if not so.

    `lines` are the first and the last line of the comment, from 1. `text` are the lines of the file at the head, each
    with its newline. A suggestion fits if one hunk changes these lines and nothing else: lines that are added right
    before or after them do not fit, nor do carriage returns or a last line without a newline.
    """
    files = read_diff(diff)
    if [(file.name, len(file.hunks)) for file in files] != [(path, 1)]:
        return None
    old = [line.encode("utf-8", "surrogatepass") for line in text]
    applied = apply_diff(diff, {path: TreeEntry(FILE, b"".join(old))})
    changed = applied.changes.get(path)
    if list(applied.changes) != [path] or changed is None or changed.mode != FILE:
        return None
    new = lines_of(changed.content)
    first, last = lines
    kept_before, kept_after = old[: first - 1], old[last:]
    end = len(new) - len(kept_after)
    if end < first - 1 or new[: first - 1] != kept_before or new[end:] != kept_after:
        return None
    before, after = old[first - 1 : last], new[first - 1 : end]
    if _is_next_to(before, after) or not all(_is_plain(line) for line in (*before, *after)):
        return None
    return b"".join(after).decode("utf-8", "replace")


def _is_next_to(before: Sequence[bytes], after: Sequence[bytes]) -> bool:
    """Whether lines are only added, and not between the lines of the comment."""
    count = len(before)
    return len(after) > count and before in (after[:count], after[-count:])


def _is_plain(line: bytes) -> bool:
    return line.endswith(b"\n") and b"\r" not in line
