"""Replies by mail: where the message begins that a mail program puts below the reply.

Programs mark it with ">", or not at all. Its header is known by its form, because its words are in any language: the
sender's address, or date and time, in lines that end with a colon; or a line each for sender, date and subject.
GitHub writes addresses as ***@***.***, without the bracket before them.
"""

import re
from itertools import takewhile
from typing import NamedTuple

_ADDRESS = re.compile(r"\S@\S")
_SENDER = re.compile(r"(?<![^\s<>@])[^\s<>@]{1,100}+@[^\s<>@]{1,100}[>)\]]")
_SENDER_LAST = re.compile(rf"{_SENDER.pattern},?$")
_TIME = re.compile(r"(?<!\d)\d{1,2}[:.h]\d{2}(?!\d)")
_DAY = re.compile(r"(?<!\d)(?:\d{4}|\d{1,2}[./-]\d{1,2}[./-]\d{2})(?!\d)")
_HANDLE = re.compile(r"(?<![^\s(])@\w")
_LABEL = re.compile(r"[*_]{0,3}[^\W\d_][^:：]{0,24}[:：]")
_DIRECTIONS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_LEAST_LABELS = 3
_MOST_LABELS = 10
_MOST_LINES = 3


class MailHeader(NamedTuple):
    """The first line of a header in a paragraph, whether it ends the paragraph, and whether it has an address."""

    first: int
    ends: bool
    has_sender: bool


def mail_header(text: str) -> MailHeader | None:
    """The header of an answered message in a paragraph or an indented block, None if there is none."""
    lines = [line.strip() for line in text.rstrip().split("\n")]
    for at, line in enumerate(lines):
        labels = [*takewhile(_LABEL.match, lines[at : at + _MOST_LABELS])]
        if len(labels) >= _LEAST_LABELS and any(map(_ADDRESS.search, labels)) and any(map(_TIME.search, labels)):
            return MailHeader(at, at + len(labels) == len(lines), has_sender=True)
        if not line.rstrip(_DIRECTIONS).endswith((":", "：")):
            continue
        ends = at == len(lines) - 1
        top = max(0, at + 1 - _MOST_LINES)
        sender = at if _SENDER.search(line) else at - 1
        if sender == at or (at and _SENDER_LAST.search(lines[sender])):
            # The first line has the date, the address may be further down.
            first = next((each for each in range(top, sender) if _TIME.search(lines[each])), sender)
            return MailHeader(first, ends, has_sender=True)
        shown = " ".join(lines[: at + 1])
        if top == 0 and _TIME.search(shown) and _DAY.search(shown) and not _HANDLE.search(shown):
            return MailHeader(0, ends, has_sender=False)
    return None
