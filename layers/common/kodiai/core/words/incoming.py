"""Prose that others wrote, as its readers see it: nothing in it is hidden, and its code is as it was.

What GitHub makes of Markdown: https://github.github.com/gfm/
"""

import html
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, autolink, backtick, html_inline, image, link
from markdown_it.token import Token

_ROUNDS = 5
_LEVELS = 10
_MOST_UNCLOSED = 50
_MOST_BRACKETS = 400
_MOST_PIPES = 8_000
_LONGEST_ADDRESS = 2_000
_DEEPEST = re.compile(r"^(?:[ \t]*>){17}|^(?:[ \t]*(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t])){17}", re.MULTILINE)

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_PREFIX = re.compile(r"[ \t>]*+(?:(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t]++|\Z)[ \t>]*+)*+")
_HASHES = re.compile(r"#{1,6}[ \t]*")
_LANGUAGE = re.compile(r"[A-Za-z0-9+#.-]{1,20}(?=\s|\Z)")
_OPENS_BLOCK = re.compile(r"[-#>+*=|:_]")

_EMOJI = (
    r"[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff"
    r"\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    r"\u180b-\u180f\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff"
    r"\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U00100000-\U0010ffff]"
    rf"|(?<!{_EMOJI})\ufe0f(?!\u20e3)"
    rf"|\u200d(?!{_EMOJI})|(?<!{_EMOJI})(?<!{_EMOJI}\ufe0f)\u200d"
)
_SEPARATORS = re.compile(r"[\u2028\u2029]")

# Signs of plane 16, which no text that we read holds, stand for what stays as it is: code, and other pieces.
_CODE, _OTHER, _MOST_KEPT = 0x100000, 0x108000, 0x7FF0
_KEPT = re.compile("[\U00100000-\U0010ffef]")
_KEPT_CODE = re.compile("[\U00100000-\U00107fff]")
_LEFT, _RIGHT = "\U0010fff0", "\U0010fff1"  # brackets that were written as entities: they make no link
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_DECODED = {"`": "'", "\n": " ", "\r": " ", "\t": " ", "\\": "/", "[": _LEFT, "]": _RIGHT}
_BRACKETS = str.maketrans({_LEFT: "(", _RIGHT: ")", "`": "'"})
_HARSH = str.maketrans(dict.fromkeys("`~<>&[]\\" + _LEFT + _RIGHT, " "))
_MARKUP = re.compile(r"<(?:!--|\?|!\[CDATA\[|![A-Za-z]|/?[A-Za-z])")
_END = {
    "<!--": re.compile(r"--!?>|(?<=<!--)-?>"),
    "<?": re.compile(r"\?>"),
    "<![": re.compile(r"\]\]>"),
    "<!": re.compile(r">"),
}
_ANGLE = re.compile(r">")
_VALUE = r"""(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)"""
_TAG = re.compile(
    r"""<(?P<close>/?)(?P<name>[A-Za-z][^\s/>]*+)"""
    rf"""(?P<rest>(?:[\s/]++|[^\s/>=]++(?:\s*+=\s*+{_VALUE})?+)*+)"""
    r"""(?P<end>(?:=\s*+)?>)?+""",
)
_ATTRIBUTE = re.compile(rf"(?P<name>[^\s/>=]++)(?:\s*+=\s*+(?P<value>{_VALUE}))?+")
_OPEN_QUOTE = re.compile(r"""\s*=\s*(["'])""")
_NOT_IN_ADDRESS = re.compile(r"""[\s"'<>`\\()\[\]\x00-\x1f\U00100000-\U0010ffff]""")
_TAGS = frozenset(
    "a abbr b bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure"
    " g-emoji h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p picture pre q rp rt ruby s samp section small source span strike"
    " strong sub summary sup table tbody td tfoot th thead time tr tt ul var video wbr".split()
)
_TITLE = re.compile(
    r"""(?P<address>[\]\U0010fff1]\([ \t\n]*+(?:<[^<>\n]*+>|[^\s<>"'][^\s]{0,300}))"""
    r"""[ \t\n]++(?:"[^"]*+"|'[^']*+'|\([^()]*+\))[ \t\n]*+\)"""
)
_ALT = re.compile(r"![\[\U0010fff0][^\[\]\U0010fff0\U0010fff1]*+[\]\U0010fff1](?=\()")
_AS_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_TILDES = re.compile(r"~{3,}")
_ACTIVE = re.compile(r"[`<&\[\]~\x00-\x08\x0b-\x1f\x7f]")
_LONE_TAG = re.compile(r"</?[A-Za-z][^<>]*>\s*")
_TAG_NAME = re.compile(r"</?[A-Za-z0-9]*")
_KNOWN_SPACE = re.compile(r"(?:[ \t]|\S)*")
_SPACES = re.compile(r"[ \t]{2,}")


