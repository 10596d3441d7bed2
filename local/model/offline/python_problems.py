"""From ruff's diagnostics to problems on changed lines, with a quote and, where ruff has a safe one, a replacement."""

import ast
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from local.model.offline.annotations import names_never_evaluated
from local.model.offline.meant import PythonFile, depth_of
from local.model.offline.problem import Problem
from local.model.offline.python_two import is_python_two
from local.model.offline.ruff_run import SYNTAX_ERROR, UNKNOWN_NAME, Diagnostic, diagnose, named_in
from local.model.offline.rules import RULES
from local.model.offline.rules.rule import Rule
from local.model.offline.weigh import weighed

_LONGEST_QUOTE_LINES = 10
_MOST_UNKNOWN_NAMES = 3
_OFFENDING_WORD = {
    "S113": "timeout",
    "S201": "debug",
    "S501": "verify",
    "S506": "Loader",
    "S602": "shell",
}
SAME_CONCERN = (("PLW0711", "B030"), ("F509", "PLE1300"), ("F507", "PLE1307"))
"""Rules of ruff that say the same of a line, the one that says it best first."""
SYNTAX = "A syntax error: "


@dataclass(frozen=True)
class Diagnosis:
    """What ruff says of one Python file."""

    text: str
    diagnostics: Sequence[Diagnostic]

    @property
    def parses(self) -> bool:
        """Whether the file is Python 3 at all."""
        return _first_error(self.diagnostics) is None and not self.is_python_two

    @cached_property
    def is_python_two(self) -> bool:
        """Whether it is Python 2, of which ruff knows nothing."""
        return is_python_two(self.text.split("\n"), self.diagnostics)

    @cached_property
    def postponed(self) -> frozenset[tuple[int, str]]:
        """The (line, name) of the undefined names in annotations that are never evaluated, among others."""
        unknown = any(each.rule == UNKNOWN_NAME for each in self.diagnostics)
        return names_never_evaluated(self.text) if unknown else frozenset()


def diagnosed(whole: Mapping[str, Sequence[str]]) -> dict[str, Diagnosis]:
    """Ask ruff once about the lines of all these Python files, by path; raises RuffFailed."""
    texts = {path: "\n".join(lines) for path, lines in whole.items()}
    told: dict[str, list[Diagnostic]] = {path: [] for path in texts}
    for diagnostic in diagnose({path: _without_mark(text) for path, text in texts.items()}):
        told[diagnostic.path].append(diagnostic)
    return {path: Diagnosis(text, told[path]) for path, text in texts.items()}


def python_problems(files: Sequence[PythonFile], told: Mapping[str, Diagnosis]) -> list[Problem]:
    """Find what ruff told of the changed lines of Python files, and what their removed lines broke elsewhere.

    Raises RuffFailed.
    """
    broken_before = _broken_before([file for file in files if not told[file.change.path].parses])
    unknown_before = _unknown_before([file for file in files if _may_lack_names(file, told[file.change.path])])
    found: list[Problem] = []
    for file in files:
        diagnosis = told[file.change.path]
        if diagnosis.is_python_two:
            continue
        if error := _first_error(diagnosis.diagnostics):
            found += list(_syntax(file, error, broken=file.change.path in broken_before))
        else:
            found += list(_lint(file, diagnosis, unknown_before.get(file.change.path)))
    return found


def _may_lack_names(file: PythonFile, diagnosis: Diagnosis) -> bool:
    """Whether the change takes lines away, and a name is unknown on a line that it did not add."""
    unknown = (each.start_line for each in diagnosis.diagnostics if each.rule == UNKNOWN_NAME)
    return file.change.removed_lines > 0 and any(line not in file.change.written for line in unknown)


def _unknown_before(files: Sequence[PythonFile]) -> dict[str, frozenset[str]]:
    """The names that each of these files lacked before the change too, by path; one that did not parse is left out."""
    old = {file.change.path: file.change.before(file.lines) for file in files}
    before = diagnosed(old) if old else {}
    return {path: _unknown_names(then) for path, then in before.items() if then.parses}


def _unknown_names(diagnosis: Diagnosis) -> frozenset[str]:
    return frozenset(named_in(each)[0] for each in diagnosis.diagnostics if each.rule == UNKNOWN_NAME)


def _without_mark(text: str) -> str:
    """Leave out a byte order mark, which ruff does not count as a column."""
    return text.removeprefix("\ufeff")


def _first_error(diagnostics: Sequence[Diagnostic]) -> Diagnostic | None:
    errors = [each for each in diagnostics if each.rule == SYNTAX_ERROR]
    return min(errors, key=lambda each: each.start, default=None)


def _broken_before(files: Sequence[PythonFile]) -> frozenset[str]:
    """Which of these files did not parse before the change either."""
    old = {
        file.change.path: "\n".join(file.change.before(file.lines)) for file in files if file.change.status != "added"
    }
    return frozenset(each.path for each in diagnose(old) if each.rule == SYNTAX_ERROR)


def _syntax(file: PythonFile, error: Diagnostic, *, broken: bool) -> Iterator[Problem]:
    """Report the first error; one that shows on an unchanged line belongs to the changed line above it."""
    if broken:
        return
    above = [line for line, text in file.change.added.items() if line <= error.start_line and text.strip()]
    line = error.start_line if error.start_line in above else max(above, default=0)
    if line:
        rule = RULES[SYNTAX_ERROR]
        title = f"{SYNTAX}{_lowered(error.message)}"
        where = "" if line == error.start_line else f" The parser notices at line {error.start_line}."
        yield _problem(file, error.rule, rule, (line, line), title, f"{rule.mechanism}{where}")


