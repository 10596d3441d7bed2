"""The deployment's settings in SSM: everything below one prefix, read every five minutes.

Source: https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParametersByPath.html
"""

import time
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, TypeVar

from kodiai.core.errors import Broken
from kodiai.edges.aws import QUICK, connect, translated

if TYPE_CHECKING:
    from mypy_boto3_ssm import SSMClient

T = TypeVar("T")

MAX_AGE_SECONDS = 300


def connect_parameters() -> "SSMClient":
    """Connect to SSM, with short time-outs and one retry."""
    client: SSMClient = connect("ssm", QUICK)
    return client


class SsmParameters:
    """The parameters below a prefix such as "/kodiai/prod"."""

    def __init__(self, client: "SSMClient", prefix: str) -> None:
        self._client = client
        self._prefix = prefix.rstrip("/")
        self._kept: dict[str, tuple[float, Mapping[str, str]]] = {}

    def read(self, folder: str = "", *, fresh: bool = False) -> dict[str, str]:
        """Read all values by their names relative to the prefix ("webhook/secret"), secrets in clear.

        `folder` narrows it to one ("webhook"). What was read is used for five minutes unless `fresh`.
        Raises Retry where SSM cannot be reached, Broken where it refuses us; each names the path.
        """
        path = f"{self._prefix}/{folder}" if folder else self._prefix
        with translated(f"The parameters below {path} cannot be read", "SSM"):
            return dict(self._newest(path, self._below, fresh=fresh))

    def read_named(self, names: Collection[str], *, fresh: bool = False) -> dict[str, str]:
        """Read the values of these names only ("github/api-url").

        What was read is used for five minutes unless `fresh`. Raises Retry and Broken, which name the parameter.
        """
        values: dict[str, str] = {}
        for name in names:
            path = f"{self._prefix}/{name}"
            with translated(f"The parameter {path} cannot be read", "SSM"):
                values |= self._newest(path, self._one, fresh=fresh)
        return values

    def _newest(self, path: str, read: Callable[[str], Mapping[str, str]], *, fresh: bool) -> Mapping[str, str]:
        """The parameters at the path: those read before, if they may still be used, else those of now."""
        until, values = self._kept.get(path, (0.0, {}))
        if fresh or until < time.time():
            values = read(path)
            self._kept[path] = (time.time() + MAX_AGE_SECONDS, values)
        return values

    def _below(self, path: str) -> Mapping[str, str]:
        pages = self._client.get_paginator("get_parameters_by_path").paginate(
            Path=path, Recursive=True, WithDecryption=True
        )
        return {self._relative(each["Name"]): each["Value"] for page in pages for each in page["Parameters"]}

    def _one(self, path: str) -> Mapping[str, str]:
        found = self._client.get_parameter(Name=path, WithDecryption=True)["Parameter"]
        return {self._relative(path): found["Value"]}

    def _relative(self, path: str) -> str:
        return path.removeprefix(f"{self._prefix}/")

    def settings(
        self, build: Callable[[Mapping[str, str], str], T], folder: str = "", names: Collection[str] = ()
    ) -> T:
        """Build settings from what is read; where `build` raises Broken, once more from what is there now.

        A missing parameter may have been stored since. With `names` no others are read.
        """

        def values(*, fresh: bool = False) -> dict[str, str]:
            return self.read_named(names, fresh=fresh) if names else self.read(folder, fresh=fresh)

        try:
            return build(values(), self._prefix)
        except Broken:
            return build(values(fresh=True), self._prefix)