def incoming(text: str) -> str:
    """Give a text as its readers see it: without comments, invisible signs, hidden attributes, titles and definitions.

    Fenced and indented code and code spans stay to the letter, line ends included; only what a fence says beside its
    language goes. Entities are decoded, however often they were encoded; what they hid is hidden no more, or gone.
    Cleaning a clean text changes nothing. The result is at most a few times as long as the text.
    """
    if _DEEPEST.search(text) or text.count("|") > _MOST_PIPES:
        return _harshly(text)
    for _ in range(_ROUNDS):
        cleaned = _cleaned(text)
        if cleaned == text:
            return text
        text = cleaned
    return _harshly(text)


def visible(text: str) -> str:
    """Take from a text, code or not, the signs that nobody sees, or that turn its direction; emoji stay whole."""
    return _SEPARATORS.sub(" ", _UNSEEN.sub("", text))


def _harshly(text: str) -> str:
    """Take from a text that is made to deceive all that markup is made of, code too."""
    lines = _read(text.replace("\r\n", "\n").replace("\r", "\n")).translate(_HARSH).split("\n")
    return "\n".join(re.sub(r"^[-#>+*=|:_ \t.)0-9]+", "", " ".join(line.split())) for line in lines)


@dataclass
class _Block:
    """Lines of a text that belong together, 0-based, and what they say without what stands before them."""

    first: int
    stop: int
    kind: Literal["code", "rule", "html", "row", "text"]
    contents: list[str] = field(default_factory=list)  # the cells of a row; else one text
    info: str = ""
    markup: str = ""


@dataclass
class _Kept:
    """The pieces of a block that stay as they are, in order; each is one sign in the block's text."""

    pieces: list[str] = field(default_factory=list)

    def keep(self, piece: str, first: int = _OTHER) -> str:
        """Put a piece away, and give the sign that stands for it."""
        if not piece or len(self.pieces) == _MOST_KEPT:
            return ""
        self.pieces.append(piece)
        return chr(first + len(self.pieces) - 1)

    def put_back(self, text: str) -> str:
        """Put every piece where its sign stands."""
        return _KEPT.sub(lambda sign: self.pieces[ord(sign.group()) % (_OTHER - _CODE)], text)


def _cleaned(text: str) -> str:
    lines = _LINE.findall(text)
    env: dict[str, object] = {}
    tokens = _BLOCKS.parse(text.replace("\x00", "\ufffd"), env)
    budget = [2 * len(text)]
    out: list[str] = []
    at = 0
    blocks = list(_blocks(tokens))
    index = 0
    while index < len(blocks):
        block = blocks[index]
        out += [_bare(line) for line in lines[at : block.first]]
        at = max(at, block.stop)
        index += 1
        mine = lines[block.first : block.stop]
        if block.kind == "code":
            out += _code(block, mine)
        elif block.kind == "rule":
            out += [_ended(line) for line in mine]
        elif block.kind == "row":
            out += _row(block, mine, env, budget)
        elif block.kind == "html":
            told, index, at = _html(blocks, index - 1, lines)
            out += told
        else:
            out += _paragraph(block, mine, env, budget)
    out += [_bare(line) for line in lines[at:]]
    return "".join(out)


def _blocks(tokens: list[Token]) -> Iterator[_Block]:
    """The blocks of a text that say something, in order; the cells of a row are one."""
    cells: list[str] = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        start, stop = token.map or (0, 0)
        opener = before.type if before else ""
        if token.type in ("fence", "code_block"):
            yield _Block(start, stop, "code", info=token.info, markup=token.markup)
        elif token.type == "hr":
            yield _Block(start, stop, "rule")
        elif token.type == "html_block":
            yield _Block(start, stop, "html", [token.content])
        elif token.type == "tr_open":
            cells, row = [], start
        elif token.type == "inline" and opener in ("th_open", "td_open"):
            cells.append(token.content)
        elif token.type == "tr_close":
            yield _Block(row, row + 1, "row", cells)
        elif token.type == "thead_close":
            yield _Block(row + 1, row + 2, "rule")
        elif token.type == "inline" and before:
            yield _Block(start, stop, "text", [token.content], markup=before.markup)


