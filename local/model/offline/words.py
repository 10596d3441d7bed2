"""The sentences of the offline reviewer."""

from collections.abc import Mapping, Sequence

from local.model.changes import Change

WHO = (
    "Offline checks only: there is no model key, so no model has read the change. Ruff checked Python, and every file "
    "was searched for leaked secrets and merge conflicts. Only what the change brings is reported."
)
CANNOT = "I am the offline reviewer: I find problems in a change. I cannot answer anything else."
ANSWER = (
    "There is no model key, so nobody has read this reply. Without a model I understand the commands (`help` lists "
    "them) and replies that are nothing but `won't fix`, `by design`, `acknowledged`, `false positive`, `done` or "
    "`reopen`."
)
NOT_JUDGED = "There is no model key, so nobody has judged this change: it applies, and that is all that was checked."
NO_REPLACEMENT = "There is no model key, and without one only a finding with a replacement can be fixed."
CONFIRMED = "An offline check found it on this very line."
GONE = "The file is gone, and the code with it."
NOT_OURS = "No offline check found this, so none can look again."
NOT_READ = "The file could not be read in full."
NOT_PARSED = "The file does not parse, so nothing in it could be checked."
NOT_THERE = "The file was checked again, and the problem is not there any more."
EMPTY = "It is not there any more, and the file has no code that would show it."
_MOST_NAMES = 5


def what_changed(
    changes: Sequence[Change], unchecked: Sequence[str], unread: Sequence[str], left_out: int, unanswered: int
) -> str:
    """Say who has checked what: languages and files that were not checked, and how much had no room."""
    added, removed = sum(len(each.added) for each in changes), sum(len(each.removed) for each in changes)
    sentences = [
        f"{_count(len(changes), 'changed file')}, +{added} and -{removed} lines.",
        f"Not checked beyond secrets and merge conflicts: {', '.join(unchecked)}." if unchecked else "",
        f"Not read in full, and so checked by the changed lines alone: {_named(unread)}." if unread else "",
        f"{_count(left_out, 'less severe finding')} did not fit into the answer." if left_out else "",
        f"There was no room for answers about {_count(unanswered, 'earlier finding')}." if unanswered else "",
    ]
    return f"{WHO}\n\n{' '.join(filter(None, sentences))}"


def fixes(count: int, left: Sequence[Mapping[str, str]]) -> str:
    """The description of a draft; `left` are the findings that it does not fix."""
    if not left:
        return f"Fix {_count(count, 'finding')}"
    rows = "\n".join(f"- {row['path']}: {row['title']}" for row in left)
    return f"Fix {count} of {_count(count + len(left), 'finding')}\n\nNot fixed, for lack of a replacement:\n\n{rows}"


def stands(line: int) -> str:
    """Say that an earlier finding is still there."""
    return f"The same check still finds it at line {line}."


def _named(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _MOST_NAMES} more" if len(paths) > _MOST_NAMES else ""
    return ", ".join(f"`{path}`" for path in paths[:_MOST_NAMES]) + more


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
