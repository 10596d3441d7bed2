"""What `kodiai review` prints unless all of it is wanted: the verdict, a line for each finding, and what it cost."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from cli.report.journey import DOT, severity
from cli.report.lives import Life, Step, lives
from cli.report.result import Push, Reply, Result
from cli.report.terminal import Body, in_colours
from local.rendering.visible import visible_line

_SHORT = 7
_ROWS = 20
_CENT = 0.01
_WORDS: Mapping[Step, str] = {"opened": "new", "open": "open", "fixed": "resolved"}
_STYLES: Mapping[Step, str] = {"opened": "bold", "open": "yellow", "fixed": "green", "settled": "dim"}
_SHOWN: Sequence[Step] = ("opened", "fixed", "settled", "open")


def print_push_briefly(
    pushes: Sequence[Mapping[str, Any]],
    console: Console,
    *,
    number: int | None = None,
    of: int | None = None,
    asked_by: str | None = None,
) -> None:
    """Print the last of these pushes: its verdict, and the findings that it changed, one line each.

    What is still open is listed after the last push (`number` is `of`), and counted before. `asked_by` is who asked
    for this review in a reply. Raises pydantic.ValidationError.
    """
    read = [Push.model_validate(push) for push in pushes]
    with in_colours(console):
        console.print()
        for line in _push(read, _title(number, of, asked_by), with_open=number == of):
            console.print(line, no_wrap=True, overflow="ellipsis")


def print_total(result: Mapping[str, Any], console: Console) -> None:
    """Print what all of it cost. Raises pydantic.ValidationError."""
    read = Result.model_validate(result)
    replies = [reply for _, reply, _ in read.replies()]
    everything: list[Push | Reply] = [*read.pushes, *replies, *(reply.review for reply in replies if reply.review)]
    costs = [one.cost_usd for one in everything if one.model.calls]
    tokens_in, out = (sum(getattr(one.model, name) for one in everything) for name in ("tokens_in", "output_tokens"))
    tokens = [f"{tokens_in:,} tokens in, {out:,} out"] if costs else []
    seconds = sum(one.seconds for one in everything)
    parts = [f"Cost: {_dollars(costs)}", visible_line(read.reviewer), *tokens, f"{seconds:.1f} s"]
    console.print(Text(f"\n{' · '.join(parts)}"))


def _dollars(costs: Sequence[float | None]) -> str:
    if None in costs:
        return "not known"
    total = sum(filter(None, costs))
    return "under $0.01" if 0 < total < _CENT else f"${total:.2f}"


def _title(number: int | None, of: int | None, asked_by: str | None) -> str:
    if asked_by:
        return f"Review for {visible_line(asked_by)}"
    return f"Push {number} of {of}" if number and of and of > 1 else "Review"


def _push(pushes: Sequence[Push], called: str, *, with_open: bool) -> Iterator[Text | Body]:
    push = pushes[-1]
    title = Text.assemble((called, "bold"), " · ", (visible_line(push.head[:_SHORT]), "cyan"), " onto ")
    yield title.append(visible_line(push.base[:_SHORT]), "cyan").append(f" · {visible_line(push.mode or 'skipped')}")
    if push.review is None:
        yield Text(f"Nothing was posted: {visible_line(push.silence)}.", "dim")
    elif push.review.verdict:
        yield Body(push.review.verdict)
    yield from _findings(lives(pushes), with_open=with_open)
    read = f"{push.files_read:,} of {push.files_total:,} {'file' if push.files_total == 1 else 'files'} read"
    is_counted = push.review is not None and push.review.verdict  # whose line has the counts
    counts = [] if is_counted else [Text(f"{count:,} {words}") for _, count, words in push.parts]
    yield Text("  ").append_text(DOT.join([*counts, Text(read)]))


def _findings(followed: Sequence[Life], *, with_open: bool) -> Iterator[Text]:
    """A line for each finding that the last push has changed; `with_open` adds those that are still open."""
    steps = [step for step in _SHOWN if with_open or step != "open"]
    rows = [(step, life) for step in steps for life in followed if life.steps[-1] == step]
    words = [_WORDS.get(step, life.finding.how) for step, life in rows]
    width = max(map(len, words), default=0)
    for word, (step, life) in list(zip(words, rows, strict=True))[:_ROWS]:
        finding = life.finding
        place = f"{finding.path}:{finding.line}" if finding.line else finding.path
        line = Text.assemble("  ", (f"{visible_line(word):<{width}}", _STYLES.get(step, "")), "  ")
        line.append(*severity(finding)).append(f" {visible_line(place)}  ", "cyan")
        yield line.append(visible_line(finding.title))
    if len(rows) > _ROWS:
        yield Text(f"  and {len(rows) - _ROWS} more: --full prints all of them")
