"""The decision of one run about each finding, and why, from its pending review and the findings' histories."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from kodiai.core.findings.finding import Finding, rank
from kodiai.core.findings.known import DECIDED_BY_PEOPLE, Evidence, HistoryEntry, KnownFinding
from kodiai.core.judge.judgement import KeptFinding
from kodiai.core.plan.update import FindingUpdate
from kodiai.core.review.review import ThreadAction
from kodiai.core.review.run import Run
from local.github.views import read_node_id
from local.rendering.labels import status_label
from local.rendering.markdown import as_html

_TITLES = {
    "new": "New",
    "resolved": "Resolved",
    "dismissed": "Dismissed",
    "reopened": "Reopened",
    "raised": "More severe",
    "stays": "Still open",
    "suppressed": "Suppressed",
}
_NO_EVIDENCE = "no evidence of a fix, and no decision"


@dataclass(frozen=True)
class FindingResult:
    """The result for one finding. `comment` is GitHub's id of its comment, None where it has none.

    `how` is the result and `why` the reason, `evidence` the code that shows that it is resolved.
    `reply` is what we wrote in its thread.
    """

    finding: Finding
    how: str
    why: str = ""
    comment: int | None = None
    evidence: Evidence | None = None
    reply: Markup | None = None


@dataclass(frozen=True)
class ResultGroup:
    """The findings with the same result, the most severe first; `name` is its class in the style sheet."""

    name: str
    title: str
    results: Sequence[FindingResult]


def finding_results(
    run: Run,
    known: Mapping[str, KnownFinding],
    histories: Mapping[str, Sequence[HistoryEntry]],
    *,
    earlier: Collection[str],
    later: Collection[str],
) -> list[ResultGroup]:
    """Give the result for every finding that the run knew; nothing where the run has not come so far.

    `known` are today's findings by id; `earlier` are the ids of those that runs before this one reported, `later` of
    those that only runs after it did.
    """
    staged = run.staged
    if staged is None:
        return []
    grouped: dict[str, list[FindingResult]] = {name: [] for name in _TITLES}
    comments = {each.id: github_id(each.comment_id) for each in known.values()}
    for kept in staged.findings:
        grouped["new"].append(_new(kept, comments.get(kept.id), is_back=kept.id in earlier))
    actions = {action.finding: action for action in staged.thread_actions}
    resolved = run.facts.get("threads_resolved", ())
    for update in staged.updates:
        action, is_resolved = actions.get(update.id), update.id in resolved
        result = _earlier(update, comments.get(update.id), action, thread_resolved=is_resolved)
        grouped[_group(update)].append(result)
    handled = {*(kept.id for kept in staged.findings), *(update.id for update in staged.updates), *later}
    for each in known.values():
        if each.id not in handled and _was_open(run, histories.get(each.id, ())):
            grouped["stays"].append(FindingResult(each.finding, _NO_EVIDENCE, comment=comments[each.id]))
    for dropped in staged.suppressed:
        grouped["suppressed"].append(FindingResult(dropped.finding, dropped.fate.replace("-", " "), dropped.reason))
    return [
        ResultGroup(name, _TITLES[name], sorted(found, key=lambda result: rank(result.finding)))
        for name, found in grouped.items()
        if found
    ]


def current_result(known: KnownFinding) -> FindingResult:
    """The status of a finding today, and who decided it."""
    return FindingResult(known.finding, status_of(known), comment=github_id(known.comment_id))


def status_of(known: KnownFinding) -> str:
    """The status in words, with who decided it."""
    return known.dismissal if known.status in DECIDED_BY_PEOPLE else status_label(known.status)


def github_id(text: str | None) -> int | None:
    """Read GitHub's number of a thing from what the ledger holds, which may be its global id."""
    if text is None or text.isdecimal():
        return int(text) if text else None
    found = read_node_id(text)
    return found[1] if found else None


def _new(kept: KeptFinding, comment: int | None, *, is_back: bool) -> FindingResult:
    how = "inline comment" if kept.inline else "no inline comment"
    reasons = ["it was resolved and is back" if is_back else "", kept.finding.caveat or ""]
    return FindingResult(kept.finding, how, "; ".join(filter(None, reasons)), comment)


def _earlier(
    update: FindingUpdate, comment: int | None, action: ThreadAction | None, *, thread_resolved: bool
) -> FindingResult:
    notes = [
        _transition(update),
        "the author, who may not decide this, disagrees" if update.author_disagrees else "",
        "thread resolved" if thread_resolved else "",
    ]
    evidence = update.known.evidence if update.transition == "resolved" else None
    reply = (action.say or (None if thread_resolved else action.otherwise)) if action is not None else None
    shown = as_html(reply, below=5) if reply else None
    return FindingResult(update.finding, "; ".join(filter(None, notes)), update.why, comment, evidence, shown)


def _transition(update: FindingUpdate) -> str:
    known = update.known
    match update.transition:
        case "stays" if not update.is_open:
            return f"{status_label(known.status)}, as before"
        case "stays":
            return "" if update.why else _NO_EVIDENCE
        case "resolved" if known.status == "fixed":
            return "fixed in the code"
        case "raised":
            return f"was {update.before.finding.severity}"
        case "reopened":
            return ""
    return status_of(known)


def _group(update: FindingUpdate) -> str:
    """An unchanged finding need not be open: its entry may only say that a reply was read."""
    if update.transition == "stays" and not update.is_open:
        return "resolved" if update.known.status == "fixed" else "dismissed"
    return update.transition


def _was_open(run: Run, history: Sequence[HistoryEntry]) -> bool:
    """Whether it was open when the run ended, which may not be yet."""
    until = run.ended if run.ended is not None else float("inf")
    past = [each for each in history if each.at <= until]
    return bool(past) and past[-1].status == "open"
