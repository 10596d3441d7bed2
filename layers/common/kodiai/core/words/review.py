"""The review as the pull request's author reads it, composed from what was judged."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kodiai.core.changes.scope import Scope
from kodiai.core.findings.finding import SEVERITIES, Finding, Kind
from kodiai.core.findings.judge import Dropped, Judgement, Kept
from kodiai.core.findings.verdict import Verdict, verdict
from kodiai.core.words import markdown
from kodiai.core.words.markers import finding_marker, review_marker

BODY_LIMIT = 65_536
_LISTED_FILES = 100
_LONGEST_TITLE = 300
_LONGEST_EXPLANATION = 10_000
_FURTHER_LINE = re.compile(r"\n(?!\n)")


@dataclass(frozen=True)
class Telling:
    """What the composer needs beside the judgement: the model's words, and the facts of the run.

    `seconds` is how long the run took, `cost_usd` None where no price is known,
    `problems` sentences about the repository's settings and about what could not be done.
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


def review_body(scope: Scope, judgement: Judgement, telling: Telling) -> str:
    """Compose the first-review form, its details, and the marker that names run and head.

    At most 65,536 characters: where it would be longer, explanations, then the details, then all but the verdict
    give way, and it says so.
    """
    marker = review_marker(telling.run, telling.head)
    room = BODY_LIMIT - len(marker) - 2
    whole = _summary(scope, judgement, telling, explain=True)
    short = _summary(scope, judgement, telling, explain=False)
    all_details = details(scope, judgement, telling)
    least = markdown.folded("Kodiai Review Summary", f"## Verdict\n\n{verdict_line(judgement.findings, scope)}")
    forms = (
        _joined(whole, all_details),
        _joined(short, _cut("explanations"), all_details),
        _joined(short, _cut("explanations and the details")),
    )
    body = next((form for form in forms if len(form) <= room), _joined(least, _cut("findings and the details")))
    return f"{body}\n\n{marker}"


def _cut(what: str) -> str:
    return f"The {what} were left out: this review would have been longer than GitHub takes."


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _summary(scope: Scope, judgement: Judgement, telling: Telling, *, explain: bool) -> str:
    sections = [
        ("What Changed", _bullets(markdown.prose(text) for text in telling.what_changed) or _files_changed(scope)),
        ("Strengths", _bullets(f":white_check_mark: {markdown.line(text)}" for text in telling.strengths)),
        ("Observations", _observations(judgement.findings, explain)),
        ("Suggestions", _bullets(markdown.line(text) for text in telling.suggestions)),
        ("Verdict", verdict_line(judgement.findings, scope)),
    ]
    body = "\n\n".join(f"## {title}\n\n{text}" for title, text in sections if text)
    return markdown.folded("Kodiai Review Summary", body)


def _files_changed(scope: Scope) -> str:
    return f"{_counted(scope.total_files, 'file')}; the reviewer did not sum the change up."


def _bullets(texts: Iterable[str]) -> str:
    """List the texts; the further lines of each are indented, so that they stay in its item."""
    rows = [text for text in texts if text]
    if len(rows) == 1 and "\n" in rows[0]:
        return rows[0]
    return "\n".join(f"- {_FURTHER_LINE.sub(chr(10) + '  ', row)}" for row in rows)


def _observations(findings: Sequence[Finding], explain: bool) -> str:
    def group(kind: Kind, title: str) -> str:
        rows = [_observation(finding, explain) for finding in findings if finding.kind == kind]
        return f"### {title}\n\n" + "\n\n".join(rows) if rows else ""

    return _joined(group("impact", "Impact"), group("preference", "Preference"))


def _observation(finding: Finding, explain: bool) -> str:
    return f"{_place(finding)}\n{_explanation(finding)}".rstrip() if explain else _place(finding)


def _place(finding: Finding) -> str:
    return f"[{finding.severity}] {markdown.path(finding.path)} ({finding.lines}): {_title(finding)}"


def _title(finding: Finding) -> str:
    return markdown.line(_shortened(finding.title, _LONGEST_TITLE))


def _explanation(finding: Finding) -> str:
    explanation = markdown.prose(_shortened(finding.explanation, _LONGEST_EXPLANATION))
    if finding.kind == "impact" or not explanation:
        return explanation
    return f"Optional:{chr(10) if explanation.startswith('```') else ' '}{explanation}"


