"""`kodiai dead-letters`: lists, shows and redrives the messages in the dead-letter queues, for operators."""

import argparse
import json
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from rich.text import Text

from cli.commands import QUEUES
from cli.dead_letter_queue import HELD_SECONDS, DeadLetter, DeadLetters
from cli.errors import CommandError
from cli.stage import Stage
from cli.table import terminal_width
from kodiai.core.events.job import Job, Mention, MergeGroupJob
from local.rendering.visible import visible, visible_line

_SHORT_ID = 8
_MOST_TEXT = 200
_LEAST_PREFIX = 4
_LEAST_REASON, _MOST_REASON = 40, 160
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"))


def run(arguments: argparse.Namespace) -> None:
    """Run the command. Raises CommandError or Broken."""
    {"list": _list, "show": _show, "redrive": _redrive}[arguments.action](arguments)


def _list(arguments: argparse.Namespace) -> None:
    """Print a line for each dead letter, or all of them as JSON."""
    queues = _queues(arguments)
    counts = [letters.count() for letters in queues]
    found = [letters.list() for letters in queues]
    every = [letter for part in found for letter in part]
    unseen = sum(max(count - len(part), 0) for count, part in zip(counts, found, strict=True))
    if arguments.json:
        print(json.dumps([_as_json(letter) for letter in every], indent=2))
    elif not every and not unseen:
        print("No dead letters.")
    for letters, part in zip(queues, found, strict=True):
        if part and not arguments.json:
            print(f"{len(part)} from {letters.queue}")
            print(*lines(part, shortest(every), datetime.now(UTC), terminal_width()), sep="\n")
    if unseen:
        print(_unseen(unseen), file=sys.stderr if arguments.json else sys.stdout)


def _show(arguments: argparse.Namespace) -> None:
    """Print everything that is known about one dead letter."""
    queues = _queues(arguments)
    total = sum(letters.count() for letters in queues)
    letter = pick([letter for letters in queues for letter in letters.list()], arguments.id, total)
    if arguments.json:
        print(json.dumps(_as_json(letter), indent=2))
        return
    for name, value in _facts(letter):
        print(f"{name:<14}{visible_line(value)}")
    if letter.job is None:
        print(f"\nThe body, which is not a job:\n{visible(letter.body)}")


def _redrive(arguments: argparse.Namespace) -> None:
    """Move dead letters back to their queues, in their order, and print each."""
    queues = _queues(arguments)
    total = sum(letters.count() for letters in queues)
    moved, left = _redrive_all(queues, total) if arguments.all else _redrive_some(queues, arguments.ids, total)
    print(f"{moved} redriven, {left} left")


def pick(letters: Sequence[DeadLetter], start: str, total: int) -> DeadLetter:
    """The only letter with this start of its id; `total` is how many there are, read or not. Raises CommandError."""
    if len(start) < _LEAST_PREFIX:
        raise CommandError(f"{start!r} is too short: give at least the first {_LEAST_PREFIX} characters of an ID.")
    match [letter for letter in letters if letter.id.startswith(start.lower())]:
        case [letter]:
            return letter
        case []:
            unseen = total - len(letters)
            raise CommandError(
                f"No dead letter has an ID that starts with {start}. {_unseen(unseen) if unseen > 0 else ''}"
            )
        case several:
            raise CommandError(f"{len(several)} dead letters have IDs that start with {start}: give more of it.")


def shortest(letters: Sequence[DeadLetter]) -> int:
    """The number of characters of their ids that distinguish the letters, at least eight."""
    length = _SHORT_ID
    while len({letter.id[:length] for letter in letters}) < len(letters):
        length += 1
    return length


def lines(letters: Sequence[DeadLetter], id_characters: int, now: datetime, width: int) -> Iterator[str]:
    """The letters as a table, oldest first; the reason is shortened, on a line of its own where there is no room."""
    rows = [("id", "age", "pull request", "trigger", "attempts")]
    oldest_first = sorted(letters, key=lambda letter: letter.sent)
    rows += [_cells(letter, id_characters, now) for letter in oldest_first]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left = width - sum(widths) - len("  ") * len(widths)
    fits = left >= _LEAST_REASON
    room = min(max(left if fits else width - id_characters - 2, _LEAST_REASON), _MOST_REASON)
    for cells, reason in zip(rows, ("reason", *(letter.reason for letter in oldest_first)), strict=True):
        line = "  ".join(cell.ljust(size) for cell, size in zip(cells, widths, strict=True))
        shown = Text(visible_line(reason))
        shown.truncate(room, overflow="ellipsis")
        if fits:
            yield f"{line}  {shown.plain.rstrip()}"
        else:
            yield line.rstrip()
            if cells is not rows[0]:
                yield f"{'':{id_characters}}  {shown.plain.rstrip()}"


