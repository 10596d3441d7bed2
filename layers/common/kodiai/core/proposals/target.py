"""The target of a proposal, the files there, and the caller."""

from dataclasses import dataclass

from kodiai.core.errors import Refused
from kodiai.core.github.comment import Permission
from kodiai.core.github.names import RepositoryRef


class NotAuthenticated(Refused):
    """The token is nobody's: it is wrong, or it has expired or was revoked."""


class NoTarget(Refused):
    """There is no such pull request or commit."""


@dataclass(frozen=True)
class Caller:
    """The owner of a token, and what they may do in a repository, which is named as GitHub spells it.

    `repository_id` and `owner_id` are GitHub's numeric ids of the repository and of its owner, 0 where they may not
    know of it.
    """

    login: str
    permission: Permission
    repository: str
    repository_id: int
    owner_id: int

    @property
    def ref(self) -> RepositoryRef:
        """The repository."""
        return RepositoryRef(name=self.repository, id=self.repository_id, owner_id=self.owner_id)

    @property
    def may_write(self) -> bool:
        """Whether they may write to the repository."""
        return self.permission in ("write", "admin")

    @property
    def may_read(self) -> bool:
        """Whether they may read the repository."""
        return self.permission != "none"


@dataclass(frozen=True)
class ProposalTarget:
    """The target of a proposal.

    `head` is the commit that the diff has to apply to: the head of the pull request now, or the commit that was named.
    `base_ref` is the branch whose settings apply, `default_branch` another one whose restrictions apply too.
    `branch` is the pull request's branch, None for a commit.
    `closed` says why nothing can be applied to it, None if it can.
    """

    head: str
    base_ref: str
    branch: str | None = None
    closed: str | None = None
    default_branch: str | None = None
