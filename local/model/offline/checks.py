"""The checks of a review: what is wrong in each file at the head, and what of it the change brings."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from kodiai.core.code.language import language_of
from local.model.changes import Change
from local.model.offline.problem import Problem, new_problems
from local.model.offline.python_checks import PythonText, check_python
from local.model.offline.text_checks import (
    CONFLICTS,
    Leak,
    conflict_problems,
    is_fixture,
    leak_problems,
    leaks,
    without_secrets,
)
from local.model.read_files import ReadFile


@dataclass(frozen=True)
class CheckedFile:
    """A file at the head, as far as it is known: its numbered lines, whether these are all of them, and those added.

    `problems` are all that it has, `new` those that the change brings. `python` is what ruff found, None where it did
    not look. On the lines in `secret_lines` there is a secret.
    """

    lines: Mapping[int, str]
    is_whole: bool
    added: Set[int]
    problems: Sequence[Problem]
    new: Sequence[Problem]
    secret_lines: frozenset[int]
    python: PythonText | None


def is_python(path: str) -> bool:
    """Python source or stubs, by its ending."""
    return PurePosixPath(path).suffix.lower() in {".py", ".pyi", ".pyw"}


def check(changes: Sequence[Change], read: Mapping[str, ReadFile]) -> dict[str, CheckedFile]:
    """Check the changed files, and those that were read besides. Raises RuffFailed."""
    changed = {change.path: change for change in changes if change.is_text_at_head}
    now, before = _python_texts(changed, read)
    return {
        path: _checked(path, changed.get(path), read.get(path), now.get(path), before.get(path))
        for path in changed.keys() | read.keys()
    }


def _python_texts(
    changed: Mapping[str, Change], read: Mapping[str, ReadFile]
) -> tuple[dict[str, PythonText], dict[str, PythonText]]:
    """Ruff's problems in the Python files that are known in full: as they are now, and as they were before."""
    whole = {path: file.whole for path, file in read.items() if is_python(path) and not is_fixture(path)}
    now = {path: lines for path, lines in whole.items() if lines}
    before = {path: changed[path].before(lines) for path, lines in now.items() if path in changed}
    before = {path: lines for path, lines in before.items() if any(lines)}
    found = iter(check_python([*now.items(), *before.items()]))
    return {path: next(found) for path in now}, {path: next(found) for path in before}


def _checked(
    path: str, change: Change | None, read: ReadFile | None, now: PythonText | None, before: PythonText | None
) -> CheckedFile:
    added = change.added if change else {}
    lines = {**added, **(read.lines if read else {})}
    secrets = leaks(lines)
    conflicts = [] if is_fixture(path) else list(conflict_problems(path, lines))
    in_text = [*conflicts, *leak_problems(path, lines, secrets)]
    in_python = [without_secrets(problem, secrets) for problem in now.problems] if now and not conflicts else []
    new = [problem for problem in in_text if problem.line in added and not _was_there(problem, change, secrets)]
    if change:
        new += _brought(change, in_python, now, before)
    return CheckedFile(
        lines=lines,
        is_whole=read is not None and read.whole is not None,
        added=added.keys(),
        problems=[*in_text, *in_python],
        new=new,
        secret_lines=frozenset(number for leak in secrets for number in range(leak.line, leak.last_line + 1)),
        python=now,
    )


def _was_there(problem: Problem, change: Change | None, secrets: Sequence[Leak]) -> bool:
    """Whether a line only moved: what leaked there had leaked before."""
    removed = "\n".join(change.removed) if change else ""
    here = [leak for leak in secrets if leak.line == problem.line]
    return problem.check != CONFLICTS and bool(here) and all(leak.value in removed for leak in here)


def _brought(
    change: Change, problems: Sequence[Problem], now: PythonText | None, before: PythonText | None
) -> list[Problem]:
    """Ruff's problems now that it did not find before; of a file that did not parse then, what is on added lines."""
    if now is None or now.parses:
        if before is not None and not before.parses:
            return [problem for problem in problems if problem.line in change.added]
        return new_problems(problems, before.problems if before else [], change.added)
    return [_at_the_change(error, change) for error in problems] if before is None or before.parses else []


def _at_the_change(error: Problem, change: Change) -> Problem:
    """A syntax error at the line that the change adds, where the parser notices it only further down."""
    above = [number for number, text in change.added.items() if number <= error.line and text.strip()]
    line = error.line if error.line in above else max(above, default=error.line)
    if line == error.line:
        return error
    where = f" The parser notices it at line {error.line}."
    return replace(error, line=line, quote=change.added[line].removesuffix("\r"), why=f"{error.why}{where}")


def unchecked_languages(changes: Sequence[Change], checked: Mapping[str, CheckedFile]) -> list[str]:
    """The languages of changed files that no check knows, by name, in order."""
    present = [change.path for change in changes if change.is_text_at_head and not is_fixture(change.path)]
    names = {_unchecked(path, checked[path].python) for path in present}
    return sorted((name for name in names if name), key=str.casefold)


def _unchecked(path: str, python: PythonText | None) -> str | None:
    if is_python(path):
        return "Python 2" if python is not None and python.is_python_2 else None
    name = language_of(path)
    return _LANGUAGES.get(name, name.title()) if name else None


_LANGUAGES = {
    "bash": "shell",
    "cpp": "C++",
    "csharp": "C#",
    "javascript": "JavaScript",
    "php": "PHP",
    "tsx": "TypeScript",
    "typescript": "TypeScript",
}
