"""Review Details: what a run did and did not do."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import starmap

from kodiai.core.changes.changed_file import Skipped
from kodiai.core.changes.scope import Scope
from kodiai.core.findings.finding import Finding, Severity
from kodiai.core.findings.known import status_in_words
from kodiai.core.judge.delta import Delta
from kodiai.core.judge.judgement import SuppressedFinding, is_shown
from kodiai.core.memory.recall import NOTHING_RECALLED, Recollection
from kodiai.core.model.messages import ModelUse
from kodiai.core.plan.candidate import UNDECIDED
from kodiai.core.plan.update import FindingUpdate
from kodiai.core.text import markdown
from kodiai.core.text.layout import counted, joined, short_text
from kodiai.core.words import finding as words
from kodiai.core.words.links import Links
from kodiai.core.words.memory import memory_lines

_LISTED_FILES = 100
_LISTED_GUIDANCE = 20
_REASON_WORDS = 15
_FATES = {
    "wrong": "wrong",
    "not-from-this-change": "not from this change",
    "not-worth-it": "not worth it",
    "unwanted": "unwanted",
}
"""The words before reasons that do not say it themselves."""
_BY_JUDGE = frozenset({"wrong", "not-from-this-change", "not-worth-it"})

_REASONS = {
    "no-prior-review": "first review",
    "snapshot-missing": "the state of the last review is missing",
    "config-changed": "the settings changed",
    "ci-green": "CI is green",
    "decided": "a finding was decided",
}


@dataclass(frozen=True)
class ReviewDetails:
    """The part of a review next to its findings: the model's words, and the facts of the run.

    `strengths` are Markdown, `seconds` is how long the run took,
    `problems` sentences about the repository's settings and about what could not be done,
    `asked_back` how many earlier findings the model was asked about, `not_asked_back` how many there was no room for,
    `judged` how many findings the judge ruled on and `unjudged` how many it did not, `floor` the least severity that
    is shown, `left_out` what there was no room to show the reviewers, `guidance` how many of its sections they all saw
    of each file of guidance, and of how many; `refused_replacements` how many replacements are
    not offered, by reason. `doubted` are the findings on which two rulings do not agree, or that have only one.
    `recollection` is what was remembered, `memory_problem` why not all of it. `team_rules` are the lines about rules
    that do not fail.
    """

    run: str
    head: str
    links: Links
    what_changed: Sequence[str]
    strengths: Sequence[str]
    problems: Sequence[str]
    use: ModelUse
    seconds: float
    asked_back: int = 0
    not_asked_back: int = 0
    reviewers: Sequence[str] = ()
    judged: int = 0
    unjudged: int = 0
    floor: Severity = "MINOR"
    left_out: Mapping[str, int] = field(default_factory=dict)
    guidance: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    refused_replacements: Mapping[str, int] = field(default_factory=dict)
    doubted: Sequence[SuppressedFinding] = ()
    recollection: Recollection = NOTHING_RECALLED
    memory_problem: str | None = None
    team_rules: Sequence[str] = ()


def scope_reason(reason: str) -> str:
    """The reason for the extent of a review, for people: "first review", "since abc1234"."""
    return _REASONS.get(reason, reason.replace("since-", "since ", 1))


def details_text(scope: Scope, delta: Delta, suppressed: Sequence[SuppressedFinding], details: ReviewDetails) -> str:
    """Fold everything about the run that a person may want to know and need not read."""
    rows = [
        f"- Scope: {scope.mode} ({scope_reason(scope.reason)}) · Depth: {scope.tier}",
        f"- Coverage: {coverage(scope)}",
        *_below(delta.open_findings, details),
        *_rechecked(delta, details),
        *([] if delta.offline else _how_it_was_read(details)),
        *memory_lines(details.recollection, details.memory_problem),
        *(f"- Problem: {markdown.line(problem)}" for problem in details.problems),
        f"- Model: {'none (offline checks)' if delta.offline else _model(details.use)}",
        f"- Time: {details.seconds:.0f} s",
    ]
    again = [each for each in suppressed if each.fate == UNDECIDED]
    dropped = [each for each in suppressed if each.fate != UNDECIDED]
    lists = [
        _dismissed(delta.dismissed),
        _reasons("Suppressed", dropped, _short_reason),
        _reasons("To be judged again", again, _reason),
        _reasons("Not verified", details.doubted, _reason),
        _not_read(scope),
    ]
    return markdown.folded("Review Details", joined("\n".join(rows), *lists))


def _model(use: ModelUse) -> str:
    """The models that were asked, what they read and wrote, and what that cost."""
    total = use.total
    cost = f"${use.cost_usd:.4f}" if use.cost_usd is not None else "price unknown"
    read = total.prompt_tokens
    thinking = f" ({total.thinking_tokens:,} thinking)" if total.thinking_tokens else ""
    tokens = f"{read:,} tokens in ({total.cache_read_tokens:,} from cache), {total.output_tokens:,} out{thinking}"
    return f"{', '.join(sorted(use.by_model)) or 'none'}, {tokens}, {cost}"


def coverage(scope: Scope) -> str:
    """The share of the change that was read."""
    read = f"read {len(scope.files)} of {counted(scope.total_files, 'file')}"
    hunks = f"{scope.asked_hunks} of {counted(scope.total_hunks, 'hunk')}"
    reviewed = f"; {counted(scope.as_reviewed, 'file')} unchanged since the last review" if scope.as_reviewed else ""
    return f"{read}, {hunks}{reviewed}"


def _rechecked(delta: Delta, details: ReviewDetails) -> list[str]:
    """The number of earlier findings that were rechecked, where there are any."""
    before = len(delta.resolved) + len(delta.still_open) + len(delta.dismissed)
    left = f"; {details.not_asked_back} did not fit and stay open" if details.not_asked_back else ""
    return [f"- Rechecked: {details.asked_back} of {counted(before, 'finding')}{left}"] if before else []


def _how_it_was_read(details: ReviewDetails) -> list[str]:
    """The reviewers, how much was verified, and what there was no room to show or offer."""
    looked = f"; {counted(details.judged, 'finding')} verified" if details.judged else ""
    looked += f"; {counted(details.unjudged, 'finding')} not verified" if details.unjudged else ""
    read_by = [f"- Reviewers: {', '.join(details.reviewers)}{looked}"] if details.reviewers else []
    files = [*starmap(_guidance, details.guidance.items())]
    more = [f"and {counted(len(files) - _LISTED_GUIDANCE, 'more file')}"] if len(files) > _LISTED_GUIDANCE else []
    guidance = [f"- Guidance: {', '.join([*files[:_LISTED_GUIDANCE], *more])}"] if files else []
    missing = "; ".join(f"{times:,} × {what}" for what, times in details.left_out.items())
    left_out = [f"- Not shown to them: {markdown.line(missing)}"] if missing else []
    refused = "; ".join(f"{times} × {why}" for why, times in details.refused_replacements.items())
    replacements = [f"- Suggestion left out: {markdown.line(refused)}"] if refused else []
    return [*read_by, *guidance, *left_out, *replacements]


def _guidance(path: str, sections: tuple[int, int]) -> str:
    """A file of guidance, and how much of it was shown if that was not all."""
    shown, every = sections
    return f"{markdown.path(path)} ({shown} of {counted(every, 'section')})" if shown < every else markdown.path(path)


def _dismissed(settled: Sequence[FindingUpdate]) -> str:
    rows = []
    for each in settled:
        by = markdown.line(each.known.settled_by or "somebody")
        rows.append(f"- {words.name(each.finding)} -- {status_in_words(each.known.status)}, {by}")
    return f"Dismissed:\n\n{chr(10).join(rows)}" if rows else ""


def _short_reason(suppressed: SuppressedFinding) -> str:
    """The reason, of a less severe finding that the judge let go only the fate: the ledger has the reason."""
    is_enough = suppressed.fate in _BY_JUDGE and not suppressed.finding.is_severe
    return _FATES[suppressed.fate] if is_enough else short_text(_reason(suppressed), _REASON_WORDS)


def _reason(suppressed: SuppressedFinding) -> str:
    return ": ".join(filter(None, (_FATES.get(suppressed.fate), suppressed.reason)))


def _reasons(heading: str, findings: Sequence[SuppressedFinding], reason: Callable[[SuppressedFinding], str]) -> str:
    rows = [f"- {words.place(each.finding)} -- {markdown.line(reason(each))}" for each in findings]
    return f"{heading}:\n\n{chr(10).join(rows)}" if rows else ""


def _below(findings: Sequence[Finding], details: ReviewDetails) -> list[str]:
    """The number of findings that count and are not listed."""
    hidden = sum(not (each.blocks or each.is_older or is_shown(each, details.floor)) for each in findings)
    return [f"- Not listed: {hidden} below the severity floor {details.floor}"] if hidden else []


def _not_read(scope: Scope) -> str:
    unread_first = sorted(scope.skipped, key=lambda skipped: skipped.excused)
    rows = [f"- {markdown.path(each.path)} -- {_why(each)}" for each in unread_first[:_LISTED_FILES]]
    more = len(scope.skipped) - _LISTED_FILES
    if more > 0:
        rows.append(f"- and {counted(more, 'file')} more")
    return f"Not read:\n\n{chr(10).join(rows)}" if rows else ""


def _why(skipped: Skipped) -> str:
    return markdown.line(f"{skipped.reason}: {skipped.facts}" if skipped.facts else skipped.reason)
