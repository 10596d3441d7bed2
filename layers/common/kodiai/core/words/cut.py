"""Cutting a text that is too long where a reader expects an end."""

import re

_MARK = "[cut here]"
# An end that comes sooner than after so much of the room would cost more text than it is worth.
_ENDS = ((re.compile(r"\n[ \t\r]*\n"), 2 / 3), (re.compile(r"\n"), 2 / 3), (re.compile(r"\s"), 1 / 2))


def cut(text: str, characters: int) -> str:
    """Give a text of at most so many characters as it is, of a longer one its beginning, and say there that it is cut.

    It ends with a paragraph if one ends in the last third of the room, else with a line, else with a word.
    Only a text without white space in half of the room, such as Chinese, ends at the last character that fits.
    """
    if len(text) <= characters:
        return text
    room = text[: characters + 1]
    for end, kept in _ENDS:
        starts = [found.start() for found in end.finditer(room, int(characters * kept))]
        if starts:
            return f"{room[: starts[-1]].rstrip()}\n{_MARK}"
    return f"{text[:characters]}\n{_MARK}"
