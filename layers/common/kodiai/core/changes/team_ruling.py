"""The ruling of a reader on a rule of the team, or on what a linked issue asks for."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

MOST_CRITERIA = 8
"""The most that is ruled on of all linked issues together."""

ISSUE = "issue"
"""The name under which a new criterion is ruled on; from then on it is "issue-1" and so on."""

PULL_REQUEST_TEXTS = frozenset({"title", "description", "commits", "linked issues"})
"""The texts of a pull request that may have been looked at, besides files."""


class TeamRuling(BaseModel):
    """The ruling on one rule, or on one criterion of the linked issues.

    A pass and a fail show a line of code, or else name what was looked at.
    """

    model_config = ConfigDict(frozen=True)

    rule: str = Field(description='Its id; "issue" for one thing that a linked issue asks for.')
    result: Literal["pass", "fail", "not_applicable", "cannot_tell"]
    why: str
    path: str = ""
    quote: str = Field(default="", description="The line that shows it.")
    looked_at: tuple[str, ...] = Field(default=(), description="Files, folders, texts of the pull request.")
    criterion: str = Field(default="", description='With "issue": what the issue asks for.')

    @property
    def is_criterion(self) -> bool:
        """Whether it is about a linked issue."""
        return is_criterion(self.rule)


def is_criterion(rule: str) -> bool:
    """Whether an id is that of a criterion of a linked issue."""
    return rule.startswith(f"{ISSUE}-")
