"""Delete what is stored about repositories of which GitHub says that the App is no longer installed on them.

One look reads the whole table once, in parts: nothing else knows which pull requests a repository has. Each part is
deleted before the next one is read, vectors before the items that name them, so a look that dies begins again
where its message says, and finds what is left. After the last part, vectors are deleted whose items had expired.
A review that was under way may still write: a second look, some time later, deletes that too, and the entries that
say which repositories an owner has.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from kodiai.core.events.job import ForgetJob
from kodiai.core.memory.forgetting import StoredItem
from kodiai.core.outcome import Outcome
from kodiai.flows.pull_request_ports import Deadline
from kodiai.ports.github import App
from kodiai.ports.jobs import Clock, JobQueue
from kodiai.ports.stores import RepositoryData, StoredVectors

WAITS = 5
WAIT_SECONDS = 600
"""The second look begins 50 minutes after the first: after everything that was under way, with all its attempts but the
most patient. Message after message waits for a part of that, so that none gets old enough for an alarm."""

_PART_SECONDS = 60
"""The time that is left for a part of the table."""

_GONE_SECONDS = 60
"""The time for which GitHub's "not installed" counts: somebody may install the App again meanwhile."""


@dataclass(frozen=True)
class ForgetPorts:
    """The ports of deletion."""

    app: App
    data: RepositoryData
    vectors: StoredVectors
    queue: JobQueue
    deadline: Deadline


@dataclass
class Deleted:
    """The numbers of what was deleted."""

    items: int = 0
    vectors: int = 0


def forget_repositories(job: ForgetJob, ports: ForgetPorts) -> Outcome:
    """Carry out one message of a look. Raises Retry where GitHub, the table or an index is busy."""
    if job.waits_left:
        ports.queue.send("reviews", job.waited())
        return Outcome("continued", "the second look waits")
    ids = set(job.repositories) or ports.data.repositories_of(job.owner_id)
    gone, deleted, after = _Gone(ports.app, ports.deadline.clock), Deleted(), job.after
    while True:
        part = ports.data.look(after)
        due = [item for item in part.items if item.repository_id in ids and (job.again or not item.is_entry)]
        delete([item for item in due if gone.has(item.repository_id)], ports.data, ports.vectors, deleted)
        after = part.after
        if after is None:
            break
        if ports.deadline.left() < _PART_SECONDS:
            ports.queue.send("reviews", job.continued(after))
            return Outcome("continued", "the time of this invocation is up", _facts(deleted, gone))
    _delete_rest(ids, gone, ports.vectors, deleted)
    if not job.again:
        ports.queue.send("reviews", job.second_look(WAITS))
    return Outcome("completed", "the second look" if job.again else "the first look", _facts(deleted, gone))


def delete(items: Sequence[StoredItem], data: RepositoryData, vectors: StoredVectors, deleted: Deleted) -> None:
    """Delete items and the vectors that they name, and count them. Items stay until their vectors are gone."""
    keys = [item.vector for item in items if item.vector is not None]
    vectors.delete(keys)
    deleted.vectors += len(keys)
    data.delete(items)
    deleted.items += len(items)


def _delete_rest(ids: Set[int], gone: "_Gone", vectors: StoredVectors, deleted: Deleted) -> None:
    """Delete the vectors that no item names. GitHub is asked about the repositories that have some."""
    unseen = set(ids)
    while found := unseen & vectors.repositories_left(sorted(unseen)):
        deleted.vectors += vectors.delete_rest([each for each in sorted(found) if gone.has(each)])
        unseen -= found


class _Gone:
    """The repositories without the App, by GitHub. Where it is installed, everything is kept for the whole message."""

    def __init__(self, app: App, clock: Clock) -> None:
        self._app, self._clock = app, clock
        self._asked: dict[int, float] = {}
        self.installed: set[int] = set()

    def has(self, repository: int) -> bool:
        if repository in self.installed:
            return False
        now = self._clock.now()
        if now - self._asked.get(repository, -_GONE_SECONDS) >= _GONE_SECONDS:
            if self._app.installation(repository) is not None:
                self.installed.add(repository)
                return False
            self._asked[repository] = now
        return True

    def __len__(self) -> int:
        return len(self._asked)


def _facts(deleted: Deleted, gone: _Gone) -> dict[str, int]:
    return {
        "deleted_items": deleted.items,
        "deleted_vectors": deleted.vectors,
        "deleted_repositories": len(gone),
        "installed_repositories": len(gone.installed),
    }
