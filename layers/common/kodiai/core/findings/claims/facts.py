"""Facts: what the program can find out by itself, and what a finding comes to when it is held against them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class Facts(Protocol):
    """What the program can find out by itself; None where it cannot be told."""

    def lines(self, path: str) -> Sequence[str] | None:
        """The file at the head."""

    def parses(self, path: str) -> bool | None:
        """Whether the file has the syntax of its language."""

    def binds(self, path: str, name: str, at: tuple[int, int]) -> bool | None:
        """Whether the language or the file gives a name a meaning on these lines."""

    def is_named(self, text: str) -> bool | None:
        """Whether a version or a number stands anywhere in the repository, the changes or what was looked up."""

    def uses(self, name: str) -> int | None:
        """On how many lines of the repository a name stands outside its own definition."""

    def was_looked_up(self, name: str) -> bool:
        """Whether a reviewer searched for a name, or was shown where it is used."""


@dataclass(frozen=True)
class Checked:
    """What became of the check.

    `against` is why the finding is refuted, `caveat` what it rests on that nobody looked up.
    `is_preference` is whether it only asks for something, and names no case that fails.
    """

    against: str | None = None
    caveat: str | None = None
    is_preference: bool = False
