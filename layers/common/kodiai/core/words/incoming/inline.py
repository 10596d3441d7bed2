"""What stands within a paragraph: code spans, links, images, addresses and tags."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, autolink, backtick, html_inline, image, link

from kodiai.core.words.incoming.markup import LONGEST_ADDRESS, breaks, gap, shown_html, shown_text
from kodiai.core.words.incoming.signs import Kept, decoded

_MOST_BRACKETS = 400
_LEVELS = 10
_ACTIVE = re.compile(r"[`<&\[\]~\x00-\x08\x0b-\x1f\x7f]")
_AS_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_TILDES = re.compile(r"~{3,}")
_LINK = re.compile(r"!?\[[^\[\]]*+\](?:\([^()]*+\)?)?")
_HARSH = str.maketrans(dict.fromkeys("`~<>&[]\\", " "))


@dataclass
class References:
    """What the links of a text may refer to, and how many characters their addresses may add to it."""

    room: int
    env: dict[str, object] = field(default_factory=dict)

    def have_room(self, address: str) -> bool:
        """Take the room that an address needs, where there is as much."""
        self.room -= len(address)
        return self.room > 0


@dataclass(frozen=True)
class _Seen:
    """A piece of a paragraph that is no text: code, a tag, an image, an address, the end of a link."""

    kind: str
    start: int
    stop: int
    address: str


def inline(text: str, references: References, kept: Kept) -> str:
    """What a paragraph says, without what is hidden in it; it has as many lines as before."""
    if text.isascii() and not _ACTIVE.search(text):
        return text
    if text.count("[") > _MOST_BRACKETS:
        return words_alone(text)
    seen: list[_Seen] = []
    _PARSER.inline.parse(text, _PARSER, {**references.env, "seen": seen}, [])
    at = 0
    parts = []
    for piece in sorted(seen, key=lambda piece: piece.start):
        parts += [text[at : piece.start], _shown(piece, text, references, kept)]
        at = piece.stop
    return read("".join([*parts, text[at:]]))


def read(text: str) -> str:
    """Prose as it is read: its entities are decoded once, and what they hid is gone; nothing in it opens code."""
    return _TILDES.sub("~~", _AS_TAG.sub("< ", shown_text(decoded(text)))).replace("`", "'")


def words_alone(text: str) -> str:
    """The words of a text with too much markup, without any; what is not closed is gone to the end."""
    for _ in range(_LEVELS):
        text = shown_html(decoded(text), lambda _: " ")[0]
    return _LINK.sub(" ", text).translate(_HARSH)


def _shown(piece: _Seen, text: str, references: References, kept: Kept) -> str:
    raw = text[piece.start : piece.stop]
    if piece.kind == "backticks":
        return "\n".join(kept.keep(row, is_code=True) for row in raw.split("\n"))
    if piece.kind == "html_inline":
        return shown_html(raw, kept.keep)[0] or gap(text, piece.start, piece.stop)
    if piece.kind == "autolink":
        return raw[1:-1]
    fits = len(piece.address) < LONGEST_ADDRESS and (raw[-1] == ")" or references.have_room(piece.address))
    before, empty = ("![]", "") if piece.kind == "image" else ("]", "]")
    return (kept.keep(f"{before}({piece.address})") if fits else empty) + breaks(raw)


def _recorded(kind: str, rule: Callable[[StateInline, bool], bool]) -> Callable[[StateInline, bool], bool]:
    """Let a rule of the parser note what it finds, and where; of a link that is its end."""

    def note(state: StateInline, silent: bool) -> bool:
        seen, start, tokens = state.env["seen"], state.pos, len(state.tokens)
        mark = len(seen)
        if not rule(state, silent):
            return False
        made = state.tokens[tokens:]
        if silent or (kind == "backticks" and not any(token.type == "code_inline" for token in made)):
            return True
        if kind == "image":
            del seen[mark:]  # what stands in its text, which is hidden
        address = next((str(token.attrs[key]) for token in made for key in ("href", "src") if key in token.attrs), "")
        end = state.pos
        first = state.md.helpers.parseLinkLabel(state, start, False) if kind == "link" else start
        state.pos = end
        seen.append(_Seen(kind, first, end, address))
        return True

    return note


def _parser() -> MarkdownIt:
    parser = MarkdownIt("zero", {"html": True}).enable(["escape"])
    rules = {"backticks": backtick, "html_inline": html_inline, "autolink": autolink, "link": link, "image": image}
    for name, rule in rules.items():
        parser.inline.ruler.at(name, _recorded(name, rule))
        parser.enable(name)
    return parser


_PARSER = _parser()
