"""The results of reading a diff and of applying it: the files that it touches, and its problems."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Operation = Literal["create", "modify", "delete", "rename", "copy"]


class AffectedFile(BaseModel):
    """A file that a diff touches.

    `path` is where it is afterwards, or was before it is deleted; `previous_path` where a renamed or copied file was.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    path: str
    operation: Operation
    added: int = Field(description="How many lines are added.")
    removed: int = Field(description="How many lines are removed.")
    previous_path: str | None = None


class Problem(BaseModel):
    """Why a diff does not apply, or may not.

    `path` is the file, None if it is about the whole diff. `hunk` counts the hunks of the file from 1, None if it is
    about the file. `expected` are the lines that the hunk wants to find (context and removed lines), without line
    ends; `found` are the lines that are there, where the hunk's header says; `line` is the number of the first, from 1.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    message: str
    path: str | None = None
    hunk: int | None = None
    line: int | None = None
    expected: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
