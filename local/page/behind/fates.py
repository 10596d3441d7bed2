"""Fates: what one run made of each finding, and why, from the outbox of the run and the findings' histories."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from kodiai.core.findings.finding import Finding, rank
from kodiai.core.findings.judgement import KeptFinding
from kodiai.core.findings.known import Evidence, KnownFinding, Past, Status
from kodiai.core.findings.lifecycle import FindingUpdate, Transition
from kodiai.core.review.review import ThreadAction
from kodiai.core.review.run import Run
from local.github.views import read_node_id
from local.rendering.prose import as_html, title_as_html

GroupName = Literal["new", "resolved", "settled", "reopened", "raised", "open", "dropped"]

STATUSES: Mapping[str, str] = {
    "open": "open",
    "fixed": "resolved",
    "wont_fix": "won't fix",
    "acknowledged": "acknowledged",
    "conceded": "conceded",
    "dismissed": "dismissed",
}
"""How each status is called."""

_TITLES: Mapping[GroupName, str] = {
    "new": "New",
    "resolved": "Resolved",
    "settled": "Settled by people",
    "reopened": "Opened again",
    "raised": "Graver than before",
    "open": "Still open",
    "dropped": "Dropped",
}
_GROUPS: Mapping[Transition, GroupName] = {
    "stays": "open",
    "resolved": "resolved",
    "settled": "settled",
    "reopened": "reopened",
    "raised": "raised",
}
_DECIDED = {
    "wont_fix": "said that it stays as it is",
    "acknowledged": "acknowledged it",
    "conceded": "was right",
    "dismissed": "closed its thread",
}
_NOTHING_SHOWS = "nothing shows that it is resolved, and nobody has decided about it"


@dataclass(frozen=True)
class Fate:
    """What became of one finding. `comment` is GitHub's id of the comment that tells it, None where there is none.

    `how` is what became of it and `why` the reason, `evidence` the code that shows that it is resolved.
    `said` is what we said in its thread.
    """

    finding: Finding
    how: str
    why: str = ""
    comment: int | None = None
    evidence: Evidence | None = None
    said: Markup | None = None

    @property
    def title(self) -> Markup:
        """The finding's title, as GitHub would show it."""
        return title_as_html(self.finding.title)


@dataclass(frozen=True)
class Group:
    """The findings that fared alike, the gravest first."""

    name: GroupName
    fates: Sequence[Fate]

    @property
    def title(self) -> str:
        """What they have in common."""
        return _TITLES[self.name]


def fates(
    run: Run,
    known: Mapping[str, KnownFinding],
    histories: Mapping[str, Sequence[Past]],
    *,
    earlier: Collection[str],
    later: Collection[str],
) -> list[Group]:
    """Say it of every finding that the run knew; nothing where it has not come so far.

    `known` are today's findings by id; `earlier` are the ids of those that runs before this one told, `later` of those
    that only runs after it did.
    """
    staged = run.staged
    if staged is None:
        return []
    grouped: dict[GroupName, list[Fate]] = {name: [] for name in _TITLES}
    comments = {each.id: github_id(each.comment_id) for each in known.values()}
    for kept in staged.findings:
        grouped["new"].append(_told(kept, comments.get(kept.id), is_back=kept.id in earlier))
    acts = {act.finding: act for act in staged.acts}
    resolved = run.facts.get("threads_resolved", ())
    for each in staged.followed:
        fate = _followed(each, comments.get(each.id), acts.get(each.id), thread_resolved=each.id in resolved)
        grouped[_group(each)].append(fate)
    handled = {*(kept.id for kept in staged.findings), *(followed.id for followed in staged.followed), *later}
    for told in known.values():
        if told.id not in handled and _was_open(run, histories.get(told.id, ())):
            grouped["open"].append(Fate(told.finding, _NOTHING_SHOWS, comment=comments[told.id]))
    grouped["dropped"] = [Fate(dropped.finding, in_words(dropped.fate), dropped.reason) for dropped in staged.dropped]
    return [Group(name, sorted(found, key=lambda fate: rank(fate.finding))) for name, found in grouped.items() if found]


def in_words(fate: str) -> str:
    """A fate as people read it."""
    return fate.replace("-", " ")


def github_id(text: str | None) -> int | None:
    """Read GitHub's number of a thing from what the ledger holds, which may be its global id."""
    if text is None or text.isdecimal():
        return int(text) if text else None
    found = read_node_id(text)
    return found[1] if found else None


def _told(kept: KeptFinding, comment: int | None, *, is_back: bool) -> Fate:
    how = "posted inline" if kept.inline else "counts, without an inline comment"
    whys = ["it was resolved, and is back" if is_back else "", kept.finding.caveat or ""]
    return Fate(kept.finding, how, "; ".join(filter(None, whys)), comment)


def _followed(followed: FindingUpdate, comment: int | None, act: ThreadAction | None, *, thread_resolved: bool) -> Fate:
    known = followed.known
    how = {
        "stays": _stays(followed),
        "resolved": "the code shows it" if known.status == "fixed" else decided(known.status, known),
        "settled": decided(known.status, known),
        "reopened": "",
        "raised": f"was {followed.before.finding.severity}",
    }[followed.turn]
    notes = [
        how,
        "its author decided what only somebody else can" if followed.author_disagrees else "",
        "its thread was resolved" if thread_resolved else "",
    ]
    evidence = known.evidence if followed.turn == "resolved" else None
    said = (act.say or (None if thread_resolved else act.otherwise)) if act is not None else None
    shown = as_html(said, below=5) if said else None
    return Fate(followed.finding, "; ".join(filter(None, notes)), followed.why, comment, evidence, shown)


def _group(followed: FindingUpdate) -> GroupName:
    """What stays as it is need not be open: it may only be that somebody was heard."""
    if followed.turn == "stays" and not followed.is_open:
        return "resolved" if followed.known.status == "fixed" else "settled"
    return _GROUPS[followed.turn]


def _stays(followed: FindingUpdate) -> str:
    if not followed.is_open:
        return f"{STATUSES[followed.known.status]}, as before"
    return "" if followed.why else _NOTHING_SHOWS


def decided(status: Status, known: KnownFinding) -> str:
    """Say who decided about a finding, and what."""
    return f"{known.settled_by or 'somebody'} {_DECIDED.get(status, 'decided about it')}"


def _was_open(run: Run, history: Sequence[Past]) -> bool:
    """Whether it stood open when the run was over, which may not be yet."""
    until = run.ended if run.ended is not None else float("inf")
    past = [each for each in history if each.at <= until]
    return bool(past) and past[-1].status == "open"
