"""The deployment's settings in SSM: everything below one prefix, read every five minutes.

Source: https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParametersByPath.html
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

from aws_lambda_powertools.utilities.parameters import SSMProvider
from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError

from kodiai.core.errors import Broken
from kodiai.edges.aws import QUICK, translated
from kodiai.edges.calls import log_calls

T = TypeVar("T")

MAX_AGE_SECONDS = 300


def connect_parameters() -> SSMProvider:
    """Connect to SSM, with short time-outs and one retry."""
    provider = SSMProvider(boto_config=QUICK)
    log_calls(provider.client)
    return provider


class SsmParameters:
    """The parameters below a prefix such as "/kodiai/prod"."""

    def __init__(self, provider: SSMProvider, prefix: str) -> None:
        self._provider = provider
        self._prefix = prefix.rstrip("/")

    def read(self, folder: str = "", *, fresh: bool = False) -> dict[str, str]:
        """Read all values by their names relative to the prefix ("webhook/secret"), secrets in clear.

        `folder` narrows it to one ("webhook"). What was read is used for five minutes unless `fresh`.
        Raises Retry where SSM cannot be reached, Broken where it refuses us; each names the path.
        """
        path = f"{self._prefix}/{folder}" if folder else self._prefix
        with translated(f"The parameters below {path} cannot be read", "SSM"):
            try:
                values = self._provider.get_multiple(
                    path, max_age=MAX_AGE_SECONDS, decrypt=True, recursive=True, force_fetch=fresh
                )
            except GetParameterError as error:  # which keeps what AWS said as its context
                raise error.__context__ or Broken(str(error)) from error
        lead = f"{folder}/" if folder else ""
        return {lead + name: str(value) for name, value in values.items()}

    def settings(self, build: Callable[[Mapping[str, str], str], T], folder: str = "") -> T:
        """Build settings from what is read; where `build` raises Broken, once more from what is there now.

        A missing parameter may have been stored since.
        """
        try:
            return build(self.read(folder), self._prefix)
        except Broken:
            return build(self.read(folder, fresh=True), self._prefix)