def _ended(line: str) -> str:
    said = line.rstrip("\r\n")
    return f"{said}\n" if said != line else said


def _bare(line: str) -> str:
    """A line that no block holds: it is blank, or defines what links may refer to, which nobody sees."""
    said = line.rstrip("\r\n")
    found = _PREFIX.match(said)
    kept = found.group() if found and said.strip() else ""
    return f"{kept}\n" if said != line else kept


def _code(block: _Block, lines: list[str]) -> list[str]:
    """Code as it is; a fence keeps of its first line the language alone."""
    if block.markup and block.info.strip():
        end = lines[0].index(block.markup) + len(block.markup)
        info = lines[0][end:].lstrip(" \t")
        language = _LANGUAGE.match(info)
        if not language or info.strip() != language.group():
            ending = lines[0][len(lines[0].rstrip("\r\n")) :]
            return [f"{lines[0][:end]}{language.group() if language else ''}{ending}", *lines[1:]]
    return lines


def _row(block: _Block, lines: list[str], env: dict[str, object], budget: list[int]) -> list[str]:
    """A row of a table, without the cells that it has too many."""
    cells = [cell.replace("|", "\\|") for cell in block.contents]
    at = lines[0].find(cells[0]) if cells and cells[0] else lines[0].find("|")
    before = _UNSEEN.sub("", lines[0][: max(at, 0)]).rstrip(" \t|")
    told = []
    for cell in block.contents:
        kept = _Kept()
        told.append(kept.put_back(_inline(cell, env, budget, kept)).replace("\n", " ").strip().replace("|", "\\|"))
    while len(told) > 1 and not told[-1]:
        told.pop()
    ending = "\n" if lines[0].rstrip("\r\n") != lines[0] else ""
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip(" "))] if not before else f"{before} "
    return [f"{indent}| {' | '.join(told)} |{ending}"]


def _paragraph(block: _Block, lines: list[str], env: dict[str, object], budget: list[int]) -> list[str]:
    """A paragraph or a heading."""
    old = []
    befores = []
    for content, line in zip(_aligned(block, lines), lines, strict=False):
        said = line.rstrip("\r\n")
        at = len(_unspaced(said[: max(said.rfind(content.strip(" \t")), 0)]))
        prefix = _PREFIX.match(line)
        if block.markup.startswith("#") and prefix and (hashes := _HASHES.match(line, prefix.end())):
            befores.append(line[: hashes.end()])
            old.append(content.strip(" \t"))
        else:
            befores.append(said[:at])
            old.append(said[at:])
    kept = _Kept()
    carriage = {at for at, line in enumerate(lines) if line.endswith("\r\n")}
    new = _inline("\n".join(old), env, budget, kept, carriage).split("\n")
    rest = [_ended(line) for line in lines[len(old) :]]
    ending = "\n" if lines[-1].rstrip("\r\n") != lines[-1] or rest else ""
    said_now = [
        (before, _as_text(was, now, kept))
        for before, was, now in zip(befores, old, new, strict=True)
        if now.strip() or not was.strip(" \t")
    ]
    if not said_now:
        return [f"{befores[0]}{ending}", *rest]
    said_now[0] = (befores[0], said_now[0][1])
    return ["\n".join(f"{before}{now}" for before, now in said_now) + ending, *rest]


def _aligned(block: _Block, lines: list[str]) -> list[str]:
    """The lines of a paragraph; the parser drops first ones that are of spaces which Markdown does not know."""
    contents = block.contents[0].split("\n")
    missing = len(lines) - len(contents) - (block.markup in ("=", "-"))
    first = contents[0].strip()
    lead = next((at for at in range(max(missing, 0)) if first in lines[at].replace("\x00", "\ufffd")), max(missing, 0))
    return [""] * lead + contents + [""] * (missing - lead)


def _unspaced(before: str) -> str:
    """What stands before a line, up to a space that Markdown does not know as one."""
    found = _KNOWN_SPACE.match(before)
    return found.group() if found else ""


