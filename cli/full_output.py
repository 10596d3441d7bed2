"""The output of `kodiai review --full`: each push with its complete review, and each reply."""

from collections.abc import Iterator, Sequence

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.syntax import Syntax
from rich.text import Text

from cli.results import Comment, Diff, Finding, Push, Reply, commented_lines
from cli.terminal_markdown import CODE_THEME, ReviewText, review_colors, severity
from local.rendering.labels import duration, model_calls, short_sha
from local.rendering.visible import visible_line

_SHOWN_LINES = 8


def print_push(push: Push, console: Console, diff: Diff, title: str = "Push") -> None:
    """Print one push: its review as it was posted, the inline comments below their code in `diff`, a line of figures.

    Nothing in it can move the cursor or color what follows.
    """
    onto = f" onto {short_sha(push.base)}" if push.base else ""
    heading = visible_line(f"{title} · {short_sha(push.head)}{onto} · {push.scope}")
    with review_colors(console):
        console.print(Rule(Text(heading, "bold"), align="left", style="dim"))
        for part in _push(push, diff):
            console.print(part)


def print_reply(reply: Reply, console: Console, before: Sequence[Finding]) -> None:
    """Print a reply, what was understood and answered, and which findings have another status than `before`."""
    role = f" ({visible_line(reply.role)})" if reply.role else ""
    with review_colors(console):
        console.print(Text.assemble("\n", (visible_line(reply.by), "bold"), f"{role} on {visible_line(reply.place)}:"))
        console.print(Text("\n".join(f"> {visible_line(line)}" for line in reply.text.splitlines()), "italic"))
        for part in _outcome(reply, before):
            console.print(Padding(part, (1, 0, 0, 4)))
        console.print()


def _outcome(reply: Reply, before: Sequence[Finding]) -> Iterator[RenderableType]:
    understood = f"understood: {visible_line(reply.understood)} · " if reply.understood else ""
    why = f": {visible_line(reply.why)}" if reply.why else ""
    yield Text(f"{understood}{visible_line(reply.outcome)}{why}", "dim")
    if reply.answer:
        yield ReviewText(reply.answer)
    if reply.reactions:
        yield Text(f"reactions: {visible_line(reply.emoji)}")
    if changes := reply.changes(before):
        yield Text("\n".join(map(visible_line, changes)), "bold")
    if reply.model.calls:
        yield Text(f"{model_calls(reply.model)} · {duration(reply.seconds)}", "dim")


def _push(push: Push, diff: Diff) -> Iterator[RenderableType]:
    if push.review is None:
        yield Text(f"Nothing was posted: {visible_line(push.silence)}.", "dim")
        yield from _listed("Still open", [_finding(finding) for finding in push.open_findings])
    else:
        yield ReviewText(push.review.body)
        for comment in push.review.in_order:
            yield from _comment(comment, diff)
    yield from _listed(
        "Files skipped", [Text(visible_line(f"{file.path}  {file.reason}"), "dim") for file in push.skipped]
    )
    yield Text(f"\n{visible_line(push.figures)}\n", "dim")


def _comment(comment: Comment, diff: Diff) -> Iterator[RenderableType]:
    """The place of a comment, the end of the code that it is about where the diff has it, and its text."""
    lines = commented_lines(diff, comment)
    yield Text(f"\n{visible_line(comment.place)}", "bold underline")
    if lines:
        code = "\n".join(f"{line.marker} {visible_line(line.text.rstrip())}" for line in lines[-_SHOWN_LINES:])
        yield Syntax(code, "diff", theme=CODE_THEME, background_color="default", word_wrap=True)
    yield Padding(ReviewText(comment.body, [line.text for line in lines]), (0, 0, 0, 4))


def _finding(finding: Finding) -> Text:
    return Text.assemble(severity(finding), f" {visible_line(finding.path)}: {visible_line(finding.title)}")


def _listed(title: str, lines: Sequence[Text]) -> Iterator[Text]:
    if lines:
        yield Text(f"\n{title} ({len(lines)}):")
        yield from (Text("  ").append_text(line) for line in lines)
