"""`kodiai dead`: what could not be done, for the operator whom the alarm has called: read it, and put it back."""

import argparse
import ipaddress
import json
import os
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError
from rich.text import Text

from cli.follow import Unfinished
from kodiai.core.events.job import Mention
from kodiai.edges.dead_letters import HELD_SECONDS, DeadLetter, DeadLetters
from local.aws.protocol import REGION
from local.rendering.visible import visible, visible_line

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

_CONFIG = Config(connect_timeout=5, read_timeout=20, retries={"mode": "standard", "total_max_attempts": 3})
_SHORT_ID = 8
_MOST_SAID = 200
_LEAST_PREFIX = 4
_LEAST_REASON, _MOST_REASON = 40, 160
_PIPED_WIDTH = 1_000
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"))


def dead(arguments: argparse.Namespace) -> None:
    """Carry out the command. Raises Unfinished or Broken."""
    {"list": dead_list, "show": dead_show, "redrive": dead_redrive}[arguments.action](arguments)


def dead_list(arguments: argparse.Namespace) -> None:
    """Print a line for each dead letter, or all of them as JSON. Raises Unfinished or Broken."""
    queues = _queues(arguments)
    counts = [letters.count() for letters in queues]
    found = [letters.list() for letters in queues]
    every = [letter for part in found for letter in part]
    unseen = sum(max(count - len(part), 0) for count, part in zip(counts, found, strict=True))
    if arguments.json:
        print(json.dumps([_as_json(letter) for letter in every], indent=2))
    elif not every and not unseen:
        print("nothing is dead")
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _PIPED_WIDTH
    for letters, part in zip(queues, found, strict=True):
        if part and not arguments.json:
            print(f"{len(part)} of {letters.queue}")
            print(*lines(part, shortest(every), datetime.now(UTC), width), sep="\n")
    if unseen:
        print(_unseen(unseen), file=sys.stderr if arguments.json else sys.stdout)


def dead_show(arguments: argparse.Namespace) -> None:
    """Print everything that is known of one dead letter. Raises Unfinished or Broken."""
    queues = _queues(arguments)
    total = sum(letters.count() for letters in queues)
    letter = pick([letter for letters in queues for letter in letters.list()], arguments.id, total)
    if arguments.json:
        print(json.dumps(_as_json(letter), indent=2))
        return
    for name, value in _known(letter):
        print(f"{name:<14}{visible_line(value)}")
    if letter.job is None:
        print(f"\nThe body, which is no job:\n{visible(letter.body)}")


def dead_redrive(arguments: argparse.Namespace) -> None:
    """Put dead letters back, in their order, and tell each. Raises Unfinished or Broken."""
    queues = _queues(arguments)
    total = sum(letters.count() for letters in queues)
    back, left = _redrive_all(queues, total) if arguments.all else _redrive_some(queues, arguments.ids, total)
    print(f"{back} put back, {left} left")


def pick(letters: Sequence[DeadLetter], start: str, total: int) -> DeadLetter:
    """The only letter whose id begins so; `total` is how many there are, read or not. Raises Unfinished."""
    if len(start) < _LEAST_PREFIX:
        raise Unfinished(f"{start!r} is too short: an ID is given by its first {_LEAST_PREFIX} characters or more.")
    match [letter for letter in letters if letter.id.startswith(start.lower())]:
        case [letter]:
            return letter
        case []:
            unseen = total - len(letters)
            raise Unfinished(
                f"No dead letter has an ID that begins with {start}. {_unseen(unseen) if unseen > 0 else ''}"
            )
        case several:
            raise Unfinished(f"{start} begins the IDs of {len(several)} dead letters: give more of it.")


def shortest(letters: Sequence[DeadLetter]) -> int:
    """How many characters of their ids tell letters apart, eight at least."""
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
    beside = left >= _LEAST_REASON
    room = min(max(left if beside else width - id_characters - 2, _LEAST_REASON), _MOST_REASON)
    for cells, reason in zip(rows, ("reason", *(letter.reason for letter in oldest_first)), strict=True):
        line = "  ".join(cell.ljust(size) for cell, size in zip(cells, widths, strict=True))
        shown = Text(visible_line(reason))
        shown.truncate(room, overflow="ellipsis")
        if beside:
            yield f"{line}  {shown.plain.rstrip()}"
        else:
            yield line.rstrip()
            if cells is not rows[0]:
                yield f"{'':{id_characters}}  {shown.plain.rstrip()}"


