"""Where each finding stands after one push, in groups, and what has changed since the push before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from cli.report.lives import Life
from cli.report.result import Finding, Push

GroupName = Literal["new", "resolved", "open", "settled", "earlier"]
_LONG = 8


@dataclass(frozen=True)
class Told:
    """Where an inline comment tells of a finding: its push, from 0, and its name in the page's address."""

    push: int
    anchor: str


@dataclass(frozen=True)
class Row:
    """One finding after a push. `how` is how it was closed, `notes` what else there is to know of it."""

    finding: Finding
    how: str
    notes: tuple[str, ...]
    anchor: str | None


@dataclass(frozen=True)
class Group:
    """Findings that stand alike; those that need no look are `folded`."""

    name: GroupName
    title: str
    rows: tuple[Row, ...]
    folded: bool


_TITLES: dict[GroupName, str] = {
    "new": "New in this push",
    "resolved": "Resolved in this push",
    "open": "Still open",
    "settled": "Settled by people",
    "earlier": "Closed before this push",
}


def standing(push: Push, number: int, followed: Sequence[Life], told: Mapping[str, Told]) -> list[Group]:
    """Sort the findings of a push, counted from 0; `told` says for some where their comment is, by their keys."""
    grouped: dict[GroupName, list[Row]] = {name: [] for name in _TITLES}
    for life in followed:
        finding = life.seen[number]
        if finding is not None:
            where = told.get(finding.key)
            row = Row(finding, _how(finding), tuple(_notes(push, number, life, where)), where.anchor if where else None)
            grouped[_group(life, number, finding)].append(row)
    return [
        Group(name, _TITLES[name], tuple(rows), name == "earlier" or (name == "open" and len(rows) > _LONG))
        for name, rows in grouped.items()
        if rows
    ]


def _group(life: Life, number: int, finding: Finding) -> GroupName:
    """An argument that we conceded counts as resolved, and what was opened again as still open, as in the delta."""
    step = life.steps[number]
    if step == "opened":
        return "new" if life.before(number) is None else "open"
    if step == "open":
        return "open"
    if step == "closed":
        return "earlier"
    return "resolved" if step == "fixed" or finding.status == "conceded" else "settled"


def _how(finding: Finding) -> str:
    return "" if finding.status == "open" else finding.how


def _notes(push: Push, number: int, life: Life, told: Told | None) -> list[str]:
    """Say what has changed, and what became of the thread."""
    finding, before, step = life.seen[number], life.before(number), life.steps[number]
    assert finding is not None  # noqa: S101 - for the type checker: the caller has looked
    notes = []
    if step == "closed":
        notes.append(f"in push {life.closed_in(number) + 1}")
    if step == "opened" and before is not None:
        notes.append("opened again")
    if before is not None and before.severity != finding.severity:
        notes.append(f"was {before.severity}")
    if finding.settled_by and finding.status != "open":
        notes.append(f"by {finding.settled_by}")
    if finding.id in push.threads_resolved:
        notes.append("its thread was resolved")
    elif step == "fixed" and told is not None:
        notes.append("its thread was not resolved")
    if told is not None and told.push < number and step != "closed":
        notes.append(f"commented in push {told.push + 1}")
    return notes
