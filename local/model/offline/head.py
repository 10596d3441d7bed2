"""One file at the head, as far as it is known: where code stands in it, what is wrong there, what can be shown."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from local.model.offline.changes import Change, as_if_added
from local.model.offline.leaks import leaks
from local.model.offline.likeness import squeezed
from local.model.offline.problem import Problem
from local.model.offline.reading import FileRead
from local.model.offline.secret_shapes import KEY_MATERIAL
from local.model.offline.sight import Sight
from local.model.offline.titles import Kind, by_rule

_SAYS_SOMETHING = re.compile(r"[^\W_](?:[\W_]*[^\W_]){2}")
_SAYS_LITTLE = frozenset({"pass", "else:", "else{", "}else{", "try:", "finally:", "return", "break", "continue", "end"})


@dataclass(frozen=True)
class Head:
    """The known lines of a file by number; `whole` where that is all of them.

    `fresh` are the lines that may have come with the changes: those that are shown as added,
    or every line where the file's changes are not shown. `told` are the problems on shown lines.
    """

    path: str
    lines: Mapping[int, str]
    whole: bool
    fresh: Set[int]
    sight: Sight
    told: Sequence[Problem]

    @property
    def parses(self) -> bool:
        """Whether it is Python that was read in full and can be compiled."""
        return self.sight.parses(self.path)

    @cached_property
    def problems(self) -> dict[str, list[tuple[Kind, Problem]]]:
        """Every problem of the file, as if all of it were new, by the rule of its kind."""
        return by_rule(self.sight.problems([as_if_added(self.path, self.lines)]))

    @cached_property
    def new_problems(self) -> dict[str, list[tuple[Kind, Problem]]]:
        """Those on `fresh` lines."""
        return self.problems if self.fresh == self.lines.keys() else by_rule(self.told)

    def problems_on(self, numbers: Set[int]) -> dict[str, list[tuple[Kind, Problem]]]:
        """Those that would be told if these lines alone were new."""
        lines = {number: self.lines[number] for number in sorted(numbers) if number in self.lines}
        return by_rule(self.sight.problems([as_if_added(self.path, lines)])) if lines else {}

    @cached_property
    def sayable(self) -> dict[int, str]:
        """The lines that say something and show no secret."""
        leaking = {leak.line for leak in leaks(as_if_added(self.path, self.lines))}
        return {
            number: line
            for number, line in self.lines.items()
            if number not in leaking
            and _SAYS_SOMETHING.search(line)
            and squeezed(line) not in _SAYS_LITTLE
            and not KEY_MATERIAL.search(line)
        }

    def places(self, quote: str) -> list[range]:
        """Find where quoted lines stand as whole lines, white space and blank lines aside, from the top."""
        wanted = [code for line in quote.split("\n") if (code := squeezed(line))]
        found = []
        for at in range(len(self._solid) - len(wanted) + 1 if wanted else 0):
            window = self._solid[at : at + len(wanted)]
            if [code for _, code in window] == wanted:
                found.append(range(window[0][0], window[-1][0] + 1))
        return found

    @cached_property
    def _solid(self) -> list[tuple[int, str]]:
        return [(number, code) for number, line in sorted(self.lines.items()) if (code := squeezed(line))]


def head_of(path: str, read: FileRead | None, change: Change | None, sight: Sight, problems: Sequence[Problem]) -> Head:
    """Put together what was read of a file, what its changes show, and the problems that were found on them."""
    lines = dict(change.added) if change else {}
    if read:
        lines.update(read.lines)
    fresh = change.added.keys() if change and change.hunks else lines.keys()
    told = [problem for problem in problems if problem.path == path]
    return Head(path, lines, read is not None and read.whole is not None, fresh, sight, told)
