"""What the offline reviewer sees in files: merge conflicts, leaked secrets, and what ruff says of Python."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kodiai.core.changes.kinds import is_prose
from local.model.offline.changes import Change
from local.model.offline.conflicts import conflicts
from local.model.offline.kinds import is_fixture, is_python, language
from local.model.offline.leaks import Leak, leak_problem, leaks, visible_part, without
from local.model.offline.meant import PythonFile
from local.model.offline.problem import Problem
from local.model.offline.python_problems import Diagnosis, diagnosed, keeps_its_blocks, python_problems


@dataclass(frozen=True)
class Sight:
    """The lines of Python files at the head, by path, and what ruff says of each."""

    whole: Mapping[str, Sequence[str]]
    told: Mapping[str, Diagnosis]

    def problems(self, changes: Sequence[Change]) -> list[Problem]:
        """Find every problem on the lines that these changes add; raises RuffFailed."""
        present = [change for change in changes if change.is_text_at_head]
        leaked = {change.path: leaks(change) for change in present}
        code = [change for change in present if not is_fixture(change.path)]
        merged = [problem for change in code for problem in conflicts(change)]
        torn = {problem.path for problem in merged}
        readable = [PythonFile(c, self.whole[c.path]) for c in code if c.path in self.whole and c.path not in torn]
        checked = [_discreet(problem, leaked[problem.path]) for problem in python_problems(readable, self.told)]
        new = ((change, leak) for change in present for leak in leaked[change.path] if leak.line in change.written)
        told = [leak_problem(change, leak, leaked[change.path]) for change, leak in new]
        return [*merged, *told, *checked]

    def with_sound_replacement(self, problem: Problem) -> Problem:
        """The problem without its replacement, where that empties a block or leaves a file that does not parse."""
        if problem.replacement is None:
            return problem
        lines = self.whole[problem.path]
        after = [*lines[: problem.start_line - 1], problem.replacement, *lines[problem.end_line :]]
        is_sound = keeps_its_blocks("\n".join(lines), "\n".join(after))
        return problem if is_sound else replace(problem, replacement=None)

    def unchecked(self, changes: Sequence[Change]) -> list[str]:
        """The languages of changed files that no check knows, by name, in order."""
        present = (c.path for c in changes if c.is_text_at_head and not is_prose(c.path) and not is_fixture(c.path))
        return sorted({name for path in present if (name := self._unknown_language(path))}, key=str.casefold)

    def _unknown_language(self, path: str) -> str | None:
        if not is_python(path):
            return language(path)
        return "Python 2" if path in self.told and self.told[path].is_python_two else None

    def unread(self, changes: Sequence[Change]) -> dict[str, str]:
        """Say of which changed Python files the content could not be had, and why."""
        python = (change for change in changes if change.is_text_at_head and is_python(change.path))
        unknown = (change.path for change in python if change.path not in self.whole and not conflicts(change))
        return dict.fromkeys(unknown, "it was not read in full")

    def parses(self, path: str) -> bool:
        """Whether it is a file that was read in full and that Python can compile."""
        return path in self.told and self.told[path].parses


def look_at(whole: Mapping[str, Sequence[str]]) -> Sight:
    """Look at files whose lines are known in full, by path; raises RuffFailed."""
    python = {path: lines for path, lines in whole.items() if is_python(path)}
    return Sight(python, diagnosed(python))


def _discreet(problem: Problem, leaked: Sequence[Leak]) -> Problem:
    """The problem without the secrets that stand on its lines."""
    for leak in leaked:
        problem = _without(problem, leak)
    return problem


def _without(problem: Problem, leak: Leak) -> Problem:
    title, why = without(leak.value, problem.title), without(leak.value, problem.explanation)
    quote, replacement, end = problem.quote, problem.replacement, problem.end_line
    if problem.start_line <= leak.line <= end and leak.value in quote:
        rows = quote.split("\n")[: leak.line - problem.start_line + 1]
        quote = "\n".join([*rows[:-1], visible_part(rows[-1], leak)])
        replacement, end = None, leak.line
    return replace(problem, title=title, explanation=why, quote=quote, end_line=end, replacement=replacement)
