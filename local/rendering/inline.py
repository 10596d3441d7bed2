"""Emoji, mentions and severity badges in a line of text, as GitHub shows them."""

import re

import emoji

from kodiai.core.findings.finding import SEVERITIES
from local.rendering.sanitize import sealed

SEVERITY = re.compile(rf"\[({'|'.join(SEVERITIES)})\]")
_MARKED = re.compile(
    rf"{SEVERITY.pattern}"
    r"|(?<![\w@/.`-])(@[A-Za-z0-9](?:-?[A-Za-z0-9]){0,38}+(?:/[A-Za-z0-9][\w-]{0,99}+)?)(?![\w@-])",
    re.ASCII,
)


def with_emoji(text: str) -> str:
    """Replace emoji codes by emoji; unknown codes stay."""
    return emoji.emojize(text, language="alias") if ":" in text else text


def decorated(escaped: str, *, linked: bool = False) -> str:
    """Add emoji, badges and mentions to escaped HTML; text that is `linked` has no mentions."""

    def mark(found: re.Match[str]) -> str:
        if severity := found[1]:
            return sealed(f'<span class="severity {severity.lower()}">{severity}</span>')
        return found[0] if linked else sealed(f'<strong class="mention">{found[0]}</strong>')

    return _MARKED.sub(mark, with_emoji(escaped))
