"""The intent of a pull request: its description without the text of templates and bots."""

import re
import unicodedata
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import pairwise

from markdown_it import MarkdownIt

from kodiai.core.text.incoming import incoming

_MARKDOWN = MarkdownIt("commonmark").disable("inline")
_LINE_END = re.compile(r"\r\n?|\n")
_CODE = frozenset({"fence", "code_block"})
_ITEM = re.compile(r"[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])(?:\s+(?:\[(?P<box>[ xX])\](?=\s|\Z))?|\Z)")
_OTHER_BULLET = re.compile(r"\A[*+](?= |\Z)")
_RULE = re.compile(r"\s*(?:(?:-\s*+){3,}|(?:\*\s*+){3,}|(?:_\s*+){3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})(?=\s|\Z)")
_LABEL = re.compile(r"\s*(\*\*|__)(?!\s).+\1:?\s*")
_LABEL_LEVEL, _RULE_LEVEL, _TEXT_LEVEL = 7, 8, 9
# A heading that names an issue or an address says something by itself.
_REFERENCE = re.compile(r"#[0-9]|://")

_OF_A_BADGE = r"""[^()\s"]{0,500}(?:shields\.io|badge|/button)[^()\s"]{0,500}"""
_BADGE = re.compile(
    rf'\[!\[\]\({_OF_A_BADGE}\)\]\([^()\s]*\)|!\[\]\({_OF_A_BADGE}\)|<a href="[^"]*"><img src="{_OF_A_BADGE}"></a>'
)
_FOLD = re.compile(r"<details>")
_BOTS_HELP = re.compile(r"<details>\s*<summary>[^<]*\b(?:commands?|tips)\b", re.IGNORECASE)
_BOTS_SAY = re.compile(
    r"[>\s]*(?:"
    r"<br>\s*\Z"
    r"|Dependabot will \w+ "
    r"|This (?:PR|pull request) (?:was|has been) (?:\w+ )?(?:generated|created|opened) by \[?(?:Mend |Renovate)"
    r"|(?:🤖 )?Generated (?:with|by) \["
    r"|(?:co-authored|signed-off)-by:"
    r")",
    re.IGNORECASE,
)
_BOTS_SETTINGS = re.compile(r"(?<!#)#++ Configuration\s+📅")


def intent(body: str, templates: Sequence[str]) -> str:
    """Reduce a description to what its author says.

    It loses what its readers do not see, badges, lines of the repository's templates, boxes that nobody ticked, bots'
    help at the end, and headings that then hold nothing. Code stays as it is, unless it is a template's.
    """
    form = {_normal(line) for template in templates for line in _LINE_END.split(incoming(template))} | {""}
    text = incoming(body)
    blocks = [range(*token.map) for token in _MARKDOWN.parse(text) if token.type in _CODE and token.map]
    code = {at: block for block in blocks for at in block}
    lines = [line if at in code else _BADGE.sub("", line) for at, line in enumerate(_LINE_END.split(text))]
    kept: list[int] = []
    empty: list[tuple[int, range]] = []  # titles that nothing was said below so far, each with its level
    for piece in _pieces(lines[: _end_of_own(lines, code)], code):
        is_of_form = form.issuperset(_normal(lines[at]) for at in piece)
        level = None if piece.start in code else _title_level(lines[piece.start], is_of_form=is_of_form)
        if level is not None:
            empty = [*(title for title in empty if title[0] < level), (level, piece)]
        elif not is_of_form:
            inside_of = _TEXT_LEVEL + _indent(lines[piece.start])
            kept += [at for level, title in empty if level < inside_of for at in title]
            kept += piece
            empty = []
    return "\n".join(_spaced(lines, kept))


def _normal(line: str) -> str:
    """A line as it is compared: without a difference in spaces, case, bullets, or how a character is written."""
    text = " ".join(unicodedata.normalize("NFKC", line).casefold().split())
    return _OTHER_BULLET.sub("-", text, count=1)


def _pieces(lines: Sequence[str], code: Mapping[int, range]) -> Iterator[range]:
    """The blocks of code, the items of lists with the lines that they are wrapped to, and all other lines."""
    at = 0
    while at < len(lines):
        stop = code[at].stop if at in code else at + 1
        if at not in code and _ITEM.match(lines[at]):
            stop = next((line for line in range(stop, len(lines)) if not _continues(lines, at, line, code)), len(lines))
        if lines[at].strip():
            yield range(at, stop)
        at = stop


def _continues(lines: Sequence[str], item: int, line: int, code: Container[int]) -> bool:
    text = lines[line]
    return line not in code and bool(text.strip()) and _indent(text) > _indent(lines[item]) and not _ITEM.match(text)


def _title_level(line: str, *, is_of_form: bool) -> int | None:
    """The level of a line that is only a title of what follows, 1 being the highest; None if it says something itself.

    Boxes that nobody ticked, and items of the form, are titles of what is nested in them.
    """
    if heading := _HEADING.match(line):
        return None if _REFERENCE.search(line) and not is_of_form else len(heading[1])
    if is_of_form and _LABEL.fullmatch(line):
        return _LABEL_LEVEL
    if _RULE.fullmatch(line):
        return _RULE_LEVEL
    item = _ITEM.match(line)
    return _TEXT_LEVEL + _indent(line) if item and (is_of_form or item["box"] == " ") else None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t>"))


def _end_of_own(lines: Sequence[str], code: Container[int]) -> int:
    """The number of lines before the part that bots add at the end: their commands, their settings and their names."""
    end = len(lines)
    while end and end - 1 not in code:
        last = lines[end - 1]
        is_fold = "</details>" in last
        if not is_fold and (not last.strip() or _title_level(last, is_of_form=False) or _BOTS_SAY.match(last)):
            end -= 1
            continue
        opening, by_bots = (_FOLD, _BOTS_HELP) if is_fold else (_HEADING, _BOTS_SETTINGS)
        start = next((at for at in range(end - 1, -1, -1) if opening.match(lines[at])), 0)
        if not by_bots.match("\n".join(lines[start:end])):
            break
        end = start
    return end


def _spaced(lines: Sequence[str], kept: Sequence[int]) -> Iterator[str]:
    """The lines that are kept, with one blank line where there were any between them."""
    for before, at in pairwise([-1, *kept]):
        if before >= 0 and any(not line.strip() for line in lines[before + 1 : at]):
            yield ""
        yield lines[at]
