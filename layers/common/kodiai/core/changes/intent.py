"""What a pull request is for, in its author's own words: its description without forms, comments and bots' help."""

import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from markdown_it.token import Token

from kodiai.core.changes.page import Page, end_of, lines_of
from kodiai.core.changes.shown import shown

# What one pass leaves out can lay something open for the next one; people's descriptions take two or three.
_MOST_PASSES = 20
_BOX = re.compile(r"\[([ \txX])\](?=\s|\Z)")
_INDENT = re.compile(r"[ \t>]*")
_OTHER_BULLETS = re.compile(r"\A((?:> ?)*)[*+](?= |\Z)")
_LABEL = re.compile(r"\s*(\*\*|__)(?!\s).+\1:?\s*")
_LABEL_LEVEL = 7
# A heading that names an issue or an address says something by itself.
_REFERENCE = re.compile(r"#[0-9]|://")

_FOLD = re.compile(r"<(/?)details\b", re.IGNORECASE)
_SUMMARY = re.compile(r"<summary\b[^<>]*>(.{0,500}?)</summary>", re.IGNORECASE | re.DOTALL)
_FRAME = re.compile(r"</?(?:details|summary|br|p|div)\b[^<>]*>", re.IGNORECASE)
_HELP = re.compile(r"\b(?:commands?|tips)\b", re.IGNORECASE)
_BOTS_SAY = re.compile(
    r"[>\s]*(?:"
    r"<br ?/?>\s*\Z"
    r"|Dependabot will \w+ "
    r"|This (?:PR|pull request) (?:was|has been) (?:\w+ )?(?:generated|created|opened) by \[?(?:Mend |Renovate)"
    r"|(?:🤖 )?Generated (?:with|by) \["
    r"|(?:co-authored|signed-off)-by:"
    r")",
    re.IGNORECASE,
)
_BOTS_SETTINGS = re.compile(r"#+ Configuration\s+📅")


def intent(body: str, templates: Sequence[str]) -> str:
    """Give what a description says beyond what any other one in the repository would say too.

    Left out are comments, badges, lines of the repository's templates, boxes that nobody ticked, bots' help at the
    end, and the headings and folds that then hold nothing. Code stays as it is, and so do the ends of lines.
    The result is never longer than `body`, and giving it again gives the same.
    """
    form = _Form.of(templates)
    for _ in range(_MOST_PASSES):
        before, body = body, _own(shown(body), form)
        if body == before:
            break
    return body


@dataclass(frozen=True)
class _Form:
    """What templates consist of, as it is compared: lines, and whole blocks of code."""

    lines: frozenset[str]
    code: frozenset[str]

    @classmethod
    def of(cls, templates: Sequence[str]) -> "_Form":
        pages = [Page(shown(template)) for template in templates]
        lines = {_normal(line) for page in pages for at, line in enumerate(page.lines) if at not in page.code}
        code = {page.code_of(block) for page in pages for block in page.code_blocks}
        return cls(frozenset(lines - {""}), frozenset(code))


def _normal(line: str) -> str:
    """A line as it is compared: without a difference in spaces, case, bullets, or how a character is written."""
    text = " ".join(unicodedata.normalize("NFKC", line).replace("\ufe0f", "").casefold().split())
    return _OTHER_BULLETS.sub(r"\1-", text, count=1)


def _own(text: str, form: _Form) -> str:
    """Leave out what is the form's or bots', and what holds nothing without that."""
    page = Page(text)
    items, folds, headings = list(_items(page)), list(_folds(page)), _headings(page, form)
    around = _around(page, folds)
    frames = {at for at, line in enumerate(page.lines) if around[at] != page.all and _is_frame(line)} - page.code
    of_form = {at for at, line in enumerate(page.lines) if _normal(line) in form.lines}
    titles = {line for lines, _ in headings for line in lines}
    silent = {at for at in titles if at in of_form or not _REFERENCE.search(page.lines[at])} | page.rules
    spared = titles | frames | page.code
    spared |= {line for item in items for line in (item.text if item.is_ticked else item.text[:1])}
    spared |= {line for table in page.tables if not of_form.issuperset(table[2:]) for line in table[:2]}
    page.gone |= of_form - spared
    page.gone |= {line for block in page.code_blocks if page.code_of(block) in form.code for line in block}
    for item in reversed(items):  # what is inside of one comes after it
        _leave_out_item(page, item, is_of_form=item.text.start in of_form)
    _leave_out_tail(page, folds, silent, [lines.start for lines, _ in headings])
    _leave_out_folds(page, folds, frames)
    _leave_out_headings(page, headings, around, silent | frames)
    _leave_out_rules(page)
    return str(page)


@dataclass(frozen=True)
class _Item:
    """An item of a list, with what is inside of it; `text` is its first paragraph. None: it has no box to tick."""

    lines: range
    text: range
    is_ticked: bool | None


def _items(page: Page) -> Iterator[_Item]:
    for item, paragraph, inline in zip(page.tokens, page.tokens[1:], page.tokens[2:], strict=False):
        text = lines_of(paragraph)
        is_first = paragraph.type == "paragraph_open" and text.start == lines_of(item).start
        if item.type == "list_item_open" and is_first:
            box = _BOX.match(inline.content)
            yield _Item(lines_of(item), text, box[1] in "xX" if box else None)


