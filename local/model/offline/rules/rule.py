"""One rule of ruff, as the offline reviewer tells it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """How grave a rule is and what it means.

    `title` and `mechanism` may name `{0}`, `{1}`: the pieces that ruff's message has in backticks.
    Without them ruff's message is taken.
    """

    severity: str
    category: str
    kind: str
    title: str | None = None
    mechanism: str | None = None


def impact(severity: str, category: str, title: str | None = None, mechanism: str | None = None) -> Rule:
    """Describe a rule whose breach makes the program wrong, slow or unsafe."""
    return Rule(severity, category, "impact", title, mechanism)


def preference(severity: str, category: str, title: str | None = None, mechanism: str | None = None) -> Rule:
    """Describe a rule whose breach the author may well have meant."""
    return Rule(severity, category, "preference", title, mechanism)
