"""Rules that people have asked us to remember for a repository."""

import hashlib
from dataclasses import dataclass

MOST_RULES = 50
"""The most rules of one repository."""

LONGEST_RULE = 400
"""The most characters of one rule."""

_ID_WORDS, _ID_CHARACTERS = 5, 40


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


def team_rule_id(text: str, otherwise: str) -> str:
    """An id for the same sentence as a rule of the team: its first words, else one like its own id."""
    words = "".join(each if each.isascii() and each.isalnum() else " " for each in text.lower()).split()[:_ID_WORDS]
    name = "-".join(words)[:_ID_CHARACTERS].strip("-")
    return name if name[:1].isalpha() and not name.startswith("issue") else otherwise.lower()
