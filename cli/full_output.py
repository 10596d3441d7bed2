"""The output of `kodiai review --full`: each push with its complete review, and each reply."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from cli.results import Comment, Diff, Finding, Push, Reply, commented_lines
from cli.summary_output import DOT, SHOWN_FINDINGS, counts, finding_line
from cli.terminal_markdown import ReviewText, review_colors
from kodiai.core.model.messages import Usage
from local.rendering.labels import counted, duration, short_sha, token_counts
from local.rendering.visible import visible_line

_SHOWN_LINES = 8
_SHOWN_SKIPPED = 12
_MARKS = {"+": "green", "-": "red", " ": "dim"}


def print_push(push: Push, console: Console, diff: Diff, title: str = "Push") -> None:
    """Print one push: its review as it was posted, the inline comments below their code in `diff`, a line of figures.

    Nothing in it can move the cursor or color what follows.
    """
    heading = Text.assemble((visible_line(title), "bold"), " · ", (visible_line(short_sha(push.head)), "cyan"))
    if push.base:
        heading.append(" onto ").append(visible_line(short_sha(push.base)), "cyan")
    with review_colors(console):
        console.print(Rule(heading.append(f" · {visible_line(push.scope)}"), align="left", style="dim"))
        for part in _push(push, diff):
            console.print(part)


def print_reply(reply: Reply, console: Console, before: Sequence[Finding]) -> None:
    """Print a reply, what was understood and answered, and which findings have another status than `before`."""
    with review_colors(console):
        for part in _reply(reply, before):
            console.print(part)


def _reply(reply: Reply, before: Sequence[Finding]) -> Iterator[RenderableType]:
    """The text, quoted as in a mail; then, indented, what followed."""
    role = f" ({visible_line(reply.role)})" if reply.role else ""
    yield Text.assemble("\n", (visible_line(reply.by), "bold"), f"{role} on {visible_line(reply.place)}:")
    yield Text("\n".join(f"> {visible_line(line)}" for line in reply.text.splitlines()), "italic")
    understood = f"understood: {visible_line(reply.understood)} · " if reply.understood else ""
    why = f": {visible_line(reply.why)}" if reply.why else ""
    yield _indented(Text(f"\n{understood}{visible_line(reply.outcome)}{why}", "dim"))
    if reply.answer:
        yield Text("")
        yield _indented(ReviewText(reply.answer))
    if reply.reactions:
        yield _indented(Text(f"\nreactions: {visible_line(reply.emoji)}"))
    if changes := reply.changes(before):
        yield _indented(Text("\n" + "\n".join(visible_line(change) for change in changes), "bold"))
    if reply.model.calls:
        yield _indented(Text(f"\n{_model(reply.model)} · {duration(reply.seconds)}", "dim"))
    yield Text("")


def _push(push: Push, diff: Diff) -> Iterator[RenderableType]:
    if push.review is None:
        yield Text(f"Nothing was posted: {visible_line(push.silence)}.", "dim")
        if push.open_findings:
            lines = [finding_line(finding) for finding in push.open_findings]
            yield _listed("Still open", lines, SHOWN_FINDINGS)
    else:
        yield ReviewText(push.review.body)
        for path, comments in groupby(push.review.in_order, lambda comment: comment.path):
            yield _file(path, list(comments), diff)
    parts = counts(push)
    if push.threads_resolved:
        parts.append(Text(f"{counted(len(push.threads_resolved), 'thread')} resolved", "dim"))
    if parts:
        yield Text("\n").append_text(DOT.join(parts))
    if push.skipped:
        lines = [Text(f"{visible_line(file.path)}  {visible_line(file.reason)}") for file in push.skipped]
        yield _listed("Files skipped", lines, _SHOWN_SKIPPED, "dim")
    yield Text(f"\n{_figures(push)}\n", "dim")


def _file(path: str, comments: Sequence[Comment], diff: Diff) -> RenderableType:
    parts: list[RenderableType] = [Text(f"\n{visible_line(path)}", "bold underline")]
    for comment in comments:
        original = [line.text for line in commented_lines(diff, comment)]
        parts += ["", _code(comment, diff), _indented(ReviewText(comment.body, original))]
    return Group(*parts)


def _indented(part: RenderableType) -> Padding:
    return Padding(part, (0, 0, 0, 4))


def _code(comment: Comment, diff: Diff) -> Text:
    """Show the lines that a comment is about; where the diff does not have them, only their numbers."""
    lines = commented_lines(diff, comment)
    if not lines:
        return Text(f"  {visible_line(comment.place)}", "dim")
    shown = Text()
    for line in lines[:_SHOWN_LINES]:
        number = line.old if comment.side == "LEFT" else line.new
        shown.append(f"{number or '':>6} ", "dim").append(f"{line.marker} ", _MARKS[line.marker])
        shown.append(f"{visible_line(line.text.rstrip(chr(13)).expandtabs(4))}\n")
    if len(lines) > _SHOWN_LINES:
        shown.append(f"{'':>7}… {len(lines) - _SHOWN_LINES} more lines\n", "dim")
    shown.rstrip()
    return shown


def _listed(title: str, lines: Sequence[Text], most: int, style: str = "") -> Text:
    """A titled list with its number of entries, cut short where it is long."""
    shown = Text(f"\n{title} ({len(lines)}):", style)
    for line in lines[:most]:
        shown.append("\n  ").append_text(line)
    if len(lines) > most:
        shown.append(f"\n  and {len(lines) - most} more")
    return shown


def _figures(push: Push) -> str:
    github = push.github
    parts = [
        visible_line(push.mode or "skipped"),
        f"{push.files_read:,}/{push.files_total:,} files read",
        f"{push.hunks_asked:,}/{push.hunks_total:,} hunks reviewed",
        _model(push.model),
        f"GitHub: {counted(github.calls, 'call')} ({counted(github.writes, 'write')})",
        duration(push.seconds),
    ]
    return " · ".join(parts)


def _model(model: Usage) -> str:
    if not model.calls:
        return "no model calls"
    return f"model: {counted(model.calls, 'call')}, {token_counts(model)}"
