"""Rules that people have asked us to remember for a repository."""

from dataclasses import dataclass

MOST_RULES = 50
"""The most rules of one repository."""

LONGEST_RULE = 400
"""The most characters of one rule."""


@dataclass(frozen=True)
class Rule:
    """A sentence about what the maintainers want: who said it, and when (epoch seconds), on which pull request."""

    id: str
    text: str
    by: str
    number: int
    at: int
