"""Large changed files, made up: as many hunks as a benchmark or a test asks for.

What is alike is the worst case for what compares: every hunk then has the same key.
"""

from dataclasses import dataclass

from kodiai.core.changes.changed_file import ChangedFile

_ROWS = 8
_CHANGED = 4


@dataclass(frozen=True)
class LargeFile:
    """A file with a change: as it is changed, and its lines before and after."""

    changed: ChangedFile
    then: list[str]
    now: list[str]


def large_file(hunks: int, path: str = "src/app.py", *, alike: bool = False, suffix: str = "") -> LargeFile:
    """A file of eight lines for each hunk, of which each replaces one by two; `suffix` ends the new lines."""
    then: list[str] = []
    now: list[str] = []
    patch = []
    for number in range(hunks):
        tag = "" if alike else f"_{number}"
        rows = [f"    row{tag} = {at}" for at in range(_ROWS)]
        new = [f"    total{tag} = add(row{tag}, {at}){suffix}" for at in range(2)]
        first, shift = _CHANGED, len(now) - len(then)
        start = len(then) + first
        patch.append(f"@@ -{start},3 +{start + shift},4 @@ def of{tag}(row):")
        patch += [f" {rows[first - 1]}", f"-{rows[first]}", *(f"+{row}" for row in new), f" {rows[first + 1]}"]
        then += rows
        now += [*rows[:first], *new, *rows[first + 1 :]]
    text = "\n".join(patch) or None
    changed = ChangedFile(
        path=path,
        status="modified",
        blob=f"{hunks:x}{suffix}",
        patch=text,
        additions=2 * hunks,
        deletions=hunks,
    )
    return LargeFile(changed, then, now)
