"""Our App on GitHub, which asks with its own signature and not as an installation.

Source: https://docs.github.com/en/rest/apps/apps#get-a-repository-installation-for-the-authenticated-app
"""

from typing import Self, cast

import httpx
from githubkit.auth.app import AppAuth

from kodiai.core.errors import Refused
from kodiai.core.settings import GitHubSettings
from kodiai.edges.github_connection import GitHubConnection

_NO_APP = (
    "GitHub tells only an App where it is installed, and this deployment has a token (`github/token`): "
    "nothing is deleted. `kodiai forget` deletes what is stored."
)


class GitHubApp(GitHubConnection):
    """Our App. Raises Refused where there is a token and no App."""

    def __init__(self, settings: GitHubSettings, *, pause_seconds: float = 0.2) -> None:
        if settings.app_id is None or settings.private_key is None:
            raise Refused(_NO_APP)
        as_app = settings.model_copy(update={"token": None})
        super().__init__(as_app, repository="", installation=0, pause_seconds=pause_seconds)
        self._must_sign_in = False  # each request is signed with the App's key

    def __enter__(self) -> Self:
        """Keep connections, and sign every request: githubkit knows no address by a repository's id as the App's."""
        super().__enter__()
        with self._github.get_sync_client() as client:
            app = cast("AppAuth", client.auth)
            client.auth = lambda request: _signed(request, app.get_jwt())
        return self

    def installation(self, repository_id: int) -> int | None:
        """The installation on a repository, whatever its name is now; None where there is none.

        This is the address to which GitHub redirects the documented one from an earlier name of the repository.
        """
        found = self._find("/repositories/{repository_id}/installation", repository_id=repository_id)
        return None if found is None else int(found["id"])


def _signed(request: httpx.Request, token: str) -> httpx.Request:
    request.headers["Authorization"] = f"Bearer {token}"
    return request
