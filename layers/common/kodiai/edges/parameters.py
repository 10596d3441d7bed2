"""The deployment's settings in SSM: everything below one prefix, read every five minutes.

Source: https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParametersByPath.html
"""

from collections.abc import Callable, Collection, Mapping
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

    def read_named(self, names: Collection[str], *, fresh: bool = False) -> dict[str, str]:
        """Read the values of these names only ("github/api-url").

        What was read is used for five minutes unless `fresh`. Raises Retry and Broken, which name the parameter.
        """
        return {name: self._get(f"{self._prefix}/{name}", fresh=fresh) for name in names}

    def _get(self, path: str, *, fresh: bool) -> str:
        with translated(f"The parameter {path} cannot be read", "SSM"):
            try:
                return str(self._provider.get(path, max_age=MAX_AGE_SECONDS, decrypt=True, force_fetch=fresh))
            except GetParameterError as error:
                raise error.__context__ or Broken(str(error)) from error

    def settings(
        self, build: Callable[[Mapping[str, str], str], T], folder: str = "", names: Collection[str] = ()
    ) -> T:
        """Build settings from what is read; where `build` raises Broken, once more from what is there now.

        A missing parameter may have been stored since. With `names` no others are read.
        """

        def values(*, fresh: bool = False) -> Mapping[str, str]:
            return self.read_named(names, fresh=fresh) if names else self.read(folder, fresh=fresh)

        try:
            return build(values(), self._prefix)
        except Broken:
            return build(values(fresh=True), self._prefix)
