"""The two forms of the review as the pull request's author reads it, composed from what was judged."""

from collections import Counter
from collections.abc import Callable, Sequence

from kodiai.core.changes.scope import Scope
from kodiai.core.findings.delta import Delta
from kodiai.core.findings.finding import SEVERITIES, Finding, Kind
from kodiai.core.findings.judge import Dropped, is_shown
from kodiai.core.findings.lifecycle import Followed
from kodiai.core.findings.verdict import Verdict
from kodiai.core.words import finding as words
from kodiai.core.words import markdown
from kodiai.core.words.details import Telling, details, files, not_read, read_of
from kodiai.core.words.markers import review_marker

_FIRST = "Kodiai Review Summary"
_AGAIN = "Kodiai Re-Review Summary"
_MOST_ALONG = 2


def first_review(scope: Scope, delta: Delta, dropped: Sequence[Dropped], telling: Telling) -> str:
    """Compose the first-review form over everything that is open, its details, and the marker of run and head."""

    def summary(*, explain: bool) -> str:
        sections = [
            ("What Changed", _what_changed(scope, telling)),
            ("Strengths", words.bullets(f":white_check_mark: {markdown.line(text)}" for text in telling.strengths)),
            ("Observations", _observations(_shown(delta.open_findings, telling), explain)),
            ("Found Along the Way", _along_the_way(delta.open_findings, explain)),
            ("Suggestions", words.bullets(markdown.line(text) for text in telling.suggestions)),
            ("Verdict", telling.verdict(verdict_line(delta))),
        ]
        return _sections(_FIRST, sections)

    least = _sections(_FIRST, [("Verdict", telling.verdict(verdict_line(delta)))])
    return _fitting(summary, least, details(scope, delta, dropped, telling), telling)


def re_review(scope: Scope, delta: Delta, dropped: Sequence[Dropped], telling: Telling, last_head: str) -> str:
    """Compose the delta form: only what has changed since `last_head`, and the verdict over everything that is open."""
    since = (f"Re-review -- Changes since {last_head[:7]}", "")
    verdict = ("Verdict Update", telling.verdict(verdict_update(delta)))

    def summary(*, explain: bool) -> str:
        found = [kept.finding for kept in delta.new]
        new = (f":new: {words.told(finding, explain=explain)}" for finding in _shown(found, telling))
        sections = [
            since,
            ("What Changed", _what_changed(scope, telling)),
            ("New Findings", words.joined(*new)),
            ("Found Along the Way", _along_the_way(found, explain)),
            ("Resolved Findings", _resolved(delta.resolved)),
            ("Still Open", _still_open(delta.still_open)),
            verdict,
        ]
        return _sections(_AGAIN, sections)

    least = _sections(_AGAIN, [since, verdict])
    return _fitting(summary, least, details(scope, delta, dropped, telling), telling)


def _shown(findings: Sequence[Finding], telling: Telling) -> list[Finding]:
    """What is listed: as severe as the repository wants it, or blocking. Older problems have their own section."""
    wanted = (finding for finding in findings if not _was_found_along(finding))
    return [finding for finding in wanted if finding.blocks or is_shown(finding, telling.floor)]


def _was_found_along(finding: Finding) -> bool:
    return finding.pre_existing and finding.is_severe


def _along_the_way(findings: Sequence[Finding], explain: bool) -> str:
    """The most severe problems that were there before; the others are left to the ledger."""
    found = [finding for finding in findings if _was_found_along(finding)]
    return "\n\n".join(words.told(finding, explain=explain) for finding in found[:_MOST_ALONG])


def _fitting(summary: Callable[..., str], least: str, all_details: str, telling: Telling) -> str:
    """At most 65,536 characters: explanations, then the details, then all but the verdict give way, and it says so."""
    marker = review_marker(telling.run, telling.head)
    room = words.BODY_LIMIT - len(marker) - 2
    short = summary(explain=False)
    forms = (
        words.joined(summary(explain=True), all_details),
        words.joined(short, _cut("explanations"), all_details),
        words.joined(short, _cut("explanations and the details")),
    )
    body = next((form for form in forms if len(form) <= room), words.joined(least, _cut("findings and the details")))
    return f"{body}\n\n{marker}"


