"""Putting text that we did not write into Markdown that we do write.

What GitHub makes of Markdown: https://github.github.com/gfm/
"""

import re
from collections.abc import Iterator
from itertools import takewhile

from kodiai.core.findings.finding import SEVERITIES

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
FENCE = re.compile(r"(?P<indent>[ \t]*+)(?P<ticks>`{3,}+|~{3,}+)(?P<info>[^`]*+)")
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(?:.+?)(?<!`)\1(?!`)")
_TICKS = re.compile(r"`+")
_CONTAINERS = r"(?P<containers>(?:\s|>|[*+-]\s|[0-9]{1,9}[.)]\s)*+)"
_NESTED = re.compile(_CONTAINERS)
_DEEPEST_COLUMN = 16
_HEADING = re.compile(rf"{_CONTAINERS}(?=#{{1,6}}(?:\s|\Z))")
_CONTAINER = re.compile(r"\A(?:(?=[>+*-](?:\s|\Z)|>)|([0-9]{1,9})(?=[.)](?:\s|\Z)))")
_STAR = re.compile(r"(?<!\s)\*|\*(?!\s)")
_RULE = re.compile(rf"{_CONTAINERS}(?=[-=|:][-=|:\s]*\Z)")
_POSING_AS_FINDING = re.compile(rf"{_CONTAINERS}(?=(?::[\w+-]+:\s*)*\[(?:{'|'.join(SEVERITIES)})\])")
_ACTIVE = re.compile(
    r"[\\`~]"  # escapes, code that is never closed, struck-out text
    r"|(?<![^\W_])_|_(?![^\W_])"  # emphasis, as in __init__; within a word it is none
    r"|<|&(?=\#?\w+;)"  # tags, comments, entities
    r"|\](?=[(\[:])"  # links, images, footnotes, and what defines them
    r"|(?<=:)/(?=/)|(?<=www)\."  # addresses, which GitHub makes links of
    r"|(?<![A-Za-z0-9_])@(?=[A-Za-z0-9])|(?<=[\w.-])\#(?=[0-9])",  # people, teams, issues of other repositories
    re.VERBOSE,
)
_ENTITIES = {"<": "&lt;", "&": "&amp;"}
_WORD_JOINER = "\u2060"
_WRITTEN = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`++).+?(?<!`)(?P=ticks)(?!`))"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])|&(?P<entity>lt|amp);|\u2060"
)
_LANGUAGE = re.compile(r"[A-Za-z0-9+#_.-]+")
_DRAWN = frozenset({"suggestion", "mermaid", "math", "geojson", "topojson", "stl"})
_PLAIN_PATH = re.compile(r"(?!www\.)\.?[A-Za-z0-9]+(?:(?:/\.?|[-._])[A-Za-z0-9]+)*")


def prose(text: str) -> str:
    """Keep a text's paragraphs, lists, emphasis and code, and disarm everything else.

    The result opens no tag, comment, heading, table or link, loads no image, mentions nobody, and leaves no fence open.
    Code spans and fenced blocks are left as they are, but a fence offers no change and draws nothing.
    """
    text = _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return "\n".join(_blocks(iter(text.split("\n")))).strip()


def line(text: str) -> str:
    """The same, on one line."""
    return _harmless_line(_CONTROLS.sub("", " ".join(text.split())))


def as_meant(text: str) -> str:
    """Undo the escapes of `prose` and `line`, as far as they can be told; code stays as it is."""
    lines = text.split("\n")
    last = {line: at for at, line in enumerate(lines)}
    meant: list[str] = []
    while (at := len(meant)) < len(lines):
        opening = FENCE.fullmatch(lines[at])
        closed = last.get(opening["ticks"], 0) if opening and lines[at].startswith("```") else 0
        end = lines.index(opening["ticks"], at + 1) + 1 if opening and closed > at else at
        meant += lines[at:end] if end > at else [_WRITTEN.sub(_meant, lines[at])]
    return "\n".join(meant)


def _meant(found: re.Match[str]) -> str:
    if found["code"]:
        return found["code"]
    return found["escaped"] or {"lt": "<", "amp": "&"}.get(found["entity"] or "", "")


def path(name: str) -> str:
    """Show a path as it is; one with Markdown in it is a code span."""
    if _PLAIN_PATH.fullmatch(name):
        return name
    printable = "".join(char if char.isprintable() else "�" for char in name)
    ticks = "`" * (_longest_ticks(printable) + 1)
    padding = " " if printable.strip(" `") != printable or not printable else ""
    return f"{ticks}{padding}{printable}{padding}{ticks}"


def fenced(code: str, language: str = "") -> str:
    """Put lines of code into a fence that nothing in them can close; the last one may lack its newline."""
    fence = "`" * max(3, _longest_ticks(code) + 1)
    ended = code if code.endswith("\n") or not code else f"{code}\n"
    return f"{fence}{language}\n{ended}{fence}"


def folded(summary: str, body: str) -> str:
    """A section that opens on a click."""
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def _longest_ticks(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)


def _blocks(lines: Iterator[str]) -> Iterator[str]:
    """Write fenced blocks again, so that each is closed, and make every other line harmless."""
    for text in lines:
        opening = FENCE.fullmatch(text)
        yield _harmless_line(text.rstrip()) if opening is None else _fenced_again(opening, lines)


def _fenced_again(opening: re.Match[str], lines: Iterator[str]) -> str:
    """Take a fence's lines up to its end, or to the end of the text."""
    ticks, indent = opening["ticks"], len(opening["indent"])
    code = takewhile(lambda text: len(text.strip()) < len(ticks) or text.strip().strip(ticks[0]), lines)
    rows = (text[:indent].lstrip(" \t") + text[indent:] for text in code)
    return fenced("".join(f"{row}\n" for row in rows), language(opening["info"]))


def language(info: str) -> str:
    """The language of a fence; GitHub draws or applies a few that are none."""
    name = (info.split() or [""])[0]
    return name if _LANGUAGE.fullmatch(name) and name.lower() not in _DRAWN else ""


def _harmless_line(text: str) -> str:
    """Disarm one line outside of fences: its beginning, and all but its code spans."""
    text = _NESTED.sub(_not_too_deep, text, count=1)
    parts = []
    at = 0
    for code in CODE_SPAN.finditer(text):
        parts += [_ACTIVE.sub(_disarmed, text[at : code.start()]), code.group()]
        at = code.end()
    return _opening_no_block("".join([*parts, _ACTIVE.sub(_disarmed, text[at:])]))


def escaped(text: str) -> str:
    """Escape all Markdown within a line of text, emphasis too."""
    return _STAR.sub(r"\\*", _ACTIVE.sub(_disarmed, text))


def opening_nothing(line: str) -> str:
    """Escape the beginning of a line, so that it opens no list, quote or other block."""
    return _opening_no_block(_CONTAINER.sub(r"\1\\", line, count=1))


def _opening_no_block(disarmed: str) -> str:
    block = _HEADING.match(disarmed) or _RULE.match(disarmed) or _POSING_AS_FINDING.match(disarmed)
    return f"{block['containers']}\\{disarmed[block.end() :]}" if block else disarmed


def _not_too_deep(found: re.Match[str]) -> str:
    """Drop the markers of lists and quotes beyond a column: parsers give up on what is nested without end."""
    return found.group() if found.group().isspace() else found.group().expandtabs(4)[:_DEEPEST_COLUMN]


def _disarmed(found: re.Match[str]) -> str:
    character = found.group()
    if character in "@#":
        return f"{character}{_WORD_JOINER}"
    return _ENTITIES.get(character, f"\\{character}")
