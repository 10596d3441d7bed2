"""Dresses the words of a text as GitHub does, emoji and mentions, and our severities as badges."""

import re

import emoji

from kodiai.core.findings.finding import SEVERITIES
from local.rendering.clean import ours

_MARKED = re.compile(
    rf"\[(?P<severity>{'|'.join(SEVERITIES)})\]"
    r"|(?<![\w@/.`-])(?P<mention>@[A-Za-z0-9](?:-?[A-Za-z0-9]){0,38}+(?:/[A-Za-z0-9][\w-]{0,99}+)?)(?![\w@-])",
    re.ASCII,
)


def with_emoji(text: str) -> str:
    """Put emoji in the place of their codes; what is no code stays as it is."""
    return emoji.emojize(text, language="alias") if ":" in text else text


def dressed(escaped: str, *, linked: bool = False) -> str:
    """Dress words that are escaped HTML already; where they are `linked`, nobody is mentioned."""

    def mark(found: re.Match[str]) -> str:
        if severity := found["severity"]:
            return f"<span{ours(f'severity {severity.lower()}')}>{severity}</span>"
        return found[0] if linked else f"<strong{ours('mention')}>{found[0]}</strong>"

    return _MARKED.sub(mark, with_emoji(escaped))