def _cells(letter: DeadLetter, id_characters: int, now: datetime) -> tuple[str, str, str, str, str]:
    attempts = "?" if letter.attempts is None else str(letter.attempts)
    return letter.id[:id_characters], _age(letter, now), _pull_request(letter), _trigger(letter), attempts


def _redrive_all(queues: Sequence[DeadLetters], total: int) -> tuple[int, int]:
    """The numbers of letters that were redriven, and that are left."""
    moved = again = 0
    for letters in queues:
        with letters.ten_at_a_time() as found:
            for letter in found:
                if letters.redrive(letter):
                    moved += 1
                    _print(letter, f"moved to {letters.queue}")
                else:
                    again += 1
                    _print(letter, "failed again, left here")
    return moved, max(total - moved, 0) + again


def _redrive_some(queues: Sequence[DeadLetters], ids: Sequence[str], total: int) -> tuple[int, int]:
    """The same numbers; nothing is redriven before every id is found."""
    with ExitStack() as held:
        found = [(letters, letter) for letters in queues for letter in held.enter_context(letters.held())]
        chosen = {pick([letter for _, letter in found], start, total).id for start in ids}
        for letters, letter in found:
            if letter.id in chosen:
                letters.redrive(letter)
                _print(letter, f"moved to {letters.queue}")
    return len(chosen), max(total, len(found)) - len(chosen)


def _print(letter: DeadLetter, what: str) -> None:
    print(f"{letter.id[:_SHORT_ID]}  {_pull_request(letter)}  {_trigger(letter)}  {what}", flush=True)


def _facts(letter: DeadLetter) -> Iterator[tuple[str, str]]:
    yield "id", letter.id
    yield "queue", letter.queue
    if job := letter.job:
        yield "pull request" if isinstance(job, Job | Mention | MergeGroupJob) else "about", job.subject
        yield "trigger", f"{job.trigger}, by {job.sender}"
        yield "delivery", job.delivery
        if isinstance(job, Mention):
            yield "comment", visible_line(job.comment.text)[:_MOST_TEXT]
        yield "installation", "none (a token is used)" if job.installation is None else str(job.installation)
    yield "group", letter.group
    yield "failed at", f"{letter.sent:%Y-%m-%d %H:%M:%S} UTC, {_age(letter, datetime.now(UTC))} ago"
    yield "received", f"{letter.received} times, including reads"
    yield "outcome", letter.outcome or "unknown"
    yield "attempts", "unknown" if letter.attempts is None else str(letter.attempts)
    yield "reason", letter.reason


def _as_json(letter: DeadLetter) -> dict[str, Any]:
    job = letter.job.model_dump() if letter.job else None
    return asdict(letter) | {"sent": letter.sent.isoformat(), "job": job}


def _pull_request(letter: DeadLetter) -> str:
    return letter.job.subject if letter.job else visible_line(letter.group)


def _trigger(letter: DeadLetter) -> str:
    return letter.job.trigger if letter.job else "(not a job)"


def _age(letter: DeadLetter, now: datetime) -> str:
    seconds = max(int((now - letter.sent).total_seconds()), 0)
    return next((f"{seconds // size} {unit}" for size, unit in _UNITS if seconds >= size), f"{seconds} s")


def _unseen(count: int) -> str:
    return (
        f"{count} more cannot be read now: SQS returns at most ten messages of a pull request at a time, hides "
        f"messages in use for up to {HELD_SECONDS} seconds, and its counts are up to a minute old."
    )


def _queues(arguments: argparse.Namespace) -> list[DeadLetters]:
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)  # received messages are released at any end of the command
    client = Stage(arguments.stage, arguments.endpoint_url).client("sqs")
    wanted = [arguments.queue] if arguments.queue else QUEUES
    return [DeadLetters.of_stage(client, arguments.stage, queue) for queue in wanted]
