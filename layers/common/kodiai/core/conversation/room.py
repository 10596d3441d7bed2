"""How the parts of a context share its budget in characters."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kodiai.core.conversation.turns import largest

LONGEST_LISTED = 400
"""Characters of an entry in a list, and of a line of code where others want the room too."""

_SHARES = 16  # a part's share is told in so many parts of the budget
_LEAST_CODE = 20


@dataclass(frozen=True)
class Part:
    """A part of a context. `show` gives at most so many characters of it, "" where it has nothing for them.

    `share` is what it may take whatever the others want, in parts of the budget; `least` is that in characters.
    """

    title: str
    share: int
    least: int
    body: Callable[[int], str]

    def show(self, room: int) -> str:
        """Show the part under its heading, in so many characters or fewer."""
        heading = f"\n\n## {self.title}\n\n"
        text = self.body(room - len(heading)) if room > len(heading) else ""
        return heading + text if text else ""


def arranged(heading: str, parts: Sequence[Part], budget: int) -> str:
    """Arrange parts under a heading: each has its share, then those with more to show have what is left over.

    What was said is served before all others, for without it there is nothing to answer.
    """
    served = [*parts[-1:], *parts[:-1]]
    left = budget - len(heading)
    shown: dict[str, str] = {}
    for part in served:
        share = max(part.share * budget // _SHARES, part.least)
        shown[part.title] = part.show(min(share, left))
        left -= len(shown[part.title])
    for part in served:
        left += len(shown[part.title])
        shown[part.title] = part.show(left)
        left -= len(shown[part.title])
    return heading + "".join(shown[part.title] for part in parts)


def grown(show: Callable[[int, int], str], rows: Sequence[str], room: int) -> str:
    """Show as many rows as there is room for, long ones cut, then as much of those as there is still room for.

    `show` is given how many rows, and how many characters of each.
    """
    widest = max(map(len, rows))
    count = max(1, largest(lambda count: len(show(count, LONGEST_LISTED)) <= room, min(len(rows), room)))
    width = largest(lambda width: len(show(count, width)) <= room, min(widest, room))
    text = show(count, width)
    return text if len(text) <= room and width >= min(widest, _LEAST_CODE) else ""


def clipped(text: str, width: int) -> str:
    """Cut a line behind so many characters, and mark that."""
    return text if len(text) <= width else f"{text[:width]}…"


def newest(entries: Sequence[str], room: int) -> list[str]:
    """The last entries, as many as fit, each after a newline."""
    rows: list[str] = []
    for entry in reversed(entries):
        room -= len(entry) + 1
        if room < 0:
            break
        rows.append(entry)
    return rows[::-1]
