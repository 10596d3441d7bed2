"""What others wrote, as the model is shown it: JSON objects, one a line, each cut to the room that there is for it."""

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence

from markdown_it import MarkdownIt

from kodiai.core.conversation.comment import Comment

_WHOLE = 3  # the last turns, shown whole; of older ones only the first sentence is
_LONGEST_SENTENCE = 200
_READ = 4_000  # characters of a turn in which its first sentence is looked for
_LOOKED_AT = 1_000  # characters of a paragraph in which its first sentence ends, if it is to be whole
_LEAST_TURN = 100  # characters below which a turn is better left out than cut
_LEAST_TEXT = 20

_MARKDOWN = MarkdownIt("commonmark").disable("inline")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(?:.+?)(?<!`)\1(?!`)")
_ABBREVIATED = r"(?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bcf)(?<!\bvs)"
_END = re.compile(rf"(?:(?:{_ABBREVIATED}\.|[!?…])[.!?…]*[\"'”’)\]*_]*(?=\s|\Z)|[。！？])", re.IGNORECASE)
_BREAKS = {ord(char): f"\\u{ord(char):04x}" for char in "\x7f\x85\u2028\u2029"}  # JSON lets them stand in a line


def row(facts: Mapping[str, object], texts: Mapping[str, str], room: int) -> str:
    """Write one JSON object on a line of at most `room` characters, "" where there is no room for its facts.

    Texts share the room; those that are too long end in "…", and the last are left out where it is very small.
    """
    for count in range(len(texts), -1, -1):
        kept = dict(list(texts.items())[:count])
        left = room - len(_json({**facts, **dict.fromkeys(kept, "")}))
        wants = [_size(text) for text in kept.values()]
        if left >= sum(min(want, _LEAST_TEXT) for want in wants):
            given = _divided(left, wants, [left // max(1, count)] * count)
            cuts = {name: _cut(text, size) for (name, text), size in zip(kept.items(), given, strict=True)}
            return _json({**facts, **cuts})
    return ""


def talk(turns: Sequence[Comment], room: int) -> str:
    """Write what was said (oldest first) in at most `room` characters, and how many turns there was no room for.

    The last ones are whole, or cut where even they do not fit; of older ones the newest first sentences are shown.
    """
    rows = _rows(turns, room)
    if len(rows) < len(turns):
        rows = _rows(turns, room - len(_not_shown(len(turns))) - 1)
        rows = [_not_shown(len(turns) - len(rows)), *rows]
    text = "\n".join(rows)
    return text if len(text) <= room else ""


def first_sentence(text: str) -> str:
    """Give the first sentence of a text's prose, at most 200 characters; code and quotes are no prose.

    `text` is Markdown, and so is the sentence. "" where there is no prose.
    """
    quotes = 0
    for token in _MARKDOWN.parse(text[:_READ]):
        if token.type in ("blockquote_open", "blockquote_close"):
            quotes += token.nesting
        elif token.type == "inline" and not quotes and token.content.strip():
            return _first_of(" ".join(token.content.split()))
    return ""


def largest(fits: Callable[[int], bool], most: int) -> int:
    """The largest number from 1 to `most` that fits, 0 where none does; whatever is smaller than one that fits does."""
    return bisect_left(range(1, most + 1), True, key=lambda number: not fits(number))


def _rows(turns: Sequence[Comment], room: int) -> list[str]:
    """The rows of the newest turns, oldest first, as many as fit."""
    room += 1  # the last one ends without a newline
    recent = list(reversed(turns[-_WHOLE:]))
    wants = [len(_turn(turn, turn.body)) + 1 for turn in recent]
    while sum(wants) > room < _LEAST_TURN * len(recent) and len(recent) > 1:
        recent.pop()
        wants.pop()
    given = _divided(room, wants, [room // 2, room // 3, room // 6][: len(recent)])
    rows: list[str] = []
    for turn, size in zip(recent, given, strict=True):
        text = _turn(turn, turn.body, size - 1)
        if not text:
            return rows[::-1]
        rows.append(text)
    left = room - sum(len(text) + 1 for text in rows)
    for turn in reversed(turns[: len(turns) - len(recent)]):
        text = _turn(turn, _shortened(turn.body))
        if len(text) >= left:
            break
        rows.append(text)
        left -= len(text) + 1
    return rows[::-1]


def _turn(turn: Comment, said: str, room: int | None = None) -> str:
    """One turn; where there is little room its text is cut, and where there is none it is left out."""
    by = _speaker(turn)
    left = _size(said) if room is None else room - len(_json({"by": by, "said": ""}))
    return _json({"by": by, "said": _cut(said, left)}) if left >= min(_size(said), _LEAST_TEXT) else ""


def _speaker(turn: Comment) -> str:
    """Who said it; what stands in brackets is never part of a login, and neither can be "you"."""
    if turn.is_ours:
        return "you"
    login = turn.author or "ghost"
    if turn.is_bot:
        return f"{login.removesuffix('[bot]')} (bot)"
    return f"{login} (a person)" if login.casefold() == "you" else login


def _shortened(text: str) -> str:
    first = first_sentence(text)
    return first if first == text.strip() or first.endswith("…") else f"{first} …".lstrip()


def _first_of(words: str) -> str:
    """Cut a paragraph after its first sentence; what ends within code ends no sentence."""
    found = _END.search(_CODE_SPAN.sub(lambda span: "x" * len(span.group()), words[:_LOOKED_AT]))
    sentence = words[: found.end()] if found else words
    return sentence if len(sentence) <= _LONGEST_SENTENCE else f"{sentence[: _LONGEST_SENTENCE - 1].rstrip()}…"


def _not_shown(count: int) -> str:
    return "1 earlier turn not shown." if count == 1 else f"{count} earlier turns not shown."


def _divided(room: int, wants: Sequence[int], shares: Sequence[int]) -> list[int]:
    """Give each what it wants up to its share, then what is left to the first that want more."""
    given = [min(want, share) for want, share in zip(wants, shares, strict=True)]
    left = room - sum(given)
    for at, want in enumerate(wants):
        more = max(0, min(want - given[at], left))
        given[at] += more
        left -= more
    return given


def _cut(text: str, room: int) -> str:
    """Cut a text so that it takes at most `room` characters as JSON, without the quotation marks around it."""
    if _size(text) <= room:
        return text
    kept = largest(lambda length: _size(text[:length]) < room, min(len(text), room))
    return f"{text[:kept].rstrip()}…" if room > 0 else ""


def _size(text: str) -> int:
    return len(_json(text)) - 2


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).translate(_BREAKS)