def _as_text(was: str, now: str, kept: _Kept, *, is_html: bool = False) -> str:
    """Let a line that begins otherwise than it did open no block; what is kept is put back into it."""
    told = kept.put_back(now)
    tags = _TAG_NAME.match(told), _TAG_NAME.match(was)
    if not is_html and _LONE_TAG.fullmatch(told) and not _LONE_TAG.fullmatch(was):
        return f"…{told}"
    if told[:1] == was[:1] and (not tags[0] or (tags[1] and tags[0].group() == tags[1].group())):
        return told
    told = kept.put_back(_SPACES.sub(" ", now.lstrip()))
    if _OPENS_BLOCK.match(told):
        return f"\\{told}"
    return f"…{told}" if told.startswith("```") or (told.startswith("<") and not is_html) else told


def _html(blocks: list[_Block], index: int, lines: list[str]) -> tuple[list[str], int, int]:
    """A block of HTML; one that ends within a comment or an attribute hides what follows, up to its end.

    Returns its lines, the number of the block that follows, and the line up to which everything is told or hidden.
    """
    block = blocks[index]
    old = block.contents[0].removesuffix("\n").split("\n")
    befores = []
    for content, line in zip(old, lines[block.first : block.stop], strict=False):
        said = line.rstrip("\r\n")
        befores.append(_unspaced(said[: max(0, len(said) - len(content.lstrip(" ")))]))
    old = [content.lstrip(" ") for content in old]
    kept = _Kept()
    masked, closer = _without_markup(_SIGNS.sub("", "\n".join(old)), kept.keep, is_html=True)
    following, stop, merged = index + 1, block.stop, 0
    while closer is not None:
        if following == len(blocks) or merged == _ROUNDS:
            following, stop = len(blocks), len(lines)
            break
        block = blocks[following]
        following, stop = following + 1, block.stop
        # A paragraph's own quotation marks are written as entities; its apostrophes are not.
        is_read = block.kind == "html" or (block.kind == "text" and closer.pattern == "'")
        found = closer.search(block.contents[0]) if is_read else None
        if found:
            rest = _SIGNS.sub("", block.contents[0][found.end() :])
            rest = rest if "--" in closer.pattern else rest.partition(">")[2]
            more, closer = _without_markup(rest, kept.keep, is_html=True)
            masked += f" {more.strip()}".replace("\n", " ")
            merged += 1
    new = _read(masked).translate(_BRACKETS).split("\n")
    is_adjacent = following < len(blocks) and blocks[following].first == stop and blocks[following].kind == "code"
    is_plain = kept.put_back(new[0])[:1] != old[0][:1]
    out = []
    for before, was, now in zip(befores, old, new, strict=True):
        told = _as_text(was, now, kept, is_html=not is_adjacent) if now.strip() else ""
        out.append(f"{before.rstrip(' ')}{' ' if before.strip() else ''}{told}" if is_plain else f"{before}{told}")
    ending = "\n" if lines[stop - 1].rstrip("\r\n") != lines[stop - 1] else ""
    return (
        ["\n".join(out) + ending, "\n" if is_adjacent and "\n".join(new) != "\n".join(old) and out[-1] else ""],
        following,
        stop,
    )


def _inline(text: str, env: dict[str, object], budget: list[int], kept: _Kept, carriage: Collection[int] = ()) -> str:
    """What a paragraph says, without what is hidden in it; it has as many lines as before."""
    if text.isascii() and not _ACTIVE.search(text):
        return text
    if text.count("[") > _MOST_BRACKETS or text.count("<") > _MOST_BRACKETS:
        return _read(_SIGNS.sub("", text)).translate(_HARSH)
    found: list[_Seen] = []
    _INLINE.inline.parse(text, _INLINE, {**env, "seen": found}, [])
    for piece in found:
        if piece.kind == "code" and carriage:
            piece.first = text.count("\n", 0, piece.start)
    told = _told(text, sorted(found, key=lambda seen: (seen.start, -seen.stop)), kept, budget, carriage)
    return _read(told).translate(_BRACKETS)


@dataclass
class _Seen:
    """A piece of a paragraph that is no text: code, a tag, a link, an image, an address."""

    kind: str
    start: int
    stop: int
    label: int = 0
    address: str = ""
    first: int = 0


