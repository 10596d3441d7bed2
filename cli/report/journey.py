"""How a pull request developed, in a terminal: a row for each push and each reply, and a row for each finding."""

from collections.abc import Sequence

from rich.console import Group
from rich.table import Table
from rich.text import Text

from cli.report.lives import LEGEND, MARKS, Step, lives
from cli.report.result import Finding, Push, Reply, Result
from kodiai.core.findings.finding import SEVERITIES
from local.rendering.visible import visible_line

SHOWN_FINDINGS = 30
DOT = Text(" · ")
_SHORT = 7
_DELTA_STYLES = {"new": "bold", "resolved": "green", "still_open": "yellow", "settled": "dim"}
_STEP_STYLES: dict[Step, str] = {"opened": "bold", "open": "yellow", "fixed": "green", "settled": "dim"}


def severity(finding: Finding) -> tuple[str, str]:
    """The severity in brackets, and its style in the colours of `in_colours`."""
    name = visible_line(finding.severity)
    return f"[{name}]", f"markdown.{name.lower()}" if name in SEVERITIES else ""


def named(finding: Finding) -> Text:
    """Severity, path and title."""
    return Text.assemble(severity(finding), f" {visible_line(finding.path)}: {visible_line(finding.title)}")


def delta_parts(push: Push) -> list[Text]:
    """What is not zero of the delta."""
    return [Text(f"{number:,} {words}", _DELTA_STYLES[name]) for name, number, words in push.parts]


def pushes_table(result: Result) -> Table:
    """A row for each push: its head, its mode, its delta, whether anything was posted, its time; then its replies."""
    rows = Table.grid(padding=(0, 2, 0, 0))
    replies = list(result.replies())
    for number, push in enumerate(result.pushes, start=1):
        parts = delta_parts(push)
        if push.mode is None:
            parts.insert(0, Text(visible_line(push.silence), "dim"))
        elif push.review is None:
            parts.append(Text("nothing posted", "dim"))
        rows.add_row(
            f"  push {number}",
            Text(visible_line(push.head[:_SHORT]), "cyan"),
            Text(visible_line(push.mode or "skipped"), "" if push.review else "dim"),
            DOT.join(parts) if parts else Text("no findings"),
            Text(f"{push.seconds:.1f} s", "dim", justify="right"),
        )
        for after, reply, before in replies:
            if after == number - 1:
                rows.add_row(*_reply_row(reply, before))
    return rows


def _reply_row(reply: Reply, before: Sequence[Finding]) -> list[Text]:
    """Who spoke, what came of it, what was understood, how many findings it changed."""
    changed = len(reply.changes(before))
    parts = [Text(visible_line(reply.understood))] if reply.understood else []
    parts += [Text(f"{changed} finding{'s' if changed != 1 else ''} changed", "bold")] if changed else []
    return [
        Text("  reply", "dim"),
        Text(visible_line(reply.by)),
        Text(visible_line(reply.outcome)),
        DOT.join(parts),
        Text(f"{reply.seconds:.1f} s", "dim", justify="right"),
    ]


def lives_table(pushes: Sequence[Push]) -> Group:
    """A row for each finding: a column for each push with what it made of it, then its name."""
    followed = lives(pushes)
    rows = Table.grid(padding=(0, 1, 0, 0))
    rows.add_column(width=1)
    for _ in pushes:
        rows.add_column(width=len(str(len(pushes))), justify="right", no_wrap=True)
    rows.add_column(overflow="fold")
    rows.add_row("", *(Text(str(number), "dim") for number, _ in enumerate(pushes, start=1)), "")
    for life in followed[:SHOWN_FINDINGS]:
        marks = (Text(MARKS[step], _STEP_STYLES.get(step, "")) for step in life.steps)
        rows.add_row("", *marks, named(life.finding))
    legend = "  ".join(f"{MARKS[step]} {words}" for step, words in LEGEND.items())
    more = f"  and {len(followed) - SHOWN_FINDINGS} findings more\n" if len(followed) > SHOWN_FINDINGS else ""
    return Group("", rows, Text(f"{more}  {legend}", "dim"))
