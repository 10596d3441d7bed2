"""The verdict in words: the first line of a review, which is also the title of its check run, and its own section."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kodiai.core.changes.snapshot import Coverage
from kodiai.core.findings.finding import SEVERITIES, Finding
from kodiai.core.github.ci import CiResults
from kodiai.core.judge.delta import Delta, ReviewVerdict, Update
from kodiai.core.text import markdown
from kodiai.core.text.incoming import visible
from kodiai.core.text.layout import counted

OFFLINE = "Offline checks only: no verdict"
LABELS: dict[ReviewVerdict, tuple[str, str]] = {
    "address-before-merging": (":red_circle:", "Address before merging"),
    "not-fully-reviewed": (":yellow_circle:", "Not fully reviewed"),
    "nothing-to-read": (":white_circle:", "Nothing to read"),
    "nothing-blocking": (":yellow_circle:", "Nothing blocking in what was read"),
    "minor-items": (":yellow_circle:", "Ready to merge with minor items"),
    "ready": (":green_circle:", "Ready to merge"),
    "no-verdict": (":white_circle:", OFFLINE),
    "ci-red": (":yellow_circle:", "CI is red"),
}
"""The emoji and the words of each verdict."""
_UPDATES: dict[Update, tuple[str, str]] = {
    "new-blockers": (":red_circle:", "New blockers found"),
    "blockers-still-open": (":red_circle:", "Blockers still open"),
    "blockers-resolved": (":green_circle:", "Blockers resolved"),
    "still-ready": (":large_blue_circle:", "Still ready"),
}
"""The movement of the verdict; any other update is named by the verdict itself."""
_MOST_NAMED = 3
_LONGEST_CHECK_NAME = 60
_COUNTED = frozenset({"lock file", "generated file"})
_CLEAR = frozenset({"", "binary file"})


@dataclass(frozen=True)
class Headline:
    """The verdict with its counts, on one line, as plain text: checks have the names that others give them."""

    emoji: str
    label: str
    counts: tuple[str, ...]

    @property
    def markdown(self) -> str:
        """The line as Markdown."""
        return " · ".join((f"{self.emoji} **{markdown.line(self.label)}**", *map(markdown.line, self.counts)))

    @property
    def plain(self) -> str:
        """The line where Markdown is not rendered."""
        return " · ".join((self.label, *self.counts))


def headline(delta: Delta) -> Headline:
    """The verdict over everything that is open, and how many findings there are of each severity."""
    return Headline(*_label(delta), (*_counts(delta), *_red_beside(delta)))


def _counts(delta: Delta) -> list[str]:
    coverage, counts = delta.coverage, _open_counts(delta.open_findings)
    match delta.findings_verdict:
        case "address-before-merging":
            counts = _blocking_first(delta.open_findings)
            counts += [unread] if (unread := not_read(coverage)) else []
        case "not-fully-reviewed":
            counts = [read_of(coverage), *_hidden(coverage), *counts]
        case "nothing-to-read":
            counts = [_nothing_to_read(coverage), *counts]
        case "nothing-blocking":
            counts = [read_of(coverage), *counts]
        case "ready":
            counts = [f"nothing found in {counted(coverage.read, 'file')}"]
        case "no-verdict":
            counts = counts or [f"nothing found in {counted(coverage.read, 'file')}"]
    return counts


def headline_again(delta: Delta) -> Headline:
    """The movement of the verdict, and the numbers of findings that are new, more severe, resolved, dismissed and open.

    It is red while anything open blocks.
    """
    new = [each.finding for each in delta.new]
    numbers = {
        "new": sum(not each.is_older for each in new),
        "more severe": delta.raised,
        "resolved": len(delta.resolved),
        "dismissed": len(delta.dismissed),
        "still open": len(delta.still_open),
    }
    blocking, partly = sum(each.blocks for each in new), sum(each.transition == "partly" for each in delta.still_open)
    notes = {
        "new": f" ({blocking} blocking)" if 0 < blocking < numbers["new"] else "",
        "still open": f" ({partly} partly fixed)" if partly else "",
    }
    counts = [f"{number} {what}{notes.get(what, '')}" for what, number in numbers.items() if number]
    counts += _older(new)
    match delta.update:
        case "new-blockers" | "blockers-still-open":
            counts += [unread] if (unread := not_read(delta.coverage)) else []
        case "blockers-resolved":
            counts = ["ready to merge", *counts]
        case "still-ready":
            counts = counts or ["no new findings"]
        case "not-fully-reviewed" | "nothing-blocking" | "ci-red" if not delta.coverage.is_whole:
            counts = [read_of(delta.coverage), *_hidden(delta.coverage), *counts]
    return Headline(*_moved(delta), (*(counts or _counts(delta)), *_red_beside(delta)))


def _moved(delta: Delta) -> tuple[str, str]:
    return _UPDATES.get(delta.update) or _label(delta)


def _label(delta: Delta) -> tuple[str, str]:
    emoji, label = LABELS[delta.verdict]
    return emoji, ci_is_red(delta.ci) if delta.verdict == "ci-red" else label


def _red_beside(delta: Delta) -> list[str]:
    """The failed checks in addition to another verdict."""
    return [ci_is_red(delta.ci)] if delta.ci.is_red and delta.verdict != "ci-red" else []


def ci_is_red(ci: CiResults) -> str:
    """The failed checks by name, as plain text: those that are required, if any is."""
    checks = ci.failed_required or ci.failed
    names = list(dict.fromkeys(_check_name(check.name) for check in checks))
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"CI is red ({', '.join(names[:_MOST_NAMED])}{more}{'' if ci.failed_required else ', not required'})"


def _check_name(name: str) -> str:
    name = " ".join(visible(name).split())
    return name if len(name) <= _LONGEST_CHECK_NAME else f"{name[:_LONGEST_CHECK_NAME]}…"


def _open_counts(findings: Sequence[Finding]) -> list[str]:
    """The number of each severity; severe problems that are older than the change are counted separately."""
    brought = ", ".join(_by_severity(finding for finding in findings if not finding.is_older))
    return [*([brought.lower()] if brought else []), *_older(findings)]


def _blocking_first(findings: Sequence[Finding]) -> list[str]:
    """The same, and which of them do not block: "1 major · not blocking: 2 medium"."""
    rest = _open_counts([each for each in findings if not (each.blocks or each.is_older)])
    blocking = _open_counts([each for each in findings if each.blocks])
    return [*blocking, *(f"not blocking: {each}" for each in rest), *_older(findings)]


def _older(findings: Iterable[Finding]) -> list[str]:
    """The severe problems that are older than the change: "1 older MAJOR, not from this change"."""
    counts = [each.replace(" ", " older ") for each in _by_severity(each for each in findings if each.is_older)]
    return [f"{', '.join(counts)}, not from this change"] if counts else []


def verdict_line(delta: Delta) -> str:
    """The section's line: the label, and why."""
    return _line(delta, _label(delta), _why(delta))


