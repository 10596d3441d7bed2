"""The handling of a message by both functions behind a queue: one flow call, one log line, and its end."""

import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kodiai.core.errors import Broken, Refused, Retry
from kodiai.core.events.job import DeliveryAttempt, QueuedJob
from kodiai.core.metrics import Paid, job_metrics
from kodiai.telemetry import logger, measured

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from kodiai.edges.queue import SqsMessages

# Five tries span 26 minutes: 10, 50, 250 and 1250 seconds between them, where no service says how long to wait.
_FIRST_WAIT_SECONDS = 10
_WAIT_GROWS = 5

_KILLED = "the function was killed at every attempt"

T = TypeVar("T", bound=QueuedJob)

Record = Mapping[str, Any]
"""A message as Lambda hands it over."""


class _Early(Retry):
    """It is too early for this message."""


def consume(
    event: Mapping[str, Any],
    context: "LambdaContext",
    read: Callable[[str], T],
    work: Callable[[T, DeliveryAttempt], Mapping[str, Any]],
    messages: "Callable[[], SqsMessages]",
    wait_seconds: Callable[[T], float] = lambda _: 0,
) -> dict[str, list[dict[str, str]]]:
    """Handle one batch of a FIFO queue, which holds one message; what failed is delivered again.

    Behind a message that failed, no other is begun: it would overtake that one.
    Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html

    `read` reads a message's body (raises Broken), `work` does what it asks for and says what came of it.
    `wait_seconds` is how long after it was sent a message is begun; one that comes earlier is put back, once, and
    that is not an attempt.
    """
    handle = partial(_handle, context, read, work, messages, wait_seconds)
    waiting: list[Record] = list(event["Records"])
    with suppress(Exception):  # it is in the log
        while waiting:
            handle(waiting[0])
            del waiting[0]
    return {"batchItemFailures": [{"itemIdentifier": record["messageId"]} for record in waiting]}


def _handle(
    context: "LambdaContext",
    read: Callable[[str], T],
    work: Callable[[T, DeliveryAttempt], Mapping[str, Any]],
    messages: "Callable[[], SqsMessages]",
    wait_seconds: Callable[[T], float],
    record: Record,
) -> None:
    logger.append_keys(function_request_id=context.aws_request_id)
    started, cpu = time.time(), _cpu_seconds()
    attributes: Mapping[str, str] = record["attributes"]
    sent = int(attributes["SentTimestamp"]) / 1000
    first = int(attributes["ApproximateFirstReceiveTimestamp"]) / 1000
    attempt = int(attributes["ApproximateReceiveCount"])
    line: dict[str, Any] = {}
    paid = Paid()
    try:
        job = read(record["body"])
        logger.append_keys(delivery=job.delivery)
        line |= {"delivery": job.delivery, "trigger": job.trigger, **job.facts}
        early = wait_seconds(job) - (first - sent)
        if early > 0:
            attempt -= 1  # its first receive only put it back
        _check(attempt, early, messages().attempts)
        deadline = started + context.get_remaining_time_in_millis() / 1000
        line |= work(
            job, DeliveryAttempt(context.aws_request_id, started, deadline, attempt, messages().attempts, sent, paid)
        )
    except Refused as why:
        line |= {"outcome": "refused", "reason": str(why)}
    except Exception as why:
        line |= _failure(why)
        if isinstance(why, Broken) or attempt >= messages().attempts:
            messages().send_to_dlq(record, line["outcome"], line["reason"])
            line["buried"] = True
            return
        wait = line["after_seconds"] = backoff(attempt) if line["after_seconds"] is None else line["after_seconds"]
        messages().delay(record["receiptHandle"], wait)
        raise
    finally:
        line["attempt"] = attempt
        line |= {"seconds": round(time.time() - started, 3), "cpu_seconds": round(_cpu_seconds() - cpu, 3)}
        logger.info("outcome", extra=measured(line, job_metrics(line, paid)))
        logger.remove_keys(["function_request_id", "delivery"])


def _cpu_seconds() -> float:
    """The CPU seconds of this process and of those that it started, each with its own that have ended."""
    return sum(os.times()[:4]) + sum(map(_used_by, _children()))


def _children() -> Iterator[str]:
    """The processes that this one has started and that run; none where the system does not say."""
    for listed in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):  # the thread has ended since
            yield from listed.read_text().split()


def _used_by(process: str) -> float:
    """Its seconds (utime, stime, cutime, cstime): https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html ."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has ended since
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _check(attempt: int, early: float, attempts: int) -> None:
    """Let the first try begin and the last one be the last. Raises _Early and Broken."""
    if attempt == 0:
        raise _Early("its waiting time is not over", after_seconds=math.ceil(early))
    if attempt > attempts:
        raise Broken(_KILLED)


def _failure(why: Exception) -> dict[str, Any]:
    """Say how it failed; what nobody foresaw is logged with its trace."""
    match why:
        case Retry():
            outcome = "waiting" if isinstance(why, _Early) else "retry"
            return {"outcome": outcome, "reason": str(why), "after_seconds": why.after_seconds}
        case Broken():
            return {"outcome": "broken", "reason": str(why)}
    logger.exception("crashed")
    return {"outcome": "crashed", "reason": f"{type(why).__name__}: {why}", "after_seconds": None}


def backoff(attempt: int) -> int:
    """Seconds to wait after this many tries."""
    return int(_FIRST_WAIT_SECONDS * _WAIT_GROWS ** (attempt - 1))
