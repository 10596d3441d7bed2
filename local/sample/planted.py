"""The defects of the sample, where, since which push and until which."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class PlantedProblem:
    """One defect that we put into the sample.

    `push` is the index (from 0) of the push that brings it, `fixed_in` of the one that fixes it, if one does.
    `line` is the whole line to point at, without its indentation; it is in its file once.
    `kind` is a ruff rule, `leak:` and the kind of secret, or `meaning:` and a word.
    """

    push: int
    path: str
    line: str
    kind: str
    description: str
    fixed_in: int | None = None

    @property
    def knowable(self) -> bool:
        """Whether rules and patterns alone can find it; the rest is there to keep the sample honest."""
        return not self.kind.startswith("meaning:")

    def stands_in(self, push: int) -> bool:
        """Whether the head of this push (from 0) has it."""
        return self.push <= push and (self.fixed_in is None or push < self.fixed_in)


def read_planted(fill: Callable[[str], str]) -> tuple[PlantedProblem, ...]:
    """Read the list of what is planted; `fill` puts the secrets into the lines' slots."""
    listed = tomllib.loads(Path(__file__).with_name("planted.toml").read_text(encoding="utf-8"))
    return tuple(PlantedProblem(**entry | {"line": fill(entry["line"])}) for entry in listed["planted"])
