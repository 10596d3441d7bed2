"""Checks whether a replacement can be offered as a suggestion that the author applies with one click."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

from kodiai.core.changes.kinds import is_prose
from kodiai.core.changes.patch import without_spaces
from kodiai.core.code.data import COMMENTS, LAST_COMMAS
from kodiai.core.code.language import language_of
from kodiai.core.code.outline import Outline
from kodiai.core.code.parser import CodeParser
from kodiai.core.diffs.hunk_search import overlaps
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.quote import decorations
from kodiai.core.text.deception import new_deception
from kodiai.core.text.posted import reads_as_command
from kodiai.core.text.secrets import secret_in

# Bots such as Prow take such a line of a comment for a command, also in code.
_ORDER = re.compile(r"/[A-Za-z]")
# What no line of code goes on with, and any text may.
_NO_CODE = " )](["
_NO_CHANGE = (frozenset[int](), frozenset[int]())
_NOTHING_LEFT = "it would leave only comments in the file"
_BREAKS = "the file would not parse with it"
_BROKEN = "the file does not parse as it is"


@dataclass(frozen=True)
class Offer:
    """The offer of a finding's replacement; both fields are None if it has none.

    `text` replaces exactly the finding's lines; each of its lines ends with a newline, and an empty text removes the
    lines. `refused` is why it is not offered, as the second half of a sentence.
    """

    text: str | None = None
    refused: str | None = None


@dataclass(frozen=True)
class _Change:
    """Lines that would replace others; `after` and `before` are the rest of the file."""

    before: Sequence[str]
    replaced: Sequence[str]
    offered: Sequence[str]
    after: Sequence[str]

    @property
    def old(self) -> Sequence[str]:
        """The file as it is."""
        return (*self.before, *self.replaced, *self.after)

    @property
    def new(self) -> Sequence[str]:
        """The file as it would be."""
        return (*self.before, *self.offered, *self.after)


def offer(finding: Finding, lines: Sequence[str], parser: CodeParser) -> Offer:
    """Offer a finding's replacement if it is safe to apply, else say why not.

    `lines` are the file's lines at the head. Safe means: it changes lines of its own that the finding is on, or exactly
    those that it quotes, keeps their indentation, repeats none of the lines around them, leaves code in the file,
    brings no syntax error that was not there, and gives no other bot an order.
    Carriage returns at the ends of lines do not count, as Markdown cannot carry them.
    """
    if finding.replacement is None:
        return Offer()
    first, last = finding.replaced_lines
    if not 1 <= first <= last <= len(lines):
        return Offer(refused="its lines are not in the file")
    bare = [line.removesuffix("\r") for line in lines]
    change = _Change(bare[: first - 1], bare[first - 1 : last], _lines(finding.replacement), bare[last:])
    if refused := next(_reasons(finding, change, parser), None):
        return Offer(refused=refused)
    return Offer(text="".join(f"{line}\n" for line in change.offered))


def _reasons(finding: Finding, change: _Change, parser: CodeParser) -> Iterator[str]:
    """The reasons why a change is not safe; each is looked for only if there is none before it."""
    first, last = finding.replaced_lines
    is_apart = finding.end_line < first or last < finding.start_line
    is_other = without_spaces(finding.quote) != without_spaces("".join(change.replaced))
    if is_apart or (finding.replaces is None and is_other):
        yield "its lines are not those of the finding"
    if change.offered == change.replaced:
        yield "it changes nothing"
    if [line.rstrip() for line in change.offered] == [line.rstrip() for line in change.replaced]:
        yield "it changes only white space at the ends of lines"
    if not any(map(str.strip, change.new)):
        yield "it would empty the file"
    now, then = "\n".join(change.offered), "\n".join(change.replaced)
    if new := decorations(now) - decorations(then):
        yield f"it has {min(new)} in it"
    if deception := new_deception(now, then):
        yield f"it has {deception} in it"
    if now.count("…") > then.count("…") and secret_in("\n".join(change.old)):
        yield "it could write “…” into the file in place of a secret"
    if has_order(finding.path, change.new, range(first - 1, first - 1 + len(change.offered)), parser):
        yield "another bot could take a line of it for a command"
    if _has_other_indentation(change):
        yield "its indentation differs from the code's"
    # A replacement that was made for more lines repeats the lines next to them.
    if _repeats(change.offered, change.replaced, change.after):
        yield "it repeats the line below it"
    if _repeats(change.offered[::-1], change.replaced[::-1], change.before[::-1]):
        yield "it repeats the line above it"
    if not is_prose(finding.path):
        yield from _breaks(finding, change, parser)


def has_order(path: str, lines: Sequence[str], rows: range, parser: CodeParser) -> bool:
    """Whether another bot could take any of these rows of a file, from 0, for a command when a comment has them.

    In code only a text can be one, such as a line of a docstring. No bot is asked by a line that is code.
    """
    like_orders = [row for row in rows if reads_as_command(lines[row])]
    if is_prose(path) or any(_ORDER.match(lines[row]) for row in like_orders):
        return bool(like_orders)
    found = parser.identifiers(path, lines, [row + 1 for row in like_orders]) if like_orders else ()
    if found is None:
        return any(lines[row].lstrip().startswith("@") for row in like_orders)
    named = {each.line - 1 for each in found}
    return any(_is_text(path, lines, row, parser) for row in like_orders if row not in named)


def _is_text(path: str, lines: Sequence[str], row: int, parser: CodeParser) -> bool:
    """Whether a line is no code, since it may go on with anything."""
    try:
        return not parser.has_new_error(path, [*lines[:row], lines[row] + _NO_CODE, *lines[row + 1 :]], lines)
    except ValueError:
        return True


def _lines(text: str) -> list[str]:
    text = text.replace("\r\n", "\n")
    return text.removesuffix("\n").split("\n") if text else []


def _has_other_indentation(change: _Change) -> bool:
    """Whether it begins at another column, or a line is left of the replaced ones, and so would leave their block."""
    least = min(_indents(change.replaced), key=len, default="")
    other_start = change.offered[:1] and _indent(change.offered[0]) != _indent(change.replaced[0])
    return bool(other_start) or not all(indent.startswith(least) for indent in _indents(change.offered))


def _indents(lines: Iterable[str]) -> Iterator[str]:
    return (_indent(line) for line in lines if line.strip())


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _repeats(offered: Sequence[str], replaced: Sequence[str], following: Sequence[str]) -> bool:
    """Whether any number of its last lines are the lines that follow, and were not so before."""
    new, old = (list(_solid(lines)) for lines in (offered, replaced))
    near = list(islice(_solid(following), len(new)))
    blank = len(list(takewhile(lambda line: not any(map(str.isalnum, line)), near)))
    return any(count > blank for count in overlaps(new, near) - overlaps(old, near))


def _solid(lines: Iterable[str]) -> Iterator[str]:
    return (line.rstrip() for line in lines if line.strip())


def _breaks(finding: Finding, change: _Change, parser: CodeParser) -> Iterator[str]:
    path = finding.path
    try:
        is_broken = parser.has_new_error(path, change.new, change.old)
    except ValueError:
        yield from _breaks_data(path, change, parser)
        return
    if is_broken:
        yield _BREAKS
    if _nested(parser.outline(path, change.new)) - _nested(parser.outline(path, change.old)):
        yield "it puts a definition into one of the same name"
    if not _has_code(path, change.new, parser) and _has_code(path, change.old, parser):
        yield _NOTHING_LEFT
    if parser.changed_code(path, change.new, change.old) == _NO_CHANGE:
        if _is_spacing(change):
            yield "it changes only white space"
        if finding.is_about_code:
            yield "it changes no code"


def _has_code(path: str, lines: Sequence[str], parser: CodeParser) -> bool:
    """Whether a file has code besides comments and statements that do nothing."""
    return parser.changed_code(path, lines, ()) != _NO_CHANGE


def _is_spacing(change: _Change) -> bool:
    """Whether only white space differs, and no indentation."""
    new, old = (
        [(_indent(line), without_spaces(line)) for line in lines if line.strip()]
        for lines in (change.offered, change.replaced)
    )
    return new == old


def _breaks_data(path: str, change: _Change, parser: CodeParser) -> Iterator[str]:
    try:
        seen = parser.shape(path, change.old)
    except ValueError:
        yield _BROKEN
        return
    if seen is None:
        yield _BROKEN if language_of(path) is not None else "nothing can check this language"
        return
    try:
        then = parser.shape(path, change.new) or frozenset()
    except ValueError:
        yield _BREAKS
        return
    if {COMMENTS, LAST_COMMAS} & (then - seen):
        yield _BREAKS
    if all(line.lstrip()[:1] in ("", "#") for line in change.new):
        yield _NOTHING_LEFT
    if any((key, True) in seen for key, is_collection in then - seen if not is_collection):
        yield "it makes a text of a list or a mapping"


def _nested(seen: Outline) -> Counter[tuple[str, str]]:
    """The number of definitions that are in another one of their name and kind."""
    nested: Counter[tuple[str, str]] = Counter()
    ends: dict[tuple[str, str], int] = {}
    for one in seen.definitions:  # in the order of their first lines
        key = one.name, one.kind
        nested[key] += one.end_line <= ends.get(key, 0)
        ends[key] = max(one.end_line, ends.get(key, 0))
    return nested
