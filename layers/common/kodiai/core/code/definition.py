"""What a file defines, and over which lines."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Definition:
    """A named piece of a file, with 1-based lines, both included.

    Decorators, attributes and comments directly above belong to it. `kind` is function (of any sort), class, struct,
    interface, enum, trait, impl, type, module, macro, or test for a block of tests that is named by a sentence;
    block where the language has no grammar.
    """

    name: str
    kind: str
    start_line: int
    end_line: int

    def covers(self, start: int, end: int) -> bool:
        """Whether all lines from `start` to `end` are its own."""
        return self.start_line <= start and end <= self.end_line
