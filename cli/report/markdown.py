"""Reads the Markdown of reviews, as GitHub does, into tokens that the terminal shows."""

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from kodiai.core.findings.finding import SEVERITIES
from local.rendering.inline import with_emoji
from local.rendering.visible import visible

_FOLD = re.compile(r"<details(?: open)?>|</details>|<summary>((?:(?!</summary>).)*)</summary>", re.IGNORECASE)
_FOLD_LINE = re.compile(rf"(?:(?:{_FOLD.pattern})\s*)+", re.IGNORECASE)
_SEVERITY = re.compile(rf"\[({'|'.join(SEVERITIES)})\]")
_TASK = re.compile(r"\[([ xX])\] ")


class ReviewMarkdown(MarkdownIt):
    """CommonMark with GitHub's tables, strike-through, task lists and line breaks; HTML is text.

    The exceptions: details and summary become tokens of these names, always balanced; comments are dropped.
    A fence's `meta["original"]` holds the lines that a suggestion would replace.
    """

    def __init__(self) -> None:
        super().__init__("commonmark", {"html": False})
        self.enable(["table", "strikethrough"])
        interrupting: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote"]}
        self.block.ruler.before("fence", "fold", _read_fold, interrupting)
        self.block.ruler.before("fence", "comment", _read_comment, interrupting)
        self.inline.ruler.before("autolink", "comment", _skip_comment)
        self.core.ruler.after("block", "balance", _balance)
        self.core.ruler.push("finish", _finish)

    def read(self, text: str, original: Sequence[str] = ()) -> list[Token]:
        """Parse a review's or a comment's text; `original` are the lines that it is about."""
        lines = [visible(line.removesuffix("\r")) for line in original]
        return self.parse(visible(text.replace("\r\n", "\n")), {"original": lines})


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]].rstrip()


def _read_fold(state: StateBlock, start: int, _end: int, silent: bool) -> bool:
    """Block rule: a line of nothing but details and summary tags."""
    line = _line(state, start)
    if state.is_code_block(start) or not _FOLD_LINE.fullmatch(line):
        return False
    if silent:
        return True
    for found in _FOLD.finditer(line):
        tag = found[0].lower()
        if tag.startswith("<summary"):
            _push_title(state, found[1], start)
        else:
            closing = tag.startswith("</")
            kind, nesting = ("details_close", -1) if closing else ("details_open", 1)
            state.push(kind, "details", -1 if nesting < 0 else 1).map = [start, start + 1]
    state.line = start + 1
    return True


def _push_title(state: StateBlock, title: str, start: int) -> None:
    state.push("summary_open", "summary", 1)
    inline = state.push("inline", "", 0)
    inline.content, inline.map, inline.children = title.strip(), [start, start + 1], []
    state.push("summary_close", "summary", -1)


def _read_comment(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Block rule: lines from "<!--" to "-->" and nothing after it."""
    if state.is_code_block(start) or not _line(state, start).startswith("<!--"):
        return False
    last = next((number for number in range(start, end) if "-->" in _line(state, number)), None)
    if last is None or not _line(state, last).endswith("-->"):
        return False
    if not silent:
        state.line = last + 1
    return True


def _skip_comment(state: StateInline, _silent: bool) -> bool:
    if not state.src.startswith("<!--", state.pos):
        return False
    end = state.src.find("-->", state.pos + 4)
    if end < 0:
        return False
    state.pos = end + 3
    return True


def _balance(state: StateCore) -> None:
    """Core rule: close every details where the block around it ends, drop what closes nothing, keep titles first."""
    state.tokens = list(_balanced(_titled(state.tokens)))


def _titled(tokens: Sequence[Token]) -> Iterator[Token]:
    """Make a summary that does not stand first in its details a paragraph."""
    last, lost = "", False
    for token in tokens:
        if token.type == "summary_open":
            lost = last != "details_open"
        if lost and token.tag == "summary":
            token.type, token.tag = token.type.replace("summary", "paragraph"), "p"
        last = token.type
        yield token


def _balanced(tokens: Sequence[Token] | Iterator[Token]) -> Iterator[Token]:
    opened: list[str] = []
    for token in tokens:
        if token.type == "details_close" and opened[-1:] != ["details"]:
            continue
        if token.nesting < 0:
            while opened[-1] == "details" != token.tag:
                yield _closing(opened)
            opened.pop()
        elif token.nesting > 0:
            opened.append(token.tag)
        yield token
    while opened:
        yield _closing(opened)


def _closing(opened: list[str]) -> Token:
    opened.pop()
    return Token("details_close", "details", -1, block=True)


def _finish(state: StateCore) -> None:
    """Core rule: emoji, severities, task boxes, line breaks, pictures as words, suggestions with their original."""
    for number, token in enumerate(state.tokens):
        if token.type == "fence":
            token.meta = {"original": state.env.get("original", [])}
        if token.children:
            if state.tokens[max(number - 2, 0)].type == "list_item_open":
                _mark_task(token.children[0])
            token.children = [made for child in token.children for made in _finished(child)]


def _mark_task(first: Token) -> None:
    if first.type == "text" and (found := _TASK.match(first.content)):
        first.content = f"{'☐' if found[1] == ' ' else '☑'} {first.content[found.end() :]}"


def _finished(token: Token) -> Iterator[Token]:
    if token.type == "softbreak":
        yield Token("hardbreak", "br", 0)
    elif token.type == "image":
        yield Token("text", "", 0, content=token.content or str(token.attrs.get("src", "")))
    elif token.type == "text":
        yield from _severities(with_emoji(token.content))
    else:
        yield token


def _severities(text: str) -> Iterator[Token]:
    """Cut "[MAJOR] a title" into a severity, whose tag is its name in small letters, and text."""
    for number, part in enumerate(_SEVERITY.split(text)):
        if number % 2:
            yield Token("severity", part.lower(), 0, content=part)
        elif part:
            yield Token("text", "", 0, content=part)
