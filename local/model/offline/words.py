"""The sentences of the offline reviewer."""

from collections import Counter
from collections.abc import Mapping, Sequence

from local.model.offline.changes import Change
from local.model.offline.kinds import is_prose, is_test, language

WHO = (
    "This is the offline reviewer: there is no model key, so no model has read the change. It ran "
    "ruff's checks on Python "
    "and looked for leaked secrets and left-over merge conflicts in every file, on the changed lines only."
)
NOT_MINE = (
    "The offline reviewer can only read its own reports back; this one is somebody else's, or was cut short, "
    "and nothing was taken from it."
)
CANNOT = (
    "I am the offline reviewer: I find problems in a change and read my own reports back. "
    "I cannot answer anything else."
)
_MOST_NAMES = 5
_MOST_KINDS = 5


def what_changed(changes: Sequence[Change]) -> str:
    """Count the changed files and lines by kind, the most frequent kind first."""
    added, removed = sum(len(c.added) for c in changes), sum(c.removed_lines for c in changes)
    kinds = Counter(language(change.path) for change in changes)
    ordered = sorted(kinds, key=lambda kind: (-kinds[kind], kind.casefold()))
    named = [f"{kind}: {_names([c for c in changes if language(c.path) == kind])}" for kind in ordered[:_MOST_KINDS]]
    rest = sum(kinds[kind] for kind in ordered[_MOST_KINDS:])
    listed = "; ".join([*named, *([f"{rest} of other kinds"] if rest else [])])
    return (
        f"{_count(len(changes), 'changed file')}, +{added} and -{removed} lines. {listed}."
        if changes
        else "No changed file is shown."
    )


def strengths(changes: Sequence[Change]) -> list[str]:
    """What the change itself proves to be good."""
    written = [change for change in changes if change.added]
    tests = [change for change in written if is_test(change.path) and not is_prose(change.path)]
    code = [
        c
        for c in written
        if not is_test(c.path) and language(c.path) in {"Python", "JavaScript", "TypeScript", "Go", "Rust"}
    ]
    return [f"Tests change together with the code: {_names(tests)}."] if tests and code else []


def unread(reasons: Mapping[str, str]) -> str:
    """Say which files could not be checked in full, or nothing."""
    if not reasons:
        return ""
    paths = sorted(reasons)
    listed = ", ".join(f"`{path}` ({reasons[path]})" for path in paths[:_MOST_NAMES])
    more = f" and {len(paths) - _MOST_NAMES} more" if len(paths) > _MOST_NAMES else ""
    return f"Checked by its changed lines alone: {listed}{more}."


def left_out(count: int) -> str:
    """Say how many findings did not fit into the answer, or nothing."""
    return f"{_count(count, 'lesser finding')} did not fit into the answer." if count else ""


def _names(changes: Sequence[Change]) -> str:
    shown = [f"`{change.path}`{_how(change)}" for change in sorted(changes, key=lambda each: each.path)]
    more = f" and {len(shown) - _MOST_NAMES} more" if len(shown) > _MOST_NAMES else ""
    return ", ".join(shown[:_MOST_NAMES]) + more


def _how(change: Change) -> str:
    return "" if change.status == "modified" else f" ({change.status})"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
