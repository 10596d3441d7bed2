"""Cutting a text that is too long where a reader expects an end."""

import re

_MARK = "[cut here]"
_ENDS = (re.compile(r"\n[ \t\r]*\n"), re.compile(r"\n"), re.compile(r"\s"))
# An end that comes sooner would cost more text than it is worth.
_KEPT = 2 / 3


def cut(text: str, characters: int) -> str:
    """Give a text of at most so many characters as it is, of a longer one its beginning, and say there that it is cut.

    It ends with a paragraph if one ends in the last third of the room, else with a line, else with a word.
    Only a text without any white space there, such as Chinese, ends at the last character that fits.
    """
    if len(text) <= characters:
        return text
    room = text[: characters + 1]
    for end in _ENDS:
        starts = [found.start() for found in end.finditer(room, int(characters * _KEPT))]
        if starts:
            return f"{room[: starts[-1]].rstrip()}\n{_MARK}"
    return f"{text[:characters]}\n{_MARK}"
