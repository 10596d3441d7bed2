"""The issues that a pull request closes, by the words of its description.

Source: https://docs.github.com/issues/tracking-your-work-with-issues/using-issues/linking-a-pull-request-to-an-issue
"""

import re

from local.github.hosted_repository import HostedRepository
from local.github.state import Issue, PullRequest

_UNREAD = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|^[ \t]*(?P<fence>`{3,}|~{3,}).*?(?:^[ \t]*(?P=fence)|\Z)"
    r"|(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)",
    re.DOTALL | re.MULTILINE,
)
_CLOSES = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+"
    r"(?:https?://[^\s/]+/(?P<by_url>[\w.-]+/[\w.-]+)/issues/|(?P<by_name>[\w.-]+/[\w.-]+)?\#|GH-)(?P<number>[0-9]+)\b",
    re.IGNORECASE | re.VERBOSE,
)


def issues_closed_by(repository: HostedRepository, pull: PullRequest) -> list[Issue]:
    """The issues of this name that the description says it closes, in its order, each once.

    Code and comments say nothing. GitHub reads the words only where the base is the default branch; here any base
    counts, because a second pull request into that branch may get one of its own.
    """
    text = _UNREAD.sub(" ", pull.body or "")
    here = [found for found in _CLOSES.finditer(text) if _is_here(repository, found["by_url"] or found["by_name"])]
    numbers = dict.fromkeys(int(found["number"]) for found in here)
    return [repository.state.issues[number] for number in numbers if number in repository.state.issues]


def _is_here(repository: HostedRepository, name: str | None) -> bool:
    return name is None or name.lower() == repository.full_name.lower()
