"""Whether it is worth looking for a mention at all, for a door that has no time to parse Markdown."""

import re

_AT = re.compile(r"(?<![A-Za-z0-9])@[A-Za-z0-9]")


def may_mention(text: str) -> bool:
    """Whether a comment could mention somebody. It is never False where `parse_comment` finds a mention."""
    return _AT.search(text) is not None