def _leave_out_item(page: Page, item: _Item, *, is_of_form: bool) -> None:
    """Leave out a box that is not ticked, or an item of the form; the bare item stays where something is inside."""
    if item.is_ticked or (item.is_ticked is None and not is_of_form):
        return
    first, indent = item.text.start, _indent(page.lines[item.text.start])
    wrapped = {line for line in item.text[1:] if _indent(page.lines[line]) > indent}
    beside = set(item.text[1:]) - wrapped
    own = {first} if is_of_form else {first, *wrapped}
    if not any(page.says(line) for line in item.lines[1:] if line not in own | beside):
        page.gone |= own
    elif item.is_ticked is not None:
        line = page.lines[first]
        page.lines[first] = line[: line.index("[")].rstrip() + end_of(line)
        page.gone |= own - {first}


def _indent(line: str) -> int:
    found = _INDENT.match(line)
    return found.end() if found else 0


def _headings(page: Page, form: _Form) -> list[tuple[range, int]]:
    """The lines of each heading outside of quotes and lists, with its level.

    A line of the form in bold is one too. A text above a rule is none, though Markdown takes it for one.
    """
    found = []
    for token in page.tokens:
        lines = lines_of(token)
        if token.type == "heading_open" and not token.level and not _is_text_above_a_rule(page, token):
            found.append((lines, int(token.tag[1:])))
        elif token.type == "paragraph_open" and not token.level:
            labels = [at for at in lines if _LABEL.fullmatch(page.lines[at]) and _normal(page.lines[at]) in form.lines]
            found += [(range(at, at + 1), _LABEL_LEVEL) for at in labels]
    return found


def _is_text_above_a_rule(page: Page, token: Token) -> bool:
    first, *others = (page.lines[line].strip() for line in lines_of(token))
    return len(others) > 1 or (others == ["---"] and len(first) > len("---"))


def _folds(page: Page) -> Iterator[range]:
    """The sections that open on a click, inner ones first."""
    html = {line for token in page.tokens if token.type == "html_block" for line in lines_of(token)} - page.code
    opened: list[int] = []
    for line in sorted(html):
        for found in _FOLD.finditer(page.lines[line]):
            if not found[1]:
                opened.append(line)
            elif opened:
                yield range(opened.pop(), line + 1)


def _is_frame(line: str) -> bool:
    """Whether a line is nothing but the beginning or the end of a fold, or its summary."""
    return "<" in line and not _FRAME.sub("", _SUMMARY.sub("", line)).strip()


def _leave_out_tail(page: Page, folds: Iterable[range], silent: set[int], sections: Sequence[int]) -> None:
    """Leave out what bots put at the end, with its headings: their commands, their settings, and who they are.

    `sections` are the lines at which those begin.
    """
    helping = {fold[-1]: fold for fold in folds}
    at = len(page.lines) - 1
    while at >= 0:
        fold = helping.get(at, range(at, at))
        summary = _SUMMARY.search("".join(page.lines[fold.start : fold.stop]))
        section = sections[bisect_right(sections, at) - 1] if sections and sections[0] <= at else at
        if summary and _HELP.search(summary[1]):
            start = fold.start
        elif not page.says(at) or at in silent or _says_a_bot(page, at):
            start = at
        elif _BOTS_SETTINGS.match("".join(page.lines[section : at + 1])):
            start = section
        else:
            return
        page.gone |= set(range(start, at + 1))
        at = start - 1


def _says_a_bot(page: Page, line: int) -> bool:
    return line not in page.code and _BOTS_SAY.match(page.lines[line]) is not None


def _leave_out_folds(page: Page, folds: Sequence[range], frames: set[int]) -> None:
    """Leave out folds with nothing inside, each with those that are in it."""
    said = page.count_said(frames)
    for fold in reversed(folds):
        if said[fold.start] == said[fold.stop] and not page.gone.issuperset((fold[0], fold[-1])):
            page.gone |= set(fold)


def _leave_out_headings(
    page: Page, headings: Sequence[tuple[range, int]], around: Sequence[range], silent: set[int]
) -> None:
    """Leave out headings with nothing below them, up to the next one of their level or the end of their fold."""
    said = page.count_said(silent)
    followed: dict[range, list[tuple[int, int]]] = defaultdict(list)
    for lines, level in reversed(headings):
        fold = around[lines.start]
        following = followed[fold]
        while following and following[-1][0] > level:
            following.pop()
        end = following[-1][1] if following else fold.stop
        if said[end] == said[lines.start]:
            page.gone |= set(lines)
        following.append((level, lines.start))


def _around(page: Page, folds: Sequence[range]) -> list[range]:
    """The innermost fold around each line, or the whole text."""
    opening = defaultdict(list)
    for fold in folds:
        opening[fold.start].append(fold)
    open_ones = [page.all]
    around = []
    for line in page.all:
        open_ones += reversed(opening[line])
        while open_ones[-1].stop <= line:
            open_ones.pop()
        around.append(open_ones[-1])
    return around


def _leave_out_rules(page: Page) -> None:
    """Leave out rules that have nothing above them, or nothing below up to the next one."""
    said = [line for line in page.all if page.says(line)]
    for above, line, below in zip([None, *said], said, [*said[1:], None], strict=False):
        if line in page.rules and (above is None or below is None or below in page.rules):
            page.gone.add(line)
