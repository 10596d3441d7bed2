"""The deployment's settings in SSM: everything below one prefix, read rarely and remembered for minutes.

Source: https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParametersByPath.html
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

from aws_lambda_powertools.utilities.parameters import SSMProvider
from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, PartialCredentialsError

from kodiai.core.errors import Broken, Retry
from kodiai.edges.calls import tell_calls

T = TypeVar("T")

MAX_AGE_SECONDS = 300

# The webhook has to be answered within ten seconds.
_CONFIG = Config(connect_timeout=1, read_timeout=2, retries={"mode": "standard", "total_max_attempts": 2})
_BUSY = frozenset({"InternalServerError", "ServiceUnavailable", "ThrottlingException", "RequestLimitExceeded"})


def connect_parameters() -> SSMProvider:
    """Connect to SSM, with short time-outs and one retry."""
    provider = SSMProvider(boto_config=_CONFIG)
    tell_calls(provider.client)
    return provider


class SsmParameters:
    """The parameters below a prefix such as "/kodiai/prod"."""

    def __init__(self, provider: SSMProvider, prefix: str) -> None:
        self._provider = provider
        self._prefix = prefix.rstrip("/")

    def read(self, folder: str = "", *, fresh: bool = False) -> dict[str, str]:
        """Read all values by their names relative to the prefix ("webhook/secret"), secrets in clear.

        `folder` narrows it to one ("webhook"). What was read serves for five minutes unless `fresh`.
        Raises Retry where SSM cannot be reached, Broken where it refuses us; each names the path.
        """
        path = f"{self._prefix}/{folder}" if folder else self._prefix
        try:
            values = self._provider.get_multiple(
                path, max_age=MAX_AGE_SECONDS, decrypt=True, recursive=True, force_fetch=fresh
            )
        except GetParameterError as error:
            raise _translated(path, error.__context__) from error
        lead = f"{folder}/" if folder else ""
        return {lead + name: str(value) for name, value in values.items()}

    def settings(self, build: Callable[[Mapping[str, str], str], T], folder: str = "") -> T:
        """Build settings from what is read; where `build` finds them Broken, once more from what is there now.

        A parameter that was missing may have been put a moment ago.
        """
        try:
            return build(self.read(folder), self._prefix)
        except Broken:
            return build(self.read(folder, fresh=True), self._prefix)


def _translated(path: str, error: BaseException | None) -> Retry | Broken:
    """Say what became of a read; powertools keeps the SDK's error as the context of its own."""
    what = f"The parameters below {path} cannot be read"
    match error:
        case ClientError():
            code = error.response["Error"]["Code"]
            busy = code in _BUSY or error.response["ResponseMetadata"]["HTTPStatusCode"] >= 500  # noqa: PLR2004
            return (Retry if busy else Broken)(f"{what}: SSM says {code}.")
        case NoCredentialsError() | PartialCredentialsError():
            return Broken(f"{what}: there are no credentials for AWS.")
        case BotoCoreError():
            return Retry(f"{what}: {type(error).__name__}.")
        case _:
            return Broken(f"{what}: {type(error).__name__}.")