def _shortened(text: str, characters: int) -> str:
    """Cut a text before it is put into Markdown, so that no cut can open what was closed."""
    return text if len(text) <= characters else f"{text[:characters]}…"


def verdict_line(findings: Sequence[Finding], scope: Scope) -> str:
    """One line: the label, and why."""
    result = verdict(findings)
    return f"{_LABELS[result]} -- {_why(result, findings, scope)}"


_LABELS: dict[Verdict, str] = {
    "address-before-merging": ":red_circle: **Address before merging**",
    "minor-items": ":yellow_circle: **Ready to merge with minor items**",
    "ready": ":green_circle: **Ready to merge**",
}


def _why(result: Verdict, findings: Sequence[Finding], scope: Scope) -> str:
    if not findings and not scope.files:
        return "there was nothing to read"
    if result == "address-before-merging":
        blockers = Counter(finding.severity for finding in findings if finding.blocks)
        counts = [f"{blockers[severity]} {severity}" for severity in SEVERITIES if blockers[severity]]
        return f"{' and '.join(counts)} with impact"
    if result == "minor-items":
        return "1 finding, not blocking" if len(findings) == 1 else f"{len(findings)} findings, none of them blocking"
    return f"nothing found in {read_of(scope)}"


def read_of(scope: Scope) -> str:
    """What was read, in words."""
    read = len(scope.files)
    if read == scope.total_files:
        return "the one file" if read == 1 else f"all {read} files"
    return f"{read} of {_counted(scope.total_files, 'file')}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def details(scope: Scope, judgement: Judgement, telling: Telling) -> str:
    """What the run did and did not do, folded, the same for the same facts."""
    counts = Counter(finding.severity for finding in judgement.findings)
    found = ", ".join(f"{counts[severity]} {severity}" for severity in SEVERITIES if counts[severity]) or "none"
    cost = f"${telling.cost_usd:.4f}" if telling.cost_usd is not None else "price unknown"
    coverage = f"read {len(scope.files)} of {_counted(scope.total_files, 'file')}"
    hunks = f"{scope.asked_hunks} of {_counted(scope.total_hunks, 'hunk')}"
    tokens = f"{telling.input_tokens:,} tokens in ({telling.cached_tokens:,} from cache), {telling.output_tokens:,} out"
    rows = [
        f"- Mode: {scope.mode} ({scope.reason}), {scope.tier}",
        f"- Coverage: {coverage}, {hunks}",
        f"- Findings: {found}",
        *(f"- Problem: {markdown.line(problem)}" for problem in telling.problems),
        f"- Model: {', '.join(telling.models) or 'none'}, {tokens}, {cost}",
        f"- Time: {telling.seconds:.0f} s",
    ]
    lists = [_held_back(judgement.dropped), _not_read(scope)]
    return markdown.folded("Review Details", _joined("\n".join(rows), *lists))


def _held_back(dropped: Sequence[Dropped]) -> str:
    rows = [f"- {_place(drop.finding)} -- {drop.reason}" for drop in dropped]
    return f"Held back:\n\n{chr(10).join(rows)}" if rows else ""


def _not_read(scope: Scope) -> str:
    rows = [f"- {markdown.path(skipped.path)} -- {skipped.reason}" for skipped in scope.skipped[:_LISTED_FILES]]
    more = len(scope.skipped) - _LISTED_FILES
    if more > 0:
        rows.append(f"- and {_counted(more, 'file')} more")
    return f"Not read:\n\n{chr(10).join(rows)}" if rows else ""


def comment_body(kept: Kept, suggestion: str | None) -> str:
    """An inline comment: severity and title, the mechanism, the suggestion where one fits, the finding's marker.

    At most 65,536 characters: where it would be longer, the suggestion gives way.
    """
    finding = kept.finding
    title = f"**[{finding.severity}] {_title(finding)}**"
    block = markdown.fenced(suggestion, "suggestion") if suggestion is not None else ""
    whole = _joined(title, _explanation(finding), block, finding_marker(kept.id))
    return whole if len(whole) <= BODY_LIMIT else _joined(title, _explanation(finding), finding_marker(kept.id))
