"""The settings of an owner in a `.github` repository that the token of an event does not show.

The token of an event is for one repository (docs/decisions/0042-what-a-token-may-do.md). It shows a public `.github`;
a private one is read with a token of its own, where the App is installed on it.
"""

from collections.abc import Callable

from kodiai.core.config.read import OWNER_REPOSITORY, OwnerFile
from kodiai.core.config.settings import GitHubSettings
from kodiai.edges.github_connection import Access
from kodiai.edges.github_files import RepositoryFiles
from kodiai.edges.github_permissions import FILES

_KEPT_SECONDS = 300.0


class OwnerFiles:
    """Reads owners' settings files, and keeps each for five minutes; `now` gives seconds since the epoch."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._kept: dict[tuple[str, int], tuple[float, OwnerFile | None]] = {}

    def of(self, owner: str, installation: int | None, settings: GitHubSettings) -> OwnerFile | None:
        """The file of an owner, None if the App is not installed on the owner's `.github`, or there is none.

        With a token instead of the App that token is all there is, and it has shown what it may see.
        """
        if installation is None or settings.token is not None:
            return None
        key, now = (owner, installation), self._now()
        at, file = self._kept.get(key, (0.0, None))
        if not at or now - at >= _KEPT_SECONDS:
            file = _read(f"{owner}/{OWNER_REPOSITORY}", installation, settings)
            self._kept[key] = (now, file)
        return file


def _read(repository: str, installation: int, settings: GitHubSettings) -> OwnerFile | None:
    with RepositoryFiles(Access(settings, installation, FILES), repository) as files:
        if files.installation() != installation:
            return None
        return OwnerFile(repository, files.settings_file(None))
