"""The sentences of the offline reviewer."""

from collections import Counter
from collections.abc import Mapping, Sequence

from kodiai.core.changes.kinds import is_prose, is_test
from local.model.limits import sentences
from local.model.offline.changes import Change
from local.model.offline.kinds import language

WHO = (
    "Offline checks only: there is no model key, so no model has read the change. Ruff checked Python, and every file "
    "was searched for leaked secrets and left-over merge conflicts, on the changed lines only."
)
NOT_MINE = (
    "The offline reviewer can only read its own reports back; this one is somebody else's, or was cut short, "
    "and nothing was taken from it."
)
CANNOT = (
    "I am the offline reviewer: I find problems in a change and read my own reports back. "
    "I cannot answer anything else."
)
GONE = "The file is gone, and the code with it."
NO_RULE = "The offline reviewer has no rule that could have found this, so it cannot look again."
NOT_READ = "The file could not be read in full."
NOT_PARSED = "The file does not parse, so nothing in it could be checked."
NOTHING_LEFT = "It is not there any more, and the file has no code that would show it."
NOT_THERE = "The whole file was checked again by the same rule, and the problem is not there any more."
NOTHING = "NOTHING TO REPORT"
CONFIRMED = "A rule of the offline reviewer matches this very line, and rules do not guess."
SAME_WORDS = "Another reviewer says the very same of these lines."
ANSWERS = "This is the offline reviewer: there is no model key, so no model has read what you said."
NO_FINDING = "It knows of no finding of its own in this thread."
CONCEDED = "CONCEDED"
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


def unchecked(languages: Sequence[str]) -> str:
    """Say of which languages no check knows anything, or nothing."""
    return f"Not checked beyond secrets and merge conflicts: {', '.join(languages)}." if languages else ""


def left_out(count: int) -> str:
    """Say how many findings did not fit into the answer, or nothing."""
    return f"{_count(count, 'lesser finding')} did not fit into the answer." if count else ""


def unanswered(count: int) -> str:
    """Say about how many earlier findings no answer did fit, or nothing."""
    return f"There was no room for answers about {_count(count, 'earlier finding')}." if count else ""


def stands(line: int) -> str:
    """Say that an earlier finding is still there."""
    return f"The same rule still finds it at line {line}."


def stands_elsewhere(line: int) -> str:
    """Say that of an earlier finding with many places some are left."""
    return f"The quoted place is mended, and the same rule still finds it at line {line}."


def answered(*paragraphs: str) -> str:
    """Answer somebody, honest about what has not been understood."""
    first, *more = paragraphs
    return "\n\n".join([f"{ANSWERS} {first}", *more])


def open_findings(named: Sequence[str], more: int) -> str:
    """List open findings, the first ones by name; `more` are not known by name."""
    if not named and not more:
        return "No finding is open."
    count = len(named) + more
    rest = count - len(named[:_MOST_NAMES])
    listed = "; ".join([*named[:_MOST_NAMES], *([f"and {rest} more"] if rest else [])])
    return f"{_count(count, 'finding')} {'is' if count == 1 else 'are'} open: {listed}."


def code_stands(path: str, line: int, explanation: str, *, is_open: bool) -> str:
    """Say that quoted code has not changed, and why it was told of."""
    so = f"By its rules, the code at `{path}:{line}` still reads so"
    return _with_why(f"{so}, and the finding stands." if is_open else f"{so}.", explanation)


def code_is_other(path: str, line: int, explanation: str, *, is_open: bool) -> str:
    """Say that quoted code has changed, and has the same problem."""
    so = f"The quoted code reads otherwise now, and the same rule still finds the problem at `{path}:{line}`"
    return _with_why(f"{so}: the finding stands." if is_open else f"{so}.", explanation)


def code_is_gone(path: str) -> str:
    """Say that quoted code is no longer there."""
    return f"The code that the finding quotes no longer stands in `{path}` at the head."


def cannot_see(path: str) -> str:
    """Say that nothing can be said of a file."""
    return f"`{path}` could not be read as far as necessary, so it cannot say how the finding stands."


def closed(status: str) -> str:
    """Say that a finding is not open any more."""
    return f"The finding is no longer open: {status.replace('_', ' ')}."


def _with_why(said: str, explanation: str) -> str:
    return f"{said} {sentences(explanation)[0]}".rstrip()


def _names(changes: Sequence[Change]) -> str:
    shown = [f"`{change.path}`{_how(change)}" for change in sorted(changes, key=lambda each: each.path)]
    more = f" and {len(shown) - _MOST_NAMES} more" if len(shown) > _MOST_NAMES else ""
    return ", ".join(shown[:_MOST_NAMES]) + more


def _how(change: Change) -> str:
    return "" if change.status == "modified" else f" ({change.status})"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
