"""Our App on GitHub, which asks with its own signature and not as an installation.

Source: https://docs.github.com/en/rest/apps/apps#get-a-repository-installation-for-the-authenticated-app
"""

from kodiai.core.errors import Refused
from kodiai.core.settings import GitHubSettings
from kodiai.edges.github_connection import PullRequestConnection

_NO_APP = (
    "GitHub tells only an App where it is installed, and this deployment has a token (`github/token`): "
    "nothing is deleted. `kodiai forget` deletes what is stored."
)


class GitHubApp(PullRequestConnection):
    """Our App. Raises Refused where there is a token and no App."""

    def __init__(self, settings: GitHubSettings, *, pause_seconds: float = 0.2) -> None:
        if settings.app_id is None or settings.private_key is None:
            raise Refused(_NO_APP)
        as_app = settings.model_copy(update={"token": None})
        super().__init__(as_app, bot_login="", repository="", number=0, installation=0, pause_seconds=pause_seconds)
        self._must_sign_in = False  # each request is signed with the App's key

    def is_installed(self, repository: str) -> bool:
        """Whether the App is installed on a repository ("owner/name"), also after it was renamed."""
        owner, _, name = repository.partition("/")
        return self._find("/repos/{owner}/{repo}/installation", owner=owner, repo=name) is not None
