"""Open pull requests of which no webhook arrived: which event was missed, and the job that it would have led to."""

from dataclasses import dataclass

from kodiai.core.events.decide import MEMBERS
from kodiai.core.events.job import Job, Trigger
from kodiai.core.github.comment import GHOST
from kodiai.core.github.names import RepositoryRef


@dataclass(frozen=True)
class Installation:
    """An installation of our App: its id, None where a token serves, and what it was granted.

    `since` is when it was created, in seconds since the epoch; what happened before is none of ours.
    """

    id: int | None
    since: float
    permissions: dict[str, str]


@dataclass(frozen=True)
class OpenPullRequest:
    """An open pull request, as a list shows it. `id` is GitHub's global id; times are seconds since the epoch.

    `author` is None where that account is gone. `association` is GitHub's word for how the author belongs to the
    repository.
    """

    repository: RepositoryRef
    number: int
    id: str
    head: str
    draft: bool
    created_at: float
    updated_at: float
    author: str | None
    by_bot: bool
    association: str

    @property
    def state(self) -> str:
        """The state whose event was missed: the head, as a draft or not."""
        return f"{self.head}-draft" if self.draft else self.head


@dataclass(frozen=True)
class LastEvents:
    """When the head of a pull request was committed and when it was last taken out of draft, None if not known.

    GitHub does not tell when a head was pushed.
    """

    committed_at: float | None = None
    ready_at: float | None = None


@dataclass(frozen=True)
class KnownRuns:
    """The ledger's record of a pull request: whether it was reviewed, and the heads that have a run.

    `swept` is the state for which a sweep has queued a job before, None if none has.
    """

    was_reviewed: bool = False
    heads: frozenset[str] = frozenset()
    is_under_way: bool = False
    swept: str | None = None

    def lacks_run(self, pull_request: OpenPullRequest) -> bool:
        """Whether its head has no run, and no sweep has asked for one."""
        return not (self.is_under_way or pull_request.head in self.heads or pull_request.state == self.swept)


def missed_trigger(
    pull_request: OpenPullRequest, last: LastEvents, since: float, *, was_reviewed: bool
) -> Trigger | None:
    """Say which event since then would have led to a review of the head, None if there was none.

    A pull request that has been reviewed is reviewed again for a push only.
    """
    if not was_reviewed:
        if last.ready_at is not None and last.ready_at >= since:
            return "ready_for_review"
        if pull_request.created_at >= since:
            return "opened"
    return "synchronize" if last.committed_at is not None and last.committed_at >= since else None


def missed_job(pull_request: OpenPullRequest, trigger: Trigger, installation: int | None) -> Job:
    """The job of a webhook that did not come, as if the author had caused it; equal ones have the same name."""
    ref, author = pull_request.repository, pull_request.author
    return Job(
        delivery=f"sweep-{ref.id}-{pull_request.number}-{pull_request.state}",
        repository=ref.name,
        repository_id=ref.id,
        owner_id=ref.owner_id,
        number=pull_request.number,
        installation=installation,
        trigger=trigger,
        sender=author or GHOST,
        outsider=None if pull_request.association in MEMBERS else author,
        by_bot=pull_request.by_bot,
    )
