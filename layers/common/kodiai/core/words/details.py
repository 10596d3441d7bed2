"""Review Details: what a run did and did not do, the same for the same facts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kodiai.core.changes.coverage import Coverage
from kodiai.core.changes.scope import Scope
from kodiai.core.findings.delta import Delta
from kodiai.core.findings.finding import SEVERITIES, Finding, Severity
from kodiai.core.findings.judge import Dropped, is_shown
from kodiai.core.findings.lifecycle import Followed
from kodiai.core.words import finding as words
from kodiai.core.words import markdown

OFFLINE = "Offline checks only: no verdict"
"""What a review by checks without a model says where it would say its verdict."""
_LISTED_FILES = 100


@dataclass(frozen=True)
class Telling:
    """What the composer needs beside the findings: the model's words, and the facts of the run.

    `seconds` is how long the run took, `cost_usd` None where no price is known,
    `problems` sentences about the repository's settings and about what could not be done,
    `asked_back` how many findings of before the model was asked about, `not_asked_back` how many there was no room for,
    `judged` how many findings the judge ruled on and `unjudged` how many it did not, `floor` the least severity that
    is shown, `left_out` what there was no room to show the reviewers, `refused_replacements` how many replacements are
    not offered, by reason. `offline` is whether only checks ran, and no model: nothing of the run counts as a reviewer,
    a judge or tokens, and there is no verdict.
    """

    run: str
    head: str
    what_changed: Sequence[str]
    strengths: Sequence[str]
    suggestions: Sequence[str]
    problems: Sequence[str]
    models: Sequence[str]
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost_usd: float | None
    seconds: float
    asked_back: int = 0
    not_asked_back: int = 0
    reviewers: Sequence[str] = ()
    judged: int = 0
    unjudged: int = 0
    floor: Severity = "MINOR"
    left_out: Mapping[str, int] = field(default_factory=dict)
    refused_replacements: Mapping[str, int] = field(default_factory=dict)
    offline: bool = False

    def verdict(self, line: str) -> str:
        """The verdict's line, or that there is none where no model has read the change."""
        return f":white_circle: **{OFFLINE}**" if self.offline else line


def details(scope: Scope, delta: Delta, dropped: Sequence[Dropped], telling: Telling) -> str:
    """Fold everything that a person may want to know of the run and need not read."""
    rows = [
        f"- Mode: {scope.mode} ({scope.reason}), {scope.tier}",
        f"- Coverage: {coverage(scope)}",
        f"- Findings: {severities(delta.open_findings) or 'none'}{_below(delta.open_findings, telling)}",
        *_since_last_time(delta, telling),
        *_how_it_was_read(telling),
        *(f"- Problem: {markdown.line(problem)}" for problem in telling.problems),
        f"- Model: {_model(telling)}",
        f"- Time: {telling.seconds:.0f} s",
    ]
    lists = [_settled(delta.settled), _dropped(dropped), _not_read(scope)]
    return markdown.folded("Review Details", words.joined("\n".join(rows), *lists))


def _model(telling: Telling) -> str:
    """Which models were asked, what they read and wrote, and what that cost."""
    if telling.offline:
        return "none (offline checks)"
    cost = f"${telling.cost_usd:.4f}" if telling.cost_usd is not None else "price unknown"
    tokens = f"{telling.input_tokens:,} tokens in ({telling.cached_tokens:,} from cache), {telling.output_tokens:,} out"
    return f"{', '.join(telling.models) or 'none'}, {tokens}, {cost}"


def coverage(scope: Scope) -> str:
    """What was read of what there is."""
    read = f"read {len(scope.files)} of {words.counted(scope.total_files, 'file')}"
    hunks = f"{scope.asked_hunks} of {words.counted(scope.total_hunks, 'hunk')}"
    stands = f"; {words.counted(scope.as_reviewed, 'file')} as reviewed before" if scope.as_reviewed else ""
    return f"{read}, {hunks}{stands}"


