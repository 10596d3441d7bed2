"""What DynamoDB's errors mean.

Codes: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

from boto3.dynamodb.types import TypeDeserializer
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, ParamValidationError

from kodiai.core.errors import Broken, Retry

_BUSY = frozenset(
    """
    InternalServerError LimitExceededException ProvisionedThroughputExceededException RequestLimitExceeded
    ServiceUnavailable ThrottlingException TransactionConflictException TransactionInProgressException
    """.split()
)


class LostRace(Retry):
    """A condition did not hold: somebody else wrote first. `item` is what stood there, where DynamoDB tells.

    `lost` are the writes of a transaction whose conditions did not hold, from 0.
    """

    def __init__(self, item: dict[str, Any], lost: Sequence[int] = ()) -> None:
        super().__init__("somebody else wrote first", after_seconds=1)
        self.item = item
        self.lost = lost


class Conflict(Retry):
    """Another transaction was writing the same item at this moment."""


@contextmanager
def translated() -> Iterator[None]:
    """Say what it means that DynamoDB did not do as asked: LostRace, Conflict or another Retry, else Broken."""
    try:
        yield
    except ClientError as error:
        raise _translate(error) from error
    except (ParamValidationError, NoCredentialsError) as error:
        raise Broken(f"DynamoDB cannot be asked: {error}") from error
    except BotoCoreError as error:
        raise Retry(f"DynamoDB did not answer: {type(error).__name__}") from error


def _translate(error: ClientError) -> Exception:
    response = cast(Mapping[str, Any], error.response)
    code = response["Error"]["Code"]
    codes = [reason.get("Code") for reason in response.get("CancellationReasons", ())]
    reasons = {*codes} - {"None"}
    if code == "ConditionalCheckFailedException" or "ConditionalCheckFailed" in reasons:
        item = TypeDeserializer().deserialize({"M": response.get("Item", {})})
        return LostRace(item, [at for at, each in enumerate(codes) if each == "ConditionalCheckFailed"])
    if "TransactionConflict" in reasons:
        return Conflict("DynamoDB is busy: TransactionConflict")
    if code in _BUSY or reasons & {"ThrottlingError", "ProvisionedThroughputExceeded"}:
        return Retry(f"DynamoDB is busy: {code}")
    return Broken(f"DynamoDB refused: {code} {response['Error'].get('Message', '')}")
