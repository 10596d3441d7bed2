"""Connects to AWS: its clients, how long they wait, and what its errors mean."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    NoCredentialsError,
    ParamValidationError,
    PartialCredentialsError,
)
from botocore.session import Session, get_session

from kodiai.core.errors import Broken, Retry
from kodiai.edges.calls import log_calls

T = TypeVar("T")

# The webhook has to be answered within ten seconds.
QUICK = Config(connect_timeout=1, read_timeout=2, retries={"mode": "standard", "total_max_attempts": 2})
"""Short time-outs, and one retry."""

# A review goes on without its memory, and should not wait for it.
HASTY = Config(connect_timeout=1, read_timeout=2, retries={"mode": "standard", "total_max_attempts": 1})
"""Short time-outs, and no retry."""

_TIMED_OUT, _TOO_MANY, _SERVER_ERROR = 408, 429, 500
_BUSY = frozenset(
    """
    InternalError InternalFailure LimitExceededException OverLimit ProvisionedThroughputExceeded
    ProvisionedThroughputExceededException RequestLimitExceeded RequestThrottled ServiceUnavailable Throttling
    ThrottlingError ThrottlingException TransactionConflictException TransactionInProgressException
    """.split()
)


@cache
def session() -> Session:
    """The session of all clients: each further one would read AWS's endpoints and credentials again."""
    opened = get_session()
    # A name of our own: to describe the system and the SDK in each request takes a seventh of its CPU. To check our
    # own parameters before AWS does takes another.
    opened.set_default_client_config(Config(user_agent="kodiai", parameter_validation=False))
    return opened


def connect(service: str, config: Config) -> Any:
    """Make a client of a service whose requests are logged."""
    client = session().create_client(service, config=config)
    log_calls(client)
    return client


def batches(items: Sequence[T], most: int) -> Iterator[Sequence[T]]:
    """Take this number of the items at a time."""
    return (items[start : start + most] for start in range(0, len(items), most))


@contextmanager
def translated(what: str, service: str, *, with_message: bool = False) -> Iterator[None]:
    """Say `what` cannot be done and why: Retry where the service is busy or not reached, Broken where it refuses us.

    AWS's message may name accounts and resources, so it is part of the text only `with_message`.
    """
    try:
        yield
    except ClientError as error:
        answer = error.response
        code, status = answer["Error"]["Code"], answer["ResponseMetadata"]["HTTPStatusCode"]
        codes = {code.rsplit(".")[-1], *(reason.get("Code") for reason in answer.get("CancellationReasons", ()))}
        is_busy = codes & _BUSY or status in (_TIMED_OUT, _TOO_MANY) or status >= _SERVER_ERROR
        message = f": {answer['Error'].get('Message', '')}" if with_message else "."
        raise (Retry if is_busy else Broken)(f"{what}: {service} says {code}{message}") from error
    except (NoCredentialsError, PartialCredentialsError, ParamValidationError) as error:
        raise Broken(f"{what}: {error}") from error
    except BotoCoreError as error:
        raise Retry(f"{what}: {type(error).__name__}.") from error
