"""References that the move of a file breaks."""

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class BrokenReference:
    """A reference at a line of a file that names nothing at the head, since it, or what it named, was moved.

    `code` is the line, `target` the path as it is written, `was` the file that it named at the base.
    """

    path: str
    line: int
    code: str
    target: str
    was: str

    @property
    def shown(self) -> str:
        """The target and what it was, on one line."""
        was = "it was moved" if self.was == self.target else f"was {json.dumps(self.was)}"
        return f"{json.dumps(self.target)} ({was})"