def _cut(what: str) -> str:
    return f"The {what} were left out: this review would have been longer than GitHub takes."


def _sections(summary: str, sections: Sequence[tuple[str, str]]) -> str:
    """Fold the sections; an empty one is left out, but for the title of a re-review."""
    titled = [words.joined(f"## {title}", text) for title, text in sections if text or title.startswith("Re-review")]
    return markdown.folded(summary, words.joined(*titled))


def _what_changed(scope: Scope, telling: Telling) -> str:
    said = words.bullets(markdown.prose(text) for text in telling.what_changed)
    if said:
        return said
    if not scope.files:
        return f"{words.counted(len(scope.skipped), 'file')}, not read."
    return f"{words.counted(len(scope.files), 'file')}; the reviewer did not sum the change up."


def _observations(findings: Sequence[Finding], explain: bool) -> str:
    def group(kind: Kind, title: str) -> str:
        rows = [words.told(finding, explain=explain) for finding in findings if finding.kind == kind]
        return f"### {title}\n\n" + "\n\n".join(rows) if rows else ""

    return words.joined(group("impact", "Impact"), group("preference", "Preference"))


def _resolved(resolved: Sequence[Followed]) -> str:
    return words.joined(*(f":white_check_mark: {words.name(each.finding)} -- resolved" for each in resolved))


def _still_open(still_open: Sequence[Followed]) -> str:
    if not still_open:
        return ""
    count = f"{words.counted(len(still_open), 'finding')} of before."
    return words.joined(count, markdown.folded("Which ones", still_open_list(still_open)))


def still_open_list(still_open: Sequence[Followed]) -> str:
    """A line for each finding that is still open; whoever wrote the code may see it otherwise."""
    rows = (f"- {words.name(each.finding)}{_DISAGREES if each.author_disagrees else ''}" for each in still_open)
    return "\n".join(rows)


_DISAGREES = " -- the author disagrees"


def verdict_line(delta: Delta) -> str:
    """One line: the label, and why."""
    return f"{_LABELS[delta.verdict]} -- {_why(delta)}"


_LABELS: dict[Verdict, str] = {
    "address-before-merging": ":red_circle: **Address before merging**",
    "not-fully-reviewed": ":yellow_circle: **Not fully reviewed**",
    "nothing-to-read": ":white_circle: **Nothing to read**",
    "minor-items": ":yellow_circle: **Ready to merge with minor items**",
    "ready": ":green_circle: **Ready to merge**",
}


def verdict_update(delta: Delta) -> str:
    """One line: how the verdict moved, over everything that is still open."""
    match delta.update:
        case "new-blockers":
            said = f":yellow_circle: **New blockers found** -- Address {delta.new_blockers} new issue(s)"
            return said + not_read(delta.coverage)
        case "blockers-still-open":
            said = f":yellow_circle: **Blockers still open** -- {delta.old_blockers} from before"
            return said + not_read(delta.coverage)
        case "not-fully-reviewed" | "nothing-to-read" | "fully-reviewed":
            return verdict_line(delta)
        case "blockers-resolved":
            return ":green_circle: **Blockers resolved** -- Ready to merge"
    new = f"{len(delta.new)} new, none of them blocking" if delta.new else "No new issues"
    return f":large_blue_circle: **Still ready** -- {new}"


def _why(delta: Delta) -> str:
    findings, coverage = delta.open_findings, delta.coverage
    match delta.verdict:
        case "address-before-merging":
            blockers = Counter(finding.severity for finding in findings if finding.blocks)
            counts = [f"{blockers[severity]} {severity}" for severity in SEVERITIES if blockers[severity]]
            return f"{' and '.join(counts)} with impact{not_read(coverage)}"
        case "not-fully-reviewed":
            return f"{read_of(coverage)}{_also_open(findings)}"
        case "nothing-to-read":
            return f"no changed file needs to be read{_also_open(findings)}"
        case "minor-items":
            return _not_blocking(findings)
    return f"nothing found in {files(coverage.read)}"


def _also_open(findings: Sequence[Finding]) -> str:
    return f"; {_not_blocking(findings)}" if findings else ""


def _not_blocking(findings: Sequence[Finding]) -> str:
    return "1 finding, not blocking" if len(findings) == 1 else f"{len(findings)} findings, none of them blocking"