def verdict_update(delta: Delta) -> str:
    """The section's line of a re-review: how the verdict moved, over everything that is still open."""
    return _line(delta, _moved(delta), _why_moved(delta))


def _line(delta: Delta, label: tuple[str, str], why: str) -> str:
    emoji, words = label
    return f"{emoji} **{markdown.line(words)}** -- {'; '.join((why, *map(markdown.line, _red_beside(delta))))}"


def _why_moved(delta: Delta) -> str:
    match delta.update:
        case "new-blockers":
            earlier = delta.unchanged_blockers
            also = f" and {earlier} that {'was' if earlier == 1 else 'were'} open before" if earlier else ""
            return f"Address {counted(delta.new_blockers, 'new finding')}{also}{and_not_read(delta.coverage)}"
        case "blockers-still-open":
            verb = "blocks" if delta.earlier_blockers == 1 else "block"
            return f"{counted(delta.earlier_blockers, 'earlier finding')} still {verb}{and_not_read(delta.coverage)}"
        case "blockers-resolved":
            return "Ready to merge"
        case "still-ready":
            return _new_below_blocking([each.finding for each in delta.new])
    return _why(delta)


def _new_below_blocking(new: Sequence[Finding]) -> str:
    brought = sum(not each.is_older for each in new)
    counts = [f"{brought} new, none of them blocking"] if brought else []
    return "; ".join((*counts, *_older(new))) or "No new findings"


