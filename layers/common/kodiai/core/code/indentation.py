"""Code in a language without a grammar: blocks by indentation, imports by their first word."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kodiai.core.code.definition import Definition

_KINDS = {
    "function": "def defmacro defp fn fun func function method proc procedure sub task",
    "class": "actor class object",
    "struct": "message record struct",
    "interface": "interface protocol",
    "trait": "trait",
    "enum": "enum",
    "impl": "extension impl",
    "module": "contract defmodule library module namespace",
}
_KIND_OF = {keyword: kind for kind, keywords in _KINDS.items() for keyword in keywords.split()}
_WITH_KIND = re.compile(rf"(?:[a-z@]+ +){{0,4}}({'|'.join(_KIND_OF)}) +(?:self\.)?([A-Za-z_$][\w$.:?!]*)")
_ASSIGNED = re.compile(r"(?:local +|var +)?([A-Za-z_$][\w$.:]*) *[=:] *function\b")
_CALLABLE = re.compile(r"([^(=]*+)\([^{]*\)[^(){]*\{\Z")
_NAME_BACKWARDS, _NAME_START = re.compile(r" *+([\w$.:]*+~?)"), re.compile(r"[A-Za-z_$~]")
_CONTROL = re.compile(
    r"[\W\d]*(?:begin|case|catch|default|do|else|elif|elseif|elsif|ensure|except|finally|for|foreach|guard|if|loop|match"
    r"|repeat|rescue|return|select|switch|then|try|unless|until|when|while|with|yield)\b"
)
_COMMENT = re.compile(r"#(?!\[)|//|/?\*|--|;|%|<!--")
_OPENS = re.compile(r"(?:[{:]|->|=>|\b(?:begin|do|is|where))\Z")
_CLOSES = re.compile(r"[\])}]|</|end\b", re.IGNORECASE)
_IMPORT = re.compile(
    r"(?:@import|@use|alias|import|include|require|use|using|#\s*import|#\s*include|from +\S+ +import|library)\b"
    r"|(?:const|let|local|var) +\w+ *= *(?:require|@import)\b"
)
_LONGEST_NAME = 100
_LONGEST_HEADING = 400


@dataclass(frozen=True, slots=True)
class _Open:
    """A line whose block, if it has one, has not ended yet."""

    indent: int
    line: int
    text: str


def blocks(lines: Sequence[str]) -> Iterator[Definition]:
    """Blocks with a heading: a line that deeper ones follow, down to where the depth ends.

    Control flow (`if`, `for`, `try`) and a statement that only continues over several lines head no block.
    """
    around: list[_Open] = []
    last = 0
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text:
            continue
        indent = len(line[: len(line) - len(line.lstrip())].expandtabs())
        closes = _CLOSES.match(text) is not None
        goes_on = closes and _OPENS.search(text) is not None
        while around and (around[-1].indent > indent or (around[-1].indent == indent and not goes_on and text != "{")):
            one = around.pop()
            yield from _block(one, number if closes and one.indent == indent else last)
        if not around or around[-1].indent < indent:
            around.append(_Open(indent, number, text))
        elif around[-1].line == last:
            around[-1] = replace(around[-1], text=f"{around[-1].text} {text}")
        last = number
    for one in reversed(around):
        yield from _block(one, last)


def _block(one: _Open, end: int) -> Iterator[Definition]:
    heading = _heading(one.text) if one.line < end and len(one.text) <= _LONGEST_HEADING else None
    if heading is not None:
        name, kind = heading
        yield Definition(name.rstrip(":.")[:_LONGEST_NAME], kind, one.line, end)


def _heading(text: str) -> tuple[str, str] | None:
    """The name and the kind of the block that a line heads, None if it heads none."""
    if _COMMENT.match(text) or _CONTROL.match(text):
        return None
    if named := _WITH_KIND.match(text):
        return named[2], _KIND_OF[named[1]]
    if assigned := _ASSIGNED.match(text):
        return assigned[1], "function"
    if (called := _CALLABLE.match(text)) and (name := _name_at_end(called[1])):
        return name, "function"
    if opens := _OPENS.search(text):
        name = " ".join(text[: opens.start()].split())
        return (name, "block") if any(map(str.isalnum, name)) else None
    return None


def _name_at_end(text: str) -> str:
    """The longest name with which a text ends, empty if it ends with none; read backwards, which takes one look."""
    found = _NAME_BACKWARDS.match(text[::-1])
    run = found[1][::-1] if found else ""
    start = _NAME_START.search(run)
    return run[start.start() :] if start else ""


def import_lines(lines: Sequence[str]) -> Iterator[int]:
    """The 1-based lines that begin with a word that imports in some language."""
    return (number for number, line in enumerate(lines, start=1) if _IMPORT.match(line))
