"""The problems that ruff finds in Python files."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kodiai.core.changes.kinds import is_test
from kodiai.core.judge.ruling import FIX_WORDS, PROBLEM_WORDS
from kodiai.core.text.layout import short_text, short_title
from local.model.offline.problem import Problem
from local.model.offline.ruff import SYNTAX_ERROR, Diagnostic, diagnose, reasons
from local.model.offline.rules import RULES

_PRINT_TO = "F633"
_NOT_IN_TESTS = frozenset({"E722", "F841", "PLR0124", "S113"})
_PYTHON_2 = re.compile(
    r"""
    (?:^|[:;])\s*(?:print|exec)\s+(?![=(.,:)])\S        # statements that became functions
    | \braise\s+[\w.]+\s*,
    | (?:\blambda\s*|\bdef\s+\w+\s*\(.*?)\(\s*\w+\s*,   # parameters that are tuples
    | `[^`]+` | <> | \b[uU][rR]["'] | (?<![\w.])0[0-7]+(?![\w.]) | (?<![\w.])\d+[lL]\b
    | ^[ ]*\t+[ ] | ^[ ]+\t                             # tabs of eight columns between spaces
    """,
    re.VERBOSE,
)
_HANDLER_OF_2 = re.compile(r"\s*except\b.*,\s*\w+\s*:")
_BUILT = re.compile(r"""\b[rR]?[fF][rR]?["']|["']\s*%|\.format\(|["']\s*\+|\+\s*["']""")
_NOT_COMPILED = "Python refuses to compile the module, so every import of it fails before a line has run."
_LONGEST_CODE = 2
_MOST_WORDS = PROBLEM_WORDS - 2  # the name of the check takes the rest


@dataclass(frozen=True)
class PythonText:
    """The problems that were found in a text. Of one that does not parse the first syntax error is the only problem.

    In Python 2, of which ruff knows nothing, there is none.
    """

    problems: Sequence[Problem]
    parses: bool = True
    is_python_2: bool = False


def check_python(texts: Sequence[tuple[str, Sequence[str]]]) -> list[PythonText]:
    """Check Python texts, given as (path, lines), and say in ruff's words what is wrong. Raises RuffFailed."""
    found = diagnose(texts, [*RULES, _PRINT_TO])
    return [_checked(path, lines, diagnostics) for (path, lines), diagnostics in zip(texts, found, strict=True)]


def _checked(path: str, lines: Sequence[str], diagnostics: Sequence[Diagnostic]) -> PythonText:
    if any(_is_of_python_2(_line(lines, each), each.rule) for each in diagnostics):
        return PythonText((), parses=False, is_python_2=True)
    errors = [each for each in diagnostics if each.rule == SYNTAX_ERROR]
    if errors:
        first = min(errors, key=lambda each: each.line)
        return PythonText((_problem(path, lines, first),), parses=False)
    reported = [each for each in diagnostics if each.rule in RULES and not _is_meant(path, lines, each)]
    return PythonText([_problem(path, lines, each) for each in reported])


def _is_of_python_2(line: str, rule: str) -> bool:
    """Whether ruff objects to what only Python 2 has, or to what Python 3 parses and means otherwise."""
    match rule:
        case "invalid-syntax":
            return _PYTHON_2.search(line) is not None
        case "F821":  # `except Error, name:` binds a name there
            return _HANDLER_OF_2.match(line) is not None
    return rule == _PRINT_TO


def _is_meant(path: str, lines: Sequence[str], found: Diagnostic) -> bool:
    """Whether what ruff objects to in general is most likely no problem in this place."""
    rule, line = found.rule, _line(lines, found)
    if path.endswith(".pyi") and not rule.startswith(("F82", "PLE")):
        return True
    if is_test(path) and (RULES[rule].category == "security" or rule in _NOT_IN_TESTS):
        return True
    match rule:
        case "B023":  # a function that is not kept for later still sees the right value
            return "lambda" not in line
        case "F811":  # a retried import, or a decorated definition that may be registered somewhere
            is_decorated = lines[max(found.line - 2, 0)].lstrip().startswith(("@", ")"))
            return is_decorated or not re.match(rf"\s*(async\s+def|def|class)\s+{_named(found)}\b", line)
        case "F821":  # a code in an annotation, as D-Bus signatures and the axes of arrays are
            return len(_named(found)) <= _LONGEST_CODE and any(f"{mark}{_named(found)}{mark}" in line for mark in "'\"")
        case "F841":
            return line.lstrip().startswith(("except", "with", "async with"))
        case "S602" | "S605":  # a constant, or a command that comes whole from somewhere else
            return "seems safe" in found.message or not _BUILT.search(line)
    return False


def _problem(path: str, lines: Sequence[str], found: Diagnostic) -> Problem:
    rule, title = RULES[found.rule], found.message
    if found.rule == SYNTAX_ERROR:
        title, why = f"Syntax error: {title[:1].lower()}{title[1:]}", _NOT_COMPILED
    else:
        why = short_text(reasons()[found.rule], _MOST_WORDS)
    return Problem(
        check=f"Ruff {found.rule}",
        severity=rule.severity,
        category=rule.category,
        kind=rule.kind,
        path=path,
        line=min(found.line, len(lines)),
        title=short_title(title),
        why=why,
        quote=_line(lines, found),
        replacement=found.fixed,
        fix=_fix(found),
    )


def _fix(found: Diagnostic) -> str:
    """Ruff's advice where it has some that is short enough, else where its documentation shows the fix."""
    if found.rule == SYNTAX_ERROR:
        return "Make it valid Python."
    advice = f"{found.advice}." if found.advice and not found.advice.endswith("?") else ""
    is_short = 0 < len(advice.split()) <= FIX_WORDS
    return advice if is_short else f"See ruff's documentation of `{found.name}`."


def _named(found: Diagnostic) -> str:
    """The name that ruff's message begins with."""
    return found.message.split("`")[1]


def _line(lines: Sequence[str], found: Diagnostic) -> str:
    """The code of the line that a diagnostic is about; an error at the end of a file is about its last line."""
    return lines[min(found.line, len(lines)) - 1].removesuffix("\r")
