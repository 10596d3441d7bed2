"""The system's HTTP API, asked as the person who looks at the pages."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from local.github.answers import api_error, not_found

_ID = re.compile(r"P-[0-9a-f]{20}")
_VERBS = frozenset({"claim", "verdict", "apply", "close"})
_SECONDS = 60.0


class ProposalApi:
    """The acts of people on proposals. `address` gives the address of the API, `token` a person's token of GitHub."""

    def __init__(self, address: Callable[[], str], token: Callable[[str], str]) -> None:
        self._address = address
        self._token = token

    def post(self, proposal: str, verb: str, body: Mapping[str, Any], login: str) -> None:
        """Do something about a proposal as somebody. Raises ApiError with what the API says."""
        if not _ID.fullmatch(proposal) or verb not in _VERBS:
            raise not_found()
        url = f"{self._address()}/proposals/{proposal}/{verb}"
        headers = {"Authorization": f"Bearer {self._token(login)}"}
        try:
            # The address is on this machine; not to read the machine's certificates saves more than the rest takes.
            answer = httpx.post(url, json=body, headers=headers, timeout=_SECONDS, trust_env=False, verify=False)  # noqa: S501
        except httpx.HTTPError as error:
            raise api_error(503, f"The API did not answer: {type(error).__name__}.") from error
        if answer.is_error:
            raise api_error(answer.status_code, _detail(answer))


def _detail(answer: httpx.Response) -> str:
    """The fault by the words of the API, with every member that is not as it should be."""
    try:
        problem = answer.json()
        errors = "".join(f" {each['detail']}" for each in problem.get("errors") or ())
        return f"{problem['detail']}{errors}"
    except (json.JSONDecodeError, LookupError, AttributeError, TypeError):
        return f"The API answered with {answer.status_code}."
