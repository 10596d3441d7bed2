"""The present state of earlier reviews' findings: the same checks look at their files again."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kodiai.core.changes.patch import without_spaces
from kodiai.core.code.comments import blanked, comment_spans
from local.model.changes import Change
from local.model.offline import words
from local.model.offline.checks import CheckedFile
from local.model.offline.problem import Problem, represents_several
from local.model.offline.text_checks import CONFLICTS, SECRETS

Json = dict[str, Any]
_CHECK = re.compile(rf"(Ruff [\w-]+|{SECRETS}|{CONFLICTS}): ")
_STANDS = re.compile(r"stands at line (\d{1,9})")
_GONE = "the file is gone"
_HUNK = re.compile(r"@@ -\S+ \+(\d+)")
_SAYS_SOMETHING = re.compile(r"\w\w")


@dataclass(frozen=True)
class EarlierFinding:
    """A finding that was reported before, as the request shows it.

    `check` is what found it, None where none of ours did. `path` is its file, renamed as at the head.
    `line` is the line of the quoted code at the head, if it is there.
    """

    id: str
    title: str
    check: str | None
    path: str
    is_gone: bool
    quote: str
    line: int | None
    explanation: str
    change_since: str

    @classmethod
    def read(cls, row: Mapping[str, Any], changes: Sequence[Change], diffs: Sequence[Json]) -> "EarlierFinding":
        """Read one; a renamed file is followed. `diffs` are files that changed since, by rows of path and diff."""
        path, now, explanation = row["path"], row.get("now", ""), row.get("explanation", "")
        moved = {change.previous: change.path for change in changes if change.status == "renamed"}
        is_gone = now == _GONE or any(change.path == path and change.status == "removed" for change in changes)
        check, stands = _CHECK.match(explanation), _STANDS.fullmatch(now)
        return cls(
            id=row["finding"],
            title=row["title"],
            check=check[1] if check else None,
            path=moved.get(path, path) if is_gone else path,
            is_gone=is_gone and path not in moved,
            quote=row.get("quote", ""),
            line=int(stands[1]) if stands else None,
            explanation=explanation,
            change_since="\n".join(
                [
                    *(each["diff"] for each in diffs if each["path"] == path),
                    *(change.as_diff for change in changes if change.path == path),
                ]
            ),
        )

    @property
    def changed_lines(self) -> list[int]:
        """Lines of its file that are new since it was last reviewed, then those next to removed ones.

        The first are those that came in the place of the quoted code.
        """
        instead: list[int] = []
        added: list[int] = []
        next_to_removed: list[int] = []
        number, is_own = 0, False
        for row in self.change_since.split("\n"):
            if found := _HUNK.match(row):
                number, is_own = int(found[1]), False
            elif number and row.startswith("-"):
                is_own = is_own or without_spaces(row[1:]) == without_spaces(self.quote)
                next_to_removed += [number, number - 1]
            elif number:
                if row.startswith("+"):
                    (instead if is_own else added).append(number)
                else:
                    is_own = False
                number += 1
        return [*instead, *added, *next_to_removed]


@dataclass(frozen=True)
class RecheckResults:
    """The answers about earlier findings, and the problems for which they stand, so that none is reported twice."""

    answers: Sequence[Json]
    taken: Sequence[Problem]


def recheck(earlier: Sequence[EarlierFinding], checked: Mapping[str, CheckedFile]) -> RecheckResults:
    """Answer for each earlier finding."""
    taken: list[Problem] = []
    found: dict[str, Problem] = {}
    for again in (_same_code, _edited_code):
        for each in earlier:
            file = checked.get(each.path)
            if file is None or each.check is None or each.is_gone or each.id in found:
                continue
            if free := [problem for problem in again(each, file) if problem not in taken]:
                found[each.id] = min(free, key=lambda problem: abs(problem.line - (each.line or problem.line)))
                taken += _all_alike(file, each) if represents_several(each.explanation) else [found[each.id]]
    answers = [_answer(each, found.get(each.id), checked.get(each.path)) for each in earlier]
    return RecheckResults(answers, taken)


def _same_code(each: EarlierFinding, file: CheckedFile) -> list[Problem]:
    """Its problem at code that reads the same."""
    quote = without_spaces(each.quote)
    named = [problem for problem in file.problems if problem.title == each.title]
    return [problem for problem in named if without_spaces(problem.quote) == quote]


def _edited_code(each: EarlierFinding, file: CheckedFile) -> list[Problem]:
    """Its problem on an added line; on any line where it stands for more or no change is shown."""
    if represents_several(each.explanation):
        return _all_alike(file, each)
    lines = file.added or file.lines.keys()
    return [problem for problem in file.problems if problem.title == each.title and problem.line in lines]


def _all_alike(file: CheckedFile, each: EarlierFinding) -> list[Problem]:
    return [problem for problem in file.problems if problem.check == each.check]


def _answer(each: EarlierFinding, problem: Problem | None, file: CheckedFile | None) -> Json:
    if each.check is None:
        return _answer_about(each, "CANNOT_TELL", words.NOT_OURS)
    if each.is_gone:
        return _answer_about(each, "ADDRESSED", words.GONE)
    if problem is not None:
        return _answer_about(each, "NOT_ADDRESSED", words.stands(problem.line), problem.quote)
    if file is None or not file.is_whole:
        return _answer_about(each, "CANNOT_TELL", words.NOT_READ)
    if file.python is not None and not file.python.parses:
        return _answer_about(each, "CANNOT_TELL", words.NOT_PARSED)
    evidence = _evidence(each, file)
    return (
        _answer_about(each, "ADDRESSED", words.NOT_THERE, evidence)
        if evidence
        else _answer_about(each, "CANNOT_TELL", words.EMPTY)
    )


def _evidence(each: EarlierFinding, file: CheckedFile) -> str | None:
    """A line of code that changed since, shows no secret, and is not the one that was complained about."""
    lines = [file.lines[number] for number in sorted(file.lines)]
    code = blanked(lines, comment_spans(each.path, lines, docstrings=True))
    for number in [*each.changed_lines, *range(1, len(lines) + 1)]:
        if 1 <= number <= len(lines) and number not in file.secret_lines and _SAYS_SOMETHING.search(code[number - 1]):
            text: str = lines[number - 1].strip()
            if without_spaces(text) != without_spaces(each.quote):
                return text
    return None


def _answer_about(each: EarlierFinding, answer: str, why: str, quote: str = "") -> Json:
    what = {"finding": each.id, "answer": answer, "path": each.path, "quote": quote, "why": why}
    return {**what, "severity": None, "concedes": False}
