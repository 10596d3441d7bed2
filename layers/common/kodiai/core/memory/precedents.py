"""Precedents: findings near to a new one that people dismissed often enough for it to be unwanted."""

from collections.abc import Iterable, Sequence

from kodiai.core.findings.finding import Finding
from kodiai.core.memory.remembered import Neighbor, RememberedFinding
from kodiai.core.memory.rule import Rule
from kodiai.core.text.layout import short_title

LEAST_PEOPLE = 3
LEAST_PULL_REQUESTS = 2
ENOUGH_ACCEPTED = 3
_MOST_SHOWN = 10
_MOST_NAMED = 3


def may_be_unwanted(finding: Finding) -> bool:
    """Whether rules and precedents may suppress a finding: never a critical one, and never one about security."""
    return finding.severity != "CRITICAL" and finding.category != "security"


def precedents(neighbors: Iterable[Neighbor]) -> tuple[RememberedFinding, ...]:
    """The nearest dismissed ones of the judged findings near to a new one, if they may suffice to suppress it.

    Three accepted neighbors let it pass. The judge says which of them are the same kind of problem.
    """
    near = [each.remembered for each in neighbors]
    dismissed = tuple(each for each in near if each.dismissed_by)[:_MOST_SHOWN]
    accepted = [each for each in near if each.accepted_by or each.outcome == "fixed"]
    return dismissed if suffice(dismissed) and len(accepted) < ENOUGH_ACCEPTED else ()


def suffice(dismissed: Sequence[RememberedFinding]) -> bool:
    """Whether at least three people dismissed these findings, on at least two pull requests."""
    return len(people(dismissed)) >= LEAST_PEOPLE and len({each.number for each in dismissed}) >= LEAST_PULL_REQUESTS


def people(dismissed: Iterable[RememberedFinding]) -> Sequence[str]:
    """Everybody who dismissed one of them, each once; GitHub's logins do not tell capitals from small letters."""
    return list({login.casefold(): login for each in dismissed for login in each.dismissed_by}.values())


def by_rule(rule: Rule) -> str:
    """Why a finding is unwanted by a rule."""
    return f"{rule.id} of {rule.by}: {short_title(rule.text)}"


def by_precedents(dismissed: Sequence[RememberedFinding]) -> str:
    """Why a finding is unwanted by precedents: who dismissed findings like it, and which."""
    names = [each.name for each in dismissed]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"dismissed before by {in_words(people(dismissed))}: {', '.join(names[:_MOST_NAMED])}{more}"


def in_words(names: Sequence[str]) -> str:
    """Names in a row: "ann, bob and cid"."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