def _lint(file: PythonFile, diagnosis: Diagnosis, unknown_before: frozenset[str] | None) -> Iterator[Problem]:
    strange = len(_unknown_names(diagnosis) - _lost(diagnosis, unknown_before)) > _MOST_UNKNOWN_NAMES
    told: set[tuple[int, int]] = set()
    for diagnostic in sorted(diagnosis.diagnostics, key=_rank):
        lines = _changed_lines(file, diagnostic) or _lost_name(diagnostic, unknown_before)
        rule = weighed(file, diagnostic, diagnosis.postponed) if lines else None
        if strange and diagnostic.rule == UNKNOWN_NAME:
            continue  # a text that gets its names from elsewhere: an example, or what is run inside something else
        if lines is None or rule is None or (lines[0], _concern(diagnostic)) in told:
            continue
        if _concern(diagnostic) >= 0:
            told.add((lines[0], _concern(diagnostic)))
        names = named_in(diagnostic)
        title = _told(rule.title, names) or _sentence(diagnostic.message)
        why = _told(rule.mechanism, names) or f"{diagnostic.message.rstrip('.')}."
        yield _problem(file, diagnostic.rule, rule, lines, title, why, _replacement(file, lines, diagnostic))


def _lost(diagnosis: Diagnosis, unknown_before: frozenset[str] | None) -> frozenset[str]:
    """The names that the change took away."""
    return frozenset() if unknown_before is None else _unknown_names(diagnosis) - unknown_before


def _concern(diagnostic: Diagnostic) -> int:
    """Which group of rules that say the same of a line the rule is in, or -1."""
    return next((number for number, group in enumerate(SAME_CONCERN) if diagnostic.rule in group), -1)


def _rank(diagnostic: Diagnostic) -> tuple[int, int]:
    """Sort key: of a group that says the same, the rule that says it best comes first."""
    group = SAME_CONCERN[_concern(diagnostic)] if _concern(diagnostic) >= 0 else (diagnostic.rule,)
    return group.index(diagnostic.rule), diagnostic.start


def _changed_lines(file: PythonFile, diagnostic: Diagnostic) -> tuple[int, int] | None:
    """The changed lines that the diagnostic is about: from its first line on, as long as they are added."""
    first, last = diagnostic.start_line, min(diagnostic.end_line, diagnostic.start_line + _LONGEST_QUOTE_LINES - 1)
    if first not in file.change.written:
        return _added_argument(file, diagnostic)
    end = first
    while end < last and end + 1 in file.change.added:
        end += 1
    return first, end


def _lost_name(diagnostic: Diagnostic, unknown_before: frozenset[str] | None) -> tuple[int, int] | None:
    """The line that uses a name which it was the change that took away."""
    if diagnostic.rule != UNKNOWN_NAME or unknown_before is None or named_in(diagnostic)[0] in unknown_before:
        return None
    return diagnostic.start_line, diagnostic.start_line


def _added_argument(file: PythonFile, diagnostic: Diagnostic) -> tuple[int, int] | None:
    """The added line that makes a call wrong which began on an unchanged line."""
    word = _OFFENDING_WORD.get(diagnostic.rule)
    if word is None:
        return None
    outside = depth_of(file.lines[diagnostic.start_line - 1])
    for number in range(diagnostic.start_line + 1, len(file.lines) + 1):
        text = file.lines[number - 1]
        if text.strip() and depth_of(text) <= outside:
            return None
        if word in text and number in file.change.written:
            return number, number
    return None


def _replacement(file: PythonFile, lines: tuple[int, int], diagnostic: Diagnostic) -> str | None:
    """Ruff's safe fix as the new text of exactly these lines, None where it reaches beyond them or removes them."""
    if not diagnostic.safe_edits:
        return None
    text = _without_mark(file.text)
    rows = text.split("\n")
    start = sum(len(row) + 1 for row in rows[: lines[0] - 1])
    end = start + len("\n".join(rows[lines[0] - 1 : lines[1]]))
    if any(edit.start < start or edit.end > end for edit in diagnostic.safe_edits):
        return None
    for edit in sorted(diagnostic.safe_edits, key=lambda each: each.start, reverse=True):
        text = text[: edit.start] + edit.content + text[edit.end :]
        end += len(edit.content) - (edit.end - edit.start)
    return _clean(text[start:end]) or None


def keeps_its_blocks(before: str, after: str) -> bool:
    """Whether a text still parses when it is edited, and no block of it has become empty."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            passes = [
                sum(isinstance(node, ast.Pass) for node in ast.walk(ast.parse(_without_mark(text))))
                for text in (before, after)
            ]
    except (SyntaxError, ValueError, RecursionError):
        return False
    return passes[0] >= passes[1]


def _problem(
    file: PythonFile,
    code: str,
    rule: Rule,
    lines: tuple[int, int],
    title: str,
    why: str,
    replacement: str | None = None,
) -> Problem:
    first, last = lines
    quote = _clean("\n".join(file.lines[first - 1 : last]))
    place = (file.change.path, first, last)
    return Problem(code, rule.severity, rule.category, rule.kind, *place, title, why, quote, replacement)


def _clean(code: str) -> str:
    r"""Code without the carriage returns of "\r\n" line ends."""
    return "\n".join(line.removesuffix("\r") for line in code.split("\n"))


def _told(template: str | None, names: Sequence[str]) -> str | None:
    try:
        return template.format(*names) if template else None
    except IndexError:
        return None


def _sentence(message: str) -> str:
    return message.split(". ", maxsplit=1)[0].split("; ", maxsplit=1)[0].rstrip(".")


def _lowered(message: str) -> str:
    return message[:1].lower() + message[1:].rstrip(".")
