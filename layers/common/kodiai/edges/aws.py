"""What SQS and SSM mean where they do not do as asked, and how long is waited for them."""

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, PartialCredentialsError

from kodiai.core.errors import Broken, Retry

# The webhook has to be answered within ten seconds.
QUICK = Config(connect_timeout=1, read_timeout=2, retries={"mode": "standard", "total_max_attempts": 2})
"""Short time-outs, and one retry."""

_SERVER_ERROR = 500
_BUSY = frozenset(
    """
    InternalError InternalFailure OverLimit RequestLimitExceeded RequestThrottled ServiceUnavailable Throttling
    ThrottlingException
    """.split()
)


@contextmanager
def translated(what: str, service: str) -> Iterator[None]:
    """Say `what` cannot be done and why: Retry where the service is busy or not reached, Broken where it refuses us."""
    try:
        yield
    except ClientError as error:
        code, status = error.response["Error"]["Code"], error.response["ResponseMetadata"]["HTTPStatusCode"]
        is_busy = code.rsplit(".")[-1] in _BUSY or status >= _SERVER_ERROR
        raise (Retry if is_busy else Broken)(f"{what}: {service} says {code}.") from error
    except (NoCredentialsError, PartialCredentialsError) as error:
        raise Broken(f"{what}: there are no credentials for AWS.") from error
    except BotoCoreError as error:
        raise Retry(f"{what}: {type(error).__name__}.") from error