def _cells(letter: DeadLetter, id_characters: int, now: datetime) -> tuple[str, str, str, str, str]:
    attempts = "?" if letter.attempts is None else str(letter.attempts)
    return letter.id[:id_characters], _age(letter, now), _pull_request(letter), _trigger(letter), attempts


def _redrive_all(queues: Sequence[DeadLetters], total: int) -> tuple[int, int]:
    """How many were put back, and how many are left."""
    back = again = 0
    for letters in queues:
        with letters.ten_at_a_time() as found:
            for letter in found:
                if letters.redrive(letter):
                    back += 1
                    _tell(letter, f"back in {letter.queue}")
                else:
                    again += 1
                    _tell(letter, "dead again, and left here")
    return back, max(total - back, 0) + again


def _redrive_some(queues: Sequence[DeadLetters], ids: Sequence[str], total: int) -> tuple[int, int]:
    """How many were put back, and how many are left; none is put back before every id is found."""
    with ExitStack() as held:
        found = [(letters, letter) for letters in queues for letter in held.enter_context(letters.held())]
        chosen = {pick([letter for _, letter in found], start, total).id for start in ids}
        for letters, letter in found:
            if letter.id in chosen:
                letters.redrive(letter)
                _tell(letter, f"back in {letter.queue}")
    return len(chosen), max(total, len(found)) - len(chosen)


def _tell(letter: DeadLetter, what: str) -> None:
    print(f"{letter.id[:_SHORT_ID]}  {_pull_request(letter)}  {_trigger(letter)}  {what}", flush=True)


def _known(letter: DeadLetter) -> Iterator[tuple[str, str]]:
    yield "id", letter.id
    yield "queue", letter.queue
    if job := letter.job:
        yield "pull request", f"{job.repository}#{job.number}"
        yield "trigger", f"{job.trigger}, by {job.sender}"
        yield "delivery", job.delivery
        if isinstance(job, Mention):
            yield "said", visible_line(job.said.text)[:_MOST_SAID]
        yield "installation", "none, a token serves" if job.installation is None else str(job.installation)
    yield "group", letter.group
    yield "dead since", f"{letter.sent:%Y-%m-%d %H:%M:%S} UTC, {_age(letter, datetime.now(UTC))} ago"
    yield "received", f"{letter.received} times, with every look at it"
    yield "outcome", letter.outcome or "not said"
    yield "attempts", "not known" if letter.attempts is None else str(letter.attempts)
    yield "reason", letter.reason


def _as_json(letter: DeadLetter) -> dict[str, Any]:
    job = letter.job.model_dump() if letter.job else None
    return asdict(letter) | {"sent": letter.sent.isoformat(), "job": job}


def _pull_request(letter: DeadLetter) -> str:
    return f"{letter.job.repository}#{letter.job.number}" if letter.job else visible_line(letter.group)


def _trigger(letter: DeadLetter) -> str:
    return letter.job.trigger if letter.job else "(no job)"


def _age(letter: DeadLetter, now: datetime) -> str:
    seconds = max(int((now - letter.sent).total_seconds()), 0)
    return next((f"{seconds // size} {unit}" for size, unit in _UNITS if seconds >= size), f"{seconds} s")


def _unseen(count: int) -> str:
    return (
        f"{count} more counted that cannot be read now: SQS hands out ten of one pull request at a time, "
        f"nothing that somebody else is reading (for {HELD_SECONDS} seconds at most), and counts a minute late."
    )


def _queues(arguments: argparse.Namespace) -> list[DeadLetters]:
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)  # whatever ends us, what is held is given back
    client = _client(arguments.endpoint_url)
    wanted = [arguments.queue] if arguments.queue else arguments.queues
    return [DeadLetters.of_stage(client, arguments.stage, queue) for queue in wanted]


def _client(endpoint_url: str | None) -> "SQSClient":
    """Connect as the AWS CLI would, but without credentials to what runs on this machine."""
    try:
        if endpoint_url and _is_loopback(endpoint_url):
            session = boto3.Session("local", "local", region_name=REGION)
        else:
            # boto3 by itself knows only AWS_DEFAULT_REGION.
            session = boto3.Session(region_name=os.environ.get("AWS_REGION") or None)
        return session.client("sqs", endpoint_url=endpoint_url, config=_CONFIG)
    except BotoCoreError as error:
        raise Unfinished(f"AWS cannot be asked: {str(error).rstrip('.')}: set AWS_REGION or AWS_PROFILE.") from error


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