def files(number: int) -> str:
    """How many files, in words that may be many."""
    return f"{number:,} file" if number == 1 else f"{number:,} files"


def read_of(coverage: Coverage) -> str:
    """How many of the files that need to be read were read so far."""
    return f"read {coverage.read:,} of {files(coverage.read + coverage.unread)}"


def not_read(coverage: Coverage) -> str:
    """The end of a sentence: how many files were not read, nothing where all were."""
    if not coverage.unread:
        return ""
    return f"; {files(coverage.unread)} {'was' if coverage.unread == 1 else 'were'} not read"


def severities(findings: Sequence[Finding]) -> str:
    """How many findings there are of each severity."""
    counts = Counter(finding.severity for finding in findings)
    return ", ".join(f"{counts[severity]} {severity}" for severity in SEVERITIES if counts[severity])


def _since_last_time(delta: Delta, telling: Telling) -> list[str]:
    """What became of what was told before, where anything was."""
    before = len(delta.resolved) + len(delta.still_open) + len(delta.settled)
    if not before:
        return []
    counts = ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in delta.counts.items())
    left = f"; not shown, and still open: {telling.not_asked_back}" if telling.not_asked_back else ""
    return [
        f"- Since the last review: {counts}",
        f"- Asked back: {telling.asked_back} of {words.counted(before, 'finding')}{left}",
    ]


def _how_it_was_read(telling: Telling) -> list[str]:
    """Who read it, how much was judged, and what there was no room to show or offer."""
    looked = f"; {words.counted(telling.judged, 'finding')} judged" if telling.judged else ""
    looked += f"; {words.counted(telling.unjudged, 'finding')} not verified" if telling.unjudged else ""
    is_read = telling.reviewers and not telling.offline
    read_by = [f"- Reviewers: {', '.join(telling.reviewers)}{looked}"] if is_read else []
    missing = "; ".join(f"{times:,} × {what}" for what, times in telling.left_out.items())
    left_out = [f"- Not shown to them: {markdown.line(missing)}"] if missing and not telling.offline else []
    refused = "; ".join(f"{times} × {why}" for why, times in telling.refused_replacements.items())
    replacements = [f"- Suggestions not offered: {markdown.line(refused)}"] if refused else []
    return [*read_by, *left_out, *replacements]


def _settled(settled: Sequence[Followed]) -> str:
    rows = [f"- {words.name(each.finding)} -- {_how(each)}" for each in settled]
    return f"Settled by people:\n\n{chr(10).join(rows)}" if rows else ""


def _how(each: Followed) -> str:
    who = markdown.line(each.known.settled_by or "somebody")
    return f"{each.known.status.replace('_', ' ')}, {who}"


def _dropped(dropped: Sequence[Dropped]) -> str:
    rows = [f"- {words.place(drop.finding)} -- {_fate(drop)}{markdown.line(drop.reason)}" for drop in dropped]
    return f"Dropped:\n\n{chr(10).join(rows)}" if rows else ""


def _below(findings: Sequence[Finding], telling: Telling) -> str:
    """How many findings count and are not listed."""
    hidden = sum(not (each.blocks or is_shown(each, telling.floor)) for each in findings)
    return f"; {hidden} below the severity floor {telling.floor}, not listed" if hidden else ""


def _fate(dropped: Dropped) -> str:
    """The fate in words, where the reason does not say it."""
    return (
        f"{dropped.fate.replace('-', ' ')}: "
        if dropped.fate in ("wrong", "not-from-this-change", "not-worth-it")
        else ""
    )


def _not_read(scope: Scope) -> str:
    unread_first = sorted(scope.skipped, key=lambda skipped: skipped.excused)
    rows = [f"- {markdown.path(skipped.path)} -- {skipped.reason}" for skipped in unread_first[:_LISTED_FILES]]
    more = len(scope.skipped) - _LISTED_FILES
    if more > 0:
        rows.append(f"- and {words.counted(more, 'file')} more")
    return f"Not read:\n\n{chr(10).join(rows)}" if rows else ""
