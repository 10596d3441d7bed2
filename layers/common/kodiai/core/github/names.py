"""GitHub's names and ids, in the forms that it gives them."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

MOST_SAID = 16_000
"""The most characters of a comment that are read: a message of SQS has room for them in any encoding."""

# No name of a repository is of dots alone, which would be a step in a path.
RepositoryName = Annotated[
    str, Field(max_length=201, pattern=r"^[A-Za-z0-9_-]{1,100}/\.*[A-Za-z0-9_-][A-Za-z0-9._-]*$")
]
Owner = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,100}$")]
# Nothing that SQS refuses in the name of a group.
Login = Annotated[str, Field(pattern=r"^[!-~]{1,100}$")]
LabelName = Annotated[str, Field(max_length=1_000)]
Title = Annotated[str, Field(max_length=1_000)]
NodeId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_=+/-]{1,200}$")]
Number = Annotated[int, Field(gt=0, lt=2**53)]
DeliveryId = Annotated[str, Field(pattern=r"^[A-Za-z0-9.-]{1,128}$")]
CommitId = Annotated[str, Field(pattern=r"^[0-9a-f]{40,64}$")]
# https://git-scm.com/docs/git-check-ref-format
BranchName = Annotated[str, Field(max_length=1_000, pattern=r"^[^\x00-\x20~^:?*\[\\]+$")]

Surface = Literal["thread", "conversation", "review"]
"""Where a comment is: in a thread on the code, in the pull request's conversation, or in the body of a review."""

# The texts of people are in no error, which is logged.
MESSAGE = ConfigDict(frozen=True, strict=True, extra="forbid", hide_input_in_errors=True, defer_build=True)
"""The configuration of models that are parts of a message."""


class RepositoryRef(BaseModel):
    """A repository: "owner/name" for people and for GitHub's API, and GitHub's numeric ids of it and of its owner.

    Everything that is stored has the repository's id in its key: names change, and a name that became free may be
    given to another repository.
    """

    model_config = MESSAGE

    name: RepositoryName
    id: Number
    owner_id: Number
