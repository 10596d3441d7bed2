"""The summary of a pull request in a terminal: a row for each push and each reply, and a row for each finding."""

from collections.abc import Sequence

from rich.console import Console, Group
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from cli.finding_history import LEGEND, MARKS, Change, finding_histories
from cli.results import Finding, Push, Reply, Result
from cli.terminal_markdown import review_colors
from kodiai.core.findings.finding import SEVERITIES
from local.rendering.labels import counted, duration, short_sha
from local.rendering.visible import visible_line

SHOWN_FINDINGS = 30
DOT = Text(" · ")
CHANGE_STYLES: dict[Change, str] = {"new": "bold", "open": "yellow", "resolved": "green", "dismissed": "dim"}
_COUNT_STYLES = {"new": "bold", "resolved": "green", "still_open": "yellow", "settled": "dim"}


def print_summary(result: Result, console: Console) -> None:
    """Print a line for each push and reply, then how each finding changed over the pushes."""
    with review_colors(console):
        console.print(Rule(style="dim"))
        title = Text.assemble((visible_line(f"{result.repository}#{result.pull_request}"), "bold"), "  ")
        console.print(title.append(visible_line(result.title)))
        console.print(_pushes(result))
        if len(result.pushes) > 1 and any(push.findings for push in result.pushes):
            console.print(_histories(result.pushes))


def severity(finding: Finding) -> tuple[str, str]:
    """The severity in brackets, and its style among the `review_colors`."""
    name = visible_line(finding.severity)
    return f"[{name}]", f"markdown.{name.lower()}" if name in SEVERITIES else ""


def finding_line(finding: Finding) -> Text:
    """Severity, path and title."""
    return Text.assemble(severity(finding), f" {visible_line(finding.path)}: {visible_line(finding.title)}")


def counts(push: Push) -> list[Text]:
    """The numbers of the delta that are not zero."""
    return [Text(words, _COUNT_STYLES[name]) for name, words in push.labeled_counts.items()]


def _pushes(result: Result) -> Table:
    """A row for each push: its head, mode, delta, whether anything was posted, and time; then its replies."""
    rows = Table.grid(padding=(0, 2, 0, 0))
    replies = list(result.replies())
    for number, push in enumerate(result.pushes):
        parts = counts(push)
        if push.mode is None:
            parts.insert(0, Text(visible_line(push.silence), "dim"))
        elif push.review is None:
            parts.append(Text("nothing posted", "dim"))
        rows.add_row(
            f"  push {number + 1}",
            Text(visible_line(short_sha(push.head)), "cyan"),
            Text(visible_line(push.mode or "skipped"), "" if push.review else "dim"),
            DOT.join(parts) if parts else Text("no findings"),
            Text(duration(push.seconds), "dim", justify="right"),
        )
        for after, reply, before in replies:
            if after == number:
                rows.add_row(*_reply(reply, before))
    return rows


def _reply(reply: Reply, before: Sequence[Finding]) -> list[Text]:
    """Who replied, the outcome, what was understood, how many findings it changed."""
    changed = len(reply.changes(before))
    parts = [Text(visible_line(reply.understood))] if reply.understood else []
    parts += [Text(f"{counted(changed, 'finding')} changed", "bold")] if changed else []
    return [
        Text("  reply", "dim"),
        Text(visible_line(reply.by)),
        Text(visible_line(reply.outcome)),
        DOT.join(parts),
        Text(duration(reply.seconds), "dim", justify="right"),
    ]


def _histories(pushes: Sequence[Push]) -> Group:
    """A row for each finding: a column for each push with what it changed, then the finding."""
    histories = finding_histories(pushes)
    rows = Table.grid(padding=(0, 1, 0, 0))
    rows.add_column(width=1)
    for _ in pushes:
        rows.add_column(width=len(str(len(pushes))), justify="right", no_wrap=True)
    rows.add_column(overflow="fold")
    rows.add_row("", *(Text(str(number), "dim") for number, _ in enumerate(pushes, start=1)), "")
    for history in histories[:SHOWN_FINDINGS]:
        marks = (Text(MARKS[change], CHANGE_STYLES.get(change, "")) for change in history.changes)
        rows.add_row("", *marks, finding_line(history.finding))
    legend = "  ".join(f"{MARKS[change]} {words}" for change, words in LEGEND.items())
    more = f"  and {len(histories) - SHOWN_FINDINGS} more findings\n" if len(histories) > SHOWN_FINDINGS else ""
    return Group("", rows, Text(f"{more}  {legend}", "dim"))
