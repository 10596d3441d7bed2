"""The steps that `kodiai review` plays on a local repository, in the order of the options: pushes and people."""

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

Role = Literal["read", "triage", "write", "maintain", "admin"]

_ROLES = get_args(Role)
_LOGIN = re.compile(r"[A-Za-z0-9](?:-?[A-Za-z0-9]){0,38}")
_REPLY = re.compile(r"(\d{1,9}):(.*)", re.DOTALL)
_REACTION = re.compile(r"([1-9]\d{0,8}):([+-]1)")
_ESCAPED = re.compile(r"\\(\\|n)")


@dataclass(frozen=True)
class Push:
    """The head that is pushed, and where the base branch is then (None: where it was)."""

    head: str
    base: str | None = None


@dataclass(frozen=True)
class Speaker:
    """A person who replies and reacts from then on, and their role in the repository."""

    login: str
    role: Role = "write"


@dataclass(frozen=True)
class Reply:
    """A reply to an inline comment of the latest review that has any, from 1; 0 is the pull request itself."""

    comment: int
    text: str


@dataclass(frozen=True)
class React:
    """A reaction 👍 ("+1") or 👎 ("-1") to an inline comment, counted as for a reply."""

    comment: int
    content: Literal["+1", "-1"]


Step = Push | Speaker | Reply | React


def push(text: str) -> Push:
    """Read "HEAD[,BASE]"."""
    head, _, base = text.partition(",")
    return Push(head, base or None)


def speaker(text: str) -> Speaker:
    """Read "LOGIN[:ROLE]". Raises argparse.ArgumentTypeError."""
    login, _, role = text.partition(":")
    if not _LOGIN.fullmatch(login):
        raise argparse.ArgumentTypeError(f"{login!r} is not a login")
    if role not in ("", *_ROLES):
        raise argparse.ArgumentTypeError(f"{role!r} is not a role: use one of {', '.join(_ROLES)}")
    return Speaker(login, cast(Role, role or "write"))


def reply(text: str) -> Reply:
    r"""Read "N:TEXT", in which "\n" starts a line and "\\" is a backslash. Raises argparse.ArgumentTypeError."""
    found = _REPLY.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not N:TEXT, where N is a comment's number, or 0")
    words = _ESCAPED.sub(lambda escaped: "\n" if escaped[1] == "n" else "\\", found[2])
    if not words.strip():
        raise argparse.ArgumentTypeError(f"{text!r} has no text")
    return Reply(int(found[1]), words)


def react(text: str) -> React:
    """Read "N:+1" or "N:-1". Raises argparse.ArgumentTypeError."""
    found = _REACTION.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not N:+1 or N:-1, where N is a comment's number")
    return React(int(found[1]), cast(Literal["+1", "-1"], found[2]))


def order_error(steps: Sequence[Step]) -> str | None:
    """The mistake in the order of the steps, None where they can be played."""
    first = next((step for step in steps if not isinstance(step, Speaker)), None)
    if isinstance(first, Push):
        return None
    if first is None:
        return "--as: there is no --reply and no --react"
    option = "--reply" if isinstance(first, Reply) else "--react"
    return f"{option}: nothing has been pushed yet; --push comes first"
