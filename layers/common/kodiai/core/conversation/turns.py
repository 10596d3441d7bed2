"""What others wrote in a conversation, as the model is shown it: JSON objects, one a line."""

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt

from kodiai.core.conversation.comment import Comment
from kodiai.core.conversation.room import newest, row, shares

_WHOLE = 3  # the last turns, shown whole; of older ones only the first sentence is
_LONGEST_SENTENCE = 200
_READ = 4_000  # characters of a turn in which its first sentence is looked for
_LOOKED_AT = 1_000  # characters of a paragraph in which its first sentence ends, if it is to be whole
_LEAST_TURN = 100  # characters below which a turn is better left out than cut

_MARKDOWN = MarkdownIt("commonmark").disable("inline")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(?:.+?)(?<!`)\1(?!`)")
_ABBREVIATED = r"(?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bcf)(?<!\bvs)"
_END = re.compile(rf"(?:(?:{_ABBREVIATED}\.|[!?…])[.!?…]*[\"'”’)\]*_]*(?=\s|\Z)|[。！？])", re.IGNORECASE)


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


def _rows(turns: Sequence[Comment], room: int) -> list[str]:
    """The rows of the newest turns, oldest first, as many as fit."""
    whole = [_turn(turn, turn.body) for turn in turns[-_WHOLE:]]
    while len("\n".join(whole)) > room < _LEAST_TURN * len(whole) and len(whole) > 1:
        whole.pop(0)
    recent = turns[len(turns) - len(whole) :]
    given = shares(room + 1 - len(whole), [len(text) for text in whole])
    rows = [_turn(turn, turn.body, size) for turn, size in zip(recent, given, strict=True)]
    if not all(rows):
        return [text for text in rows[-1:] if text]
    older = [_turn(turn, _shortened(turn.body)) for turn in turns[: len(turns) - len(whole)]]
    return [*newest(older, room - len("\n".join(rows))), *rows]


def _turn(turn: Comment, said: str, room: int = 1_000_000) -> str:
    """One turn; where there is little room its text is cut, and where there is none it is left out."""
    facts = {"by": _speaker(turn)}
    text = row(facts, {"said": said}, room)
    return "" if text == row(facts, {}, room) else text


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