def _told(text: str, seen: list[_Seen], kept: _Kept, budget: list[int], carriage: Collection[int]) -> str:
    """Put away what stays to the letter, and leave out what is hidden."""
    at = 0
    parts = []
    tails: list[tuple[int, int, str]] = []

    def words(until: int) -> None:
        nonlocal at
        while tails and tails[-1][0] <= until:
            label, end, tail = tails.pop()
            if at <= label:
                parts.append(_SIGNS.sub("", text[at:label]) + kept.keep(tail) + _breaks(text[label:end]))
            at = max(at, end)
        if at < until:
            parts.append(_SIGNS.sub("", text[at:until]))
            at = until

    for piece in seen:
        if piece.start < at:
            continue
        words(piece.start)
        raw = text[piece.start : piece.stop]
        if piece.kind == "link":
            inline = text[piece.stop - 1] == ")"
            tail = f"]({piece.address})"
            if not inline:
                budget[0] -= len(tail)
            tail = tail if (inline or budget[0] > 0) and len(tail) < _LONGEST_ADDRESS else ""
            if tail:
                tails.append((piece.label, piece.stop, tail))
            else:
                tails.append((piece.label, piece.stop, ""))
                at += 1
            continue
        if piece.kind == "code":
            rows = raw.split("\n")
            ends = ["\r" if piece.first + row in carriage else "" for row in range(len(rows) - 1)]
            parts.append("\n".join(kept.keep(f"{row}{end}", _CODE) for row, end in zip(rows, [*ends, ""], strict=True)))
        elif piece.kind == "image":
            inline = text[piece.stop - 1] == ")"
            shown = f"![]({piece.address})"
            if not inline:
                budget[0] -= len(shown)
            fits = (inline or budget[0] > 0) and len(shown) < _LONGEST_ADDRESS
            parts.append((kept.keep(shown) if fits else "") + _breaks(raw))
        elif piece.kind == "autolink":
            parts.append(_SIGNS.sub("", raw[1:-1]))
        else:
            parts.append(
                _without_markup(_SIGNS.sub("", raw), kept.keep, is_html=True)[0] or _gap(text, piece.start, piece.stop)
            )
        at = piece.stop
    words(len(text))
    return "".join(parts)


_SIGNS = re.compile("[\U00100000-\U0010ffff]")


def _kept_in(text: str) -> str:
    return "".join(_KEPT_CODE.findall(text))


def _breaks(text: str) -> str:
    return "\n" * text.count("\n")


def _gap(text: str, start: int, stop: int) -> str:
    """What stands where a piece was cut out: what it kept apart stays apart."""
    around = text[max(0, start - 1) : start], text[stop : stop + 1]
    return " " if all(each and not each.isspace() for each in around) else ""


def _read(text: str) -> str:
    """Decode a text's entities, level by level, and leave out at each level what it hides."""
    text = _unseen(text)
    for _ in range(_LEVELS):
        bare = _ALT.sub(_unnamed, _TITLE.sub(_untitled, _without_markup(text, lambda tag: f"< {tag[1:]}")[0]))
        decoded = _unseen(_ENTITY.sub(_decoded, bare))
        if decoded == text:
            break
        text = decoded
    else:
        text = text.replace("<", " ").replace("&", " ").replace('"', " ").replace("'", " ")
    return _TILDES.sub("~~", _AS_TAG.sub("< ", text))


def _unseen(text: str) -> str:
    return _SEPARATORS.sub(" ", _UNSEEN.sub(lambda found: found.group() if _SIGNS.match(found.group()) else "", text))


def _untitled(found: re.Match[str]) -> str:
    behind = found.group()[len(found["address"]) :]
    return f"{found['address']}){_breaks(behind)}{_kept_in(behind)}"


def _unnamed(found: re.Match[str]) -> str:
    return f"![]{_breaks(found.group())}{_kept_in(found.group())}"


def _decoded(found: re.Match[str]) -> str:
    char = html.unescape(found.group())
    if char == found.group():  # no such entity
        return f"& {char[1:]}"
    return _DECODED.get(char, _SIGNS.sub("", char))


