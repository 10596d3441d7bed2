"""The default output of `kodiai review`: the verdict, a line for each finding, and the cost."""

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from cli.finding_history import Change, FindingHistory, finding_histories
from cli.results import Push, Reply, Result
from cli.terminal_markdown import ReviewText, review_colors, severity
from kodiai.core.model.messages import Usage
from local.rendering.labels import counted, duration, money, short_sha, status_label, token_counts
from local.rendering.visible import visible_line

_ROWS, _SKIPPED_ROWS = 20, 5
_INDENTED = (0, 0, 0, 4)
_STYLES: Mapping[Change, str] = {"new": "bold", "resolved": "green", "dismissed": "dim", "open": "yellow"}
"""The changes that are printed, in this order, and their styles."""


def print_push_briefly(pushes: Sequence[Push], console: Console, title: str, *, list_open: bool) -> None:
    """Print the last of these pushes: its verdict, and the findings that it changed, one line each.

    The findings that are still open are counted; with `list_open` they are listed too, and new ones have their texts.
    """
    with review_colors(console):
        console.print()
        for line in _push(pushes, title, list_open=list_open):
            if isinstance(line, Padding):
                console.print(line)
            else:
                console.print(line, no_wrap=True, overflow="ellipsis")


def print_total(result: Result, console: Console) -> None:
    """Print the total cost."""
    replies = [reply for _, reply, _ in result.replies()]
    everything: list[Push | Reply] = [*result.pushes, *replies, *(reply.review for reply in replies if reply.review)]
    costs = [one.cost_usd for one in everything if one.model.calls]
    used = sum((one.model for one in everything), Usage())
    tokens = [token_counts(used)] if costs else []
    cost = None if None in costs else sum(filter(None, costs))
    seconds = sum(one.seconds for one in everything)
    parts = [f"Cost: {money(cost)}", visible_line(result.reviewer), *tokens, duration(seconds)]
    console.print(Text(f"\n{' · '.join(parts)}"))


def _push(pushes: Sequence[Push], title: str, *, list_open: bool) -> Iterator[Text | ReviewText | Padding]:
    push = pushes[-1]
    head, base = (visible_line(short_sha(sha)) for sha in (push.head, push.base))
    heading = Text.assemble((visible_line(title), "bold"), " · ", (head, "cyan"), " onto ", (base, "cyan"))
    yield heading.append(f" · {visible_line(push.mode or 'skipped')}")
    if push.review is None:
        yield Text(f"Nothing was posted: {visible_line(push.silence)}.", "dim")
    elif push.review.verdict:
        yield ReviewText(push.review.verdict)
    yield from _findings(finding_histories(pushes), list_open=list_open)
    for skipped in push.skipped[:_SKIPPED_ROWS]:
        yield Text(f"  not read: {visible_line(skipped.path)} ({visible_line(skipped.reason)})", "dim")
    if len(push.skipped) > _SKIPPED_ROWS:
        yield Text(f"  and {len(push.skipped) - _SKIPPED_ROWS} more; --full prints all of them", "dim")
    has_counts = push.review is not None and push.review.verdict  # whose line has the counts
    counts = [] if has_counts else push.labeled_counts.values()
    yield Text("  " + " · ".join([*counts, f"{push.files_read:,} of {counted(push.files_total, 'file')} read"]))


def _findings(histories: Sequence[FindingHistory], *, list_open: bool) -> Iterator[Text | Padding]:
    """A line for each finding that the last push has changed; with `list_open` the text of new ones."""
    changes = [change for change in _STYLES if list_open or change != "open"]
    rows = [(change, history.finding) for change in changes for history in histories if history.changes[-1] == change]
    words = [status_label(finding.status) if change == "dismissed" else change for change, finding in rows]
    width = max(map(len, words), default=0)
    for word, (change, finding) in list(zip(words, rows, strict=True))[:_ROWS]:
        place = f"{finding.path}:{finding.line}" if finding.line else finding.path
        line = Text.assemble("  ", (f"{visible_line(word):<{width}}", _STYLES[change]), "  ", severity(finding))
        yield line.append(f" {visible_line(place)}  ", "cyan").append(visible_line(finding.title))
        if change == "new" and list_open:
            yield from (Padding(Text(visible_line(part)), _INDENTED) for part in finding.text.splitlines() if part)
    if len(rows) > _ROWS:
        yield Text(f"  and {len(rows) - _ROWS} more; --full prints all of them")
