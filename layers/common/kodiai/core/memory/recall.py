"""Recall: the query for a pull request, and what is shown of the findings that are near to it."""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from kodiai.core.findings.known import status_in_words
from kodiai.core.json_object import JsonObject
from kodiai.core.memory.remembered import Neighbor, RememberedFinding
from kodiai.core.memory.rule import Rule
from kodiai.core.model.messages import Text
from kodiai.core.text.incoming import incoming
from kodiai.core.text.secrets import masked

_MOST_PATHS = 60
_MOST_SYMBOLS = 120
_LONGEST_QUERY = 6_000
"""Characters; no embedding model reads more than some thousand tokens."""


@dataclass(frozen=True)
class Recollection:
    """The memories that concern a pull request: the repository's rules, and similar findings, nearest first.

    `blocks` show both to the model; `not_in_key` are those of them that may change without making another question
    of it. `distances` are those of everything that was found, also beyond the threshold. `is_offline` is whether texts
    were compared by their words alone.
    """

    rules: tuple[Rule, ...] = ()
    recalled: tuple[Neighbor, ...] = ()
    blocks: tuple[Text, ...] = ()
    not_in_key: tuple[str, ...] = ()
    distances: tuple[float, ...] = ()
    is_offline: bool = False

    @property
    def repositories(self) -> tuple[str, ...]:
        """The repositories whose findings are recalled."""
        return tuple(dict.fromkeys(each.remembered.repository for each in self.recalled))


NOTHING_RECALLED = Recollection()


def query_text(title: str, paths: Sequence[str], symbols: Collection[str]) -> str:
    """The query for similar findings: the pull request's title, its changed paths and changed symbols."""
    parts = [masked(incoming(title)), "\n".join(paths[:_MOST_PATHS]), " ".join([*symbols][:_MOST_SYMBOLS])]
    return "\n\n".join(filter(None, parts))[:_LONGEST_QUERY]


def within(neighbors: Iterable[Neighbor], threshold: float) -> tuple[Neighbor, ...]:
    """The neighbors that are near enough."""
    return tuple(each for each in neighbors if each.distance <= threshold)


def fitting(neighbors: Iterable[Neighbor], max_chars: int) -> tuple[tuple[Neighbor, ...], str]:
    """The nearest findings whose rows have at most this number of characters together, and these rows, a line each."""
    shown: list[Neighbor] = []
    rows: list[str] = []
    left = max_chars
    for each in neighbors:
        row = json.dumps(row_of(each.remembered), ensure_ascii=False)
        size = len(row) + (1 if rows else 0)
        if size > left:
            break
        left -= size
        shown.append(each)
        rows.append(row)
    return tuple(shown), "\n".join(rows)


def row_of(remembered: RememberedFinding) -> JsonObject:
    """A remembered finding as the model sees it: where it was, and what it led to."""
    merged = " when it was merged" if remembered.is_merged and remembered.outcome in ("open", "disputed") else ""
    return {
        "id": remembered.name,
        "repository": remembered.repository,
        "severity": remembered.severity,
        "category": remembered.category,
        "path": remembered.path,
        "title": remembered.title,
        "problem": remembered.problem,
        "outcome": f"{status_in_words(remembered.outcome)}{merged}",
        **({"accepted_by": remembered.accepted_by} if remembered.accepted_by else {}),
        **_dismissal(remembered),
    }


def precedent_row(remembered: RememberedFinding) -> JsonObject:
    """A dismissed finding as the judge sees it next to a candidate."""
    shown = {"id": remembered.name, "title": remembered.title, "problem": remembered.problem}
    return {**shown, **_dismissal(remembered)}


def _dismissal(remembered: RememberedFinding) -> JsonObject:
    facts = {"dismissed_by": remembered.dismissed_by, "reason": remembered.reason}
    return {name: fact for name, fact in facts.items() if fact}


def rule_row(rule: Rule) -> JsonObject:
    """A rule as the model sees it."""
    return {"id": rule.id, "by": rule.by, "rule": rule.text}