def _without_markup(
    text: str, keep: Callable[[str], str], *, is_html: bool = False
) -> tuple[str, re.Pattern[str] | None]:
    """Cut comments and the like out of a text, and of its tags what nobody sees.

    In HTML a tag or comment may stay open at the end: then the second value is what will close it.
    """
    parts: list[str] = []
    at = unclosed = 0
    missing: set[str] = set()
    closer = None
    while found := _MARKUP.search(text, at):
        start, kind = found.start(), found.group()
        parts.append(text[at:start])
        kind = next((each for each in _END if kind.startswith(each)), "")
        if not kind:
            tag = _TAG.match(text, start)
            if tag and tag["end"]:
                at = tag.end()
                parts.append(_tag(tag, keep, is_html=is_html) or _gap(text, start, at))
                parts.append(_breaks(tag.group()) + ("" if is_html else _kept_in(tag.group())))
            elif is_html:
                quote = _OPEN_QUOTE.match(text, tag.end() if tag else start)
                closer = re.compile(quote[1]) if quote else None
                parts.append(_breaks(text[start:]))
                at = len(text)
            else:
                unclosed += 1
                parts.append("<" if unclosed <= _MOST_UNCLOSED else " ")
                at = start + 1
                if unclosed > _MOST_UNCLOSED:
                    parts.append(text[at:].replace("<", " "))
                    at = len(text)
            continue
        end = None if kind in missing else _END[kind].search(text, found.end())
        if end is None:
            missing.add(kind)
            closer = _END[kind] if kind == "<!--" and is_html else closer
            end = _ANGLE.search(text, found.end()) if kind != "<!--" and is_html else None
        at = end.end() if end else len(text) if kind == "<!--" or is_html else found.end()
        cut = text[start:at]
        parts.append(_breaks(cut) + (_kept_in(cut) or _gap(text, start, at)))
    return "".join([*parts, text[at:]]), closer


def _tag(tag: re.Match[str], keep: Callable[[str], str], *, is_html: bool) -> str:
    """A tag with its name and its address; one that GitHub does not know is not seen at all, unless it is text."""
    name = tag["name"]
    if name.lower() not in _TAGS and is_html:
        return ""
    address = "".join(_addresses(tag["rest"])) if not tag["close"] else ""
    return keep(f"<{tag['close']}{name}{address}>")


def _addresses(attributes: str) -> Iterator[str]:
    for found in _ATTRIBUTE.finditer(attributes):
        if found["name"].lower() in ("href", "src") and found["value"]:
            value = html.unescape(found["value"].strip("\"'").strip())
            value = _ENTITY.sub(lambda entity: f"%26{entity.group()[1:]}", value)
            if len(value) <= _LONGEST_ADDRESS and value and not _NOT_IN_ADDRESS.search(value):
                yield f' {found["name"].lower()}="{value}"'


def _recorded(kind: str, rule: Callable[[StateInline, bool], bool]) -> Callable[[StateInline, bool], bool]:
    """Let a rule of the parser note what it finds, and where."""

    def note(state: StateInline, silent: bool) -> bool:
        start, tokens, seen = state.pos, len(state.tokens), state.env.get("seen")
        mark = len(seen) if seen is not None else 0
        label = state.md.helpers.parseLinkLabel(state, start, False) if kind == "link" else 0
        state.pos = start
        if not rule(state, silent):
            return False
        if silent or seen is None:
            return True
        made = state.tokens[tokens:]
        if kind == "image":
            del seen[mark:]
        if kind == "code" and not any(token.type == "code_inline" for token in made):
            return True
        address = next((str(token.attrs[key]) for token in made for key in ("href", "src") if key in token.attrs), "")
        address = _ENTITY.sub(lambda entity: f"%26{entity.group()[1:]}", address)
        address = address.replace("(", "%28").replace(")", "%29")
        seen.append(_Seen(kind, start, state.pos, label, address))
        return True

    return note


def _parser() -> MarkdownIt:
    parser = MarkdownIt("zero").enable(["escape", "backticks", "html_inline", "autolink", "link", "image"])
    parser.options["html"] = True
    rules = {"code": ("backticks", backtick), "html": ("html_inline", html_inline)}
    rules |= {"autolink": ("autolink", autolink), "link": ("link", link), "image": ("image", image)}
    for kind, (name, rule) in rules.items():
        parser.inline.ruler.at(name, _recorded(kind, rule))
    return parser


_BLOCKS = MarkdownIt("commonmark").enable("table").disable("inline")
_INLINE = _parser()
