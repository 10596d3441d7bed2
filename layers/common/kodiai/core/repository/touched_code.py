"""Touched code: what of a file's outline a change touches, which names it adds or removes, and what it calls."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.kinds import is_data, is_prose, is_test
from kodiai.core.changes.patch import Hunk
from kodiai.core.code.definition import Definition, may_define
from kodiai.core.code.identifiers import Identifier, guessed_calls
from kodiai.core.code.language import language_of
from kodiai.core.code.names import is_builtin
from kodiai.core.code.outline import Outline
from kodiai.core.code.parser import CodeParser

_SHORTEST_NAME = 3
_WORD = re.compile(r"\w+")
# Characters; a longer line is no definition that somebody wrote.
_LONGEST_LINE = 500


@dataclass(frozen=True)
class TouchedCode:
    """The code that a change touches in one file at the head.

    `definitions` are the innermost ones around the changed lines, each with those of these lines that are its own, in
    the order of the file; `added` the lines that the change adds. `names` are those that it defines, changes or
    removes; `called` the functions that it calls and the types that it names on added lines, each name once.
    """

    definitions: Mapping[Definition, Sequence[int]]
    added: frozenset[int]
    names: tuple[str, ...]
    called: tuple[Identifier, ...]


NOTHING = TouchedCode({}, frozenset(), (), ())


def touched_code(file: ChangedFile, lines: Sequence[str], seen: Outline, parser: CodeParser) -> TouchedCode:
    """Find what a change touches in a file that has these lines and this outline now; nothing in prose and data."""
    if is_prose(file.path) or is_data(file.path):
        return NOTHING
    new = (line.new for hunk in file.hunks for line in hunk.lines if line.marker == "+")
    added = frozenset(line for line in new if line is not None and line <= len(lines))
    definitions = _definitions(seen, lines, added, [at for hunk in file.hunks for at in _removals(hunk)])
    called = tuple(_called(file.path, lines, added, parser))  # while the parser has the tree
    names = {one.name: None for one in definitions} | dict.fromkeys(_gone(file, seen, parser))
    return TouchedCode(
        dict(sorted(definitions.items(), key=lambda each: (each[0].start_line, -each[0].end_line))),
        added,
        () if is_test(file.path) else tuple(filter(_is_name, names)),
        called,
    )


def _removals(hunk: Hunk) -> Iterator[int]:
    """The lines before those that were only removed."""
    before = hunk.new_start
    for at, line in enumerate(hunk.lines):
        if line.new is not None:
            before = line.new
        elif at + 1 == len(hunk.lines) or hunk.lines[at + 1].marker == " ":
            yield max(before, 1)


def _definitions(
    seen: Outline, lines: Sequence[str], added: Collection[int], removals: Sequence[int]
) -> dict[Definition, list[int]]:
    """The innermost definition around each change; around one that is all new, also what contains it."""
    owners: list[Definition | None] = [None] * (len(lines) + 1)
    outer: dict[Definition, Definition | None] = {}
    for one in seen.definitions:
        outer[one] = owners[min(one.start_line, len(lines))]
        owners[one.start_line : one.end_line + 1] = [one] * (one.end_line + 1 - one.start_line)
    touched: dict[Definition, list[int]] = {}
    full = (line for line in added if lines[line - 1].strip())
    for line in sorted({*full, *(line for line in removals if line <= len(lines))}):
        owner = owners[line]
        if owner is not None:
            touched.setdefault(owner, []).append(line)
    for one in list(touched):
        around = outer[one]
        own = range(one.start_line, one.end_line + 1)
        if around is not None and all(line in added for line in own if lines[line - 1].strip()):
            touched.setdefault(around, []).append(one.start_line)
    return touched


def _gone(file: ChangedFile, seen: Outline, parser: CodeParser) -> Iterator[str]:
    """The names that were defined on removed lines, and are no longer defined in the file."""
    here, language = {definition.name for definition in seen.definitions}, language_of(file.path)
    for hunk in file.hunks:
        removed = {line.text.strip() for line in hunk.lines if line.marker == "-"}
        if not any(_may_define_others(text, language, here) for text in removed):
            continue
        before = [line.text for line in hunk.lines if line.marker != "+"]
        for definition in parser.outline(file.path, before).definitions:
            if definition.name not in here and before[definition.start_line - 1].strip() in removed:
                yield definition.name


def _may_define_others(text: str, language: str | None, names: Collection[str]) -> bool:
    """Whether a line may define a name that is not one of these: most that a change edits define what they did."""
    words = _WORD.finditer(text) if len(text) <= _LONGEST_LINE else ()
    return any(word[0] not in names and may_define(language, text, *word.span()) for word in words)


def _called(path: str, lines: Sequence[str], added: Collection[int], parser: CodeParser) -> Iterator[Identifier]:
    wanted = sorted(added)
    seen: set[str] = set()
    called = parser.identifiers(path, lines, wanted, only_called=True)
    for each in guessed_calls(lines, wanted) if called is None else called:
        if each.name not in seen and _is_name(each.name) and (each.is_member or not is_builtin(path, each.name)):
            seen.add(each.name)
            yield each


def _is_name(name: str) -> bool:
    """Whether a name is worth looking for: neither short, nor a sentence that names a test, nor a special method."""
    return len(name) >= _SHORTEST_NAME and not name.startswith("__") and not any(map(str.isspace, name))
