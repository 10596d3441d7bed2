"""An alarm: what code alone tells is wrong with a lock file. It is light, since each changed file may have some."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Alarm:
    """A problem of a package, on the line of the new file that is quoted.

    `title` stays the same while the problem does, whatever else changes.
    """

    severity: Literal["MAJOR", "MEDIUM"]
    line: int
    quote: str
    title: str
    explanation: str
