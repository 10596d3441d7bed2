"""Rules that people have asked us to remember for a repository."""

import hashlib
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


def rule_id(repository: str, comment: str, text: str) -> str:
    """Name a rule by the comment that asked for it, so that doing it again is no second rule."""
    named = "\0".join((repository, comment, text))
    return "R-" + hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:6]
