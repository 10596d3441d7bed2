"""What `kodiai review` prints: each push with its review and each reply, readable in a terminal, and the steps."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from cli.report.diff import Diff
from cli.report.journey import DOT, SHOWN_FINDINGS, delta_parts, lives_table, named, pushes_table
from cli.report.progress import Progress
from cli.report.result import Comment, DiffFile, Finding, Model, Push, Reply, Result
from cli.report.terminal import Body, in_colours
from local.rendering.visible import visible_line

__all__ = ["Progress", "print_push", "print_reply", "print_summary"]

_SHORT = 7
_SHOWN_LINES = 8
_SHOWN_SKIPPED = 12
_MARKS = {"+": "green", "-": "red", " ": "dim"}


def print_push(
    result: Mapping[str, Any],
    console: Console,
    diff: Sequence[Mapping[str, Any]] = (),
    *,
    number: int | None = None,
    of: int | None = None,
) -> None:
    """Print one push: its review as it was posted, the inline comments, a line of figures.

    `result` is a push of the JSON, `diff` its changed files (path, patch), without which the comments stand
    without their code; `number` of `of` counts the pushes from 1.
    Nothing in it can move the cursor or colour what follows. Raises pydantic.ValidationError.
    """
    push = Push.model_validate(result)
    files = Diff([DiffFile.model_validate(file) for file in diff])
    with in_colours(console):
        for part in _push(push, files, _title(push, number, of)):
            console.print(part)


def print_reply(
    result: Mapping[str, Any],
    console: Console,
    diff: Sequence[Mapping[str, Any]] = (),
    *,
    before: Sequence[Mapping[str, Any]] = (),
) -> None:
    """Print what somebody said, what was understood and answered, and which findings stand otherwise than `before`.

    `result` is a reply of the JSON, `diff` as for the push that it follows, for a review that it has led to.
    Raises pydantic.ValidationError.
    """
    reply = Reply.model_validate(result)
    files = Diff([DiffFile.model_validate(file) for file in diff])
    stood = [Finding.model_validate(finding) for finding in before]
    with in_colours(console):
        for part in _reply(reply, stood):
            console.print(part)
        if reply.review is not None:
            title = _commits(reply.review, f"Review for {visible_line(reply.by)}")
            for part in _push(reply.review, files, title):
                console.print(part)


def print_summary(result: Mapping[str, Any], console: Console) -> None:
    """Print what came of it all: a line for each push and reply, then how each finding fared over the pushes."""
    read = Result.model_validate(result)
    with in_colours(console):
        console.print(Rule(style="dim"))
        title = Text.assemble((visible_line(f"{read.repository}#{read.pull_request}"), "bold"), "  ")
        console.print(title.append(visible_line(read.title)))
        console.print(pushes_table(read))
        if len(read.pushes) > 1 and any(push.findings for push in read.pushes):
            console.print(lives_table(read.pushes))


def _title(push: Push, number: int | None, of: int | None) -> Text:
    counted = f"Push {number}" if number else "Push"
    return _commits(push, f"{counted} of {of}" if of else counted)


def _commits(push: Push, what: str) -> Text:
    title = Text.assemble((what, "bold"), " · ")
    title.append(visible_line(push.head[:_SHORT]), "cyan")
    if push.base:
        title.append(" onto ").append(visible_line(push.base[:_SHORT]), "cyan")
    return title.append(f" · {visible_line(push.mode or 'skipped')}")


def _reply(reply: Reply, before: Sequence[Finding]) -> Iterator[RenderableType]:
    """What was said, in quotation marks as in a mail; then, further in, what came of it."""
    role = f" ({visible_line(reply.role)})" if reply.role else ""
    yield Text.assemble("\n", (visible_line(reply.by), "bold"), f"{role} on {visible_line(reply.place)}:")
    yield Text("\n".join(f"> {visible_line(line)}" for line in reply.text.splitlines()), "italic")
    yield _under(Text(f"\n{_understood(reply)}", "dim"))
    if reply.answer:
        yield Text("")
        yield _under(Body(reply.answer))
    if reply.reactions:
        yield _under(Text(f"\nreactions: {visible_line(reply.emoji)}"))
    changes = reply.changes(before)
    if changes:
        yield _under(Text("\n" + "\n".join(visible_line(change) for change in changes), "bold"))
    if reply.model.calls:
        yield _under(Text(f"\n{_asked(reply.model)} · {reply.seconds:.1f} s", "dim"))
    yield Text("")


def _understood(reply: Reply) -> str:
    """What was understood and done, in one line."""
    understood = f"understood: {visible_line(reply.understood)} · " if reply.understood else ""
    return f"{understood}{visible_line(reply.outcome)}{f': {visible_line(reply.why)}' if reply.why else ''}"


def _push(push: Push, diff: Diff, title: Text) -> Iterator[RenderableType]:
    yield Rule(title.append(f" ({visible_line(push.reason)})" if push.reason else ""), align="left", style="dim")
    if push.review is None:
        yield Text(f"Nothing was posted: {visible_line(push.silence)}.", "dim")
        if push.open_findings:
            yield _still_open(push.open_findings)
    else:
        yield Body(push.review.body)
        for path, comments in groupby(push.review.in_order, lambda comment: comment.path):
            yield _file(path, list(comments), diff)
    threads = _counted(len(push.threads_resolved), "thread")
    parts = [*delta_parts(push), *([Text(f"{threads} resolved", "dim")] if push.threads_resolved else [])]
    if parts:
        yield Text("\n").append_text(DOT.join(parts))
    if push.skipped:
        yield _skipped(push)
    yield Text(f"\n{_figures(push)}\n", "dim")


def _file(path: str, comments: Sequence[Comment], diff: Diff) -> RenderableType:
    parts: list[RenderableType] = [Text(f"\n{visible_line(path)}", "bold underline")]
    for comment in comments:
        parts += ["", _code(comment, diff), _under(Body(comment.body, _original(comment, diff)))]
    return Group(*parts)


def _under(part: RenderableType) -> Padding:
    return Padding(part, (0, 0, 0, 4))


def _original(comment: Comment, diff: Diff) -> list[str]:
    return [line.text for line in diff.commented(comment)]


def _code(comment: Comment, diff: Diff) -> Text:
    """Show the lines that a comment is about; where the diff lacks them, their numbers only."""
    lines = diff.commented(comment)
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


def _still_open(findings: Sequence[Finding]) -> Text:
    shown = Text(f"\nStill open ({len(findings)}):")
    for finding in findings[:SHOWN_FINDINGS]:
        shown.append("\n  ").append_text(named(finding))
    if len(findings) > SHOWN_FINDINGS:
        shown.append(f"\n  and {len(findings) - SHOWN_FINDINGS} more")
    return shown


def _skipped(push: Push) -> Text:
    shown = Text(f"\nNot read ({len(push.skipped)}):", "dim")
    for file in push.skipped[:_SHOWN_SKIPPED]:
        shown.append(f"\n  {visible_line(file.path)}  {visible_line(file.reason)}")
    if len(push.skipped) > _SHOWN_SKIPPED:
        shown.append(f"\n  and {len(push.skipped) - _SHOWN_SKIPPED} more")
    return shown


def _figures(push: Push) -> str:
    github = push.github
    parts = [
        visible_line(push.mode or "skipped"),
        f"read {push.files_read:,}/{push.files_total:,} files",
        f"asked {push.hunks_asked:,}/{push.hunks_total:,} hunks",
        _asked(push.model),
        f"GitHub {_counted(github.calls, 'call')} ({_counted(github.writes, 'write')})",
        f"{push.seconds:.1f} s",
    ]
    return " · ".join(parts)


def _asked(model: Model) -> str:
    if not model.calls:
        return "no model asked"
    tokens = f"{model.tokens_in:,} tokens in ({model.cache_read_tokens:,} from cache), {model.output_tokens:,} out"
    return f"model {_counted(model.calls, 'call')}, {tokens}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