def _why(delta: Delta) -> str:
    findings, coverage = delta.open_findings, delta.coverage
    also = f"; {_not_blocking(findings)}" if findings else ""
    match delta.findings_verdict:
        case "address-before-merging":
            *others, last = _by_severity(finding for finding in findings if finding.blocks)
            blocking = " and ".join((*others, f"{last} finding{'' if last.startswith('1 ') else 's'}"))
            return f"{blocking}{and_not_read(coverage)}"
        case "not-fully-reviewed":
            return f"{', '.join((read_of(coverage), *_hidden(coverage)))}{also}"
        case "nothing-to-read":
            return f"{_nothing_to_read(coverage)}{also}"
        case "nothing-blocking":
            return f"{read_of(coverage)}{also}"
        case "minor-items":
            return _not_blocking(findings)
        case "no-verdict":
            return "no model has read this change"
    return f"nothing found in {counted(coverage.read, 'file')}"


def _not_blocking(findings: Sequence[Finding]) -> str:
    return "1 finding, not blocking" if len(findings) == 1 else f"{len(findings)} findings, none of them blocking"


def _by_severity(findings: Iterable[Finding]) -> list[str]:
    """The number of findings of each severity: "1 CRITICAL", "2 MEDIUM"."""
    counts = Counter(finding.severity for finding in findings)
    return [f"{counts[severity]} {severity}" for severity in SEVERITIES if counts[severity]]


def _nothing_to_read(coverage: Coverage) -> str:
    return "no changed file can be read" if coverage.not_read else "no changed file needs to be read"


def _hidden(coverage: Coverage) -> list[str]:
    return [f"{len(coverage.hidden):,} not visible on GitHub"] if coverage.hidden else []


def read_of(coverage: Coverage) -> str:
    """The share of the changed files that was read so far, without those that the settings skip."""
    return f"read {coverage.read:,} of {counted(coverage.read + max(coverage.unread, len(coverage.not_read)), 'file')}"


def not_read(coverage: Coverage) -> str:
    """The number of files that were not read, "" where all were."""
    verb = "was" if coverage.unread == 1 else "were"
    return f"{counted(coverage.unread, 'file')} {verb} not read" if coverage.unread else ""


def and_not_read(coverage: Coverage) -> str:
    """The same as the end of a sentence."""
    return f"; {unread}" if (unread := not_read(coverage)) else ""


def unread_files(coverage: Coverage) -> str:
    """The files that were not read, and those of which GitHub shows nobody what changed, in a line of Markdown each.

    Copies and what programs write are counted, so that the line stays short; "" where nothing is to be named.
    """
    kinds: dict[str, list[str]] = {}
    for path, kind in coverage.not_read:
        kinds.setdefault(kind, []).append(path)
    named = [name for kind, paths in sorted(kinds.items()) for name in _named(kind, paths)]
    hidden = [f"{markdown.path(path)} ({why})" for path, why in coverage.hidden]
    lines = (("Not read", named), ("Not visible on GitHub", _some(hidden, "file")))
    return "\n\n".join(f"{title}: {', '.join(names)}." for title, names in lines if names)


def _named(kind: str, paths: Sequence[str]) -> list[str]:
    """Files of one kind: those that need to be read and few others by their paths, many by their number."""
    if kind.endswith("/"):
        name = markdown.path(kind[:-1])
        folder = f"{name}/" if name == kind[:-1] else markdown.path(kind)
        return [f"{counted(len(paths), 'file')} in {folder}"]
    if kind in _COUNTED or (kind and len(paths) > _MOST_NAMED):
        return [counted(len(paths), kind)]
    note = "" if kind in _CLEAR else f" ({kind})"
    return _some([f"{markdown.path(path)}{note}" for path in paths], "file")


def _some(names: Sequence[str], what: str) -> list[str]:
    more = len(names) - _MOST_NAMED
    return [*names[:_MOST_NAMED], *([counted(more, f"more {what}")] if more > 0 else [])]
