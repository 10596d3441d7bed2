"""How much of a pull request has been read, in this run and before."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Coverage:
    """How many files of the pull request were read, and how many of those that need to be read were not."""

    read: int
    unread: int

    @property
    def is_whole(self) -> bool:
        """Whether something was read, and nothing is left to read."""
        return self.read > 0 and not self.unread
