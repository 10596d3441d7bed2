"""Jupyter notebooks: the code and the text of their cells, by the lines of the JSON file, and counts of the rest.

Format: https://nbformat.readthedocs.io/en/latest/format_description.html
"""

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from typing import Any

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.patch import Hunk, Line
from kodiai.core.json_object import JsonObject

_OF_A_NOTEBOOK = frozenset({"metadata", "nbformat", "nbformat_minor"})
_CELL_TYPES = ("code", "markdown", "raw")
_OF_A_CELL = frozenset({"cell_type", "execution_count", "id", "metadata"})
# Of these a viewer runs what is in them.
_SCRIPTS = frozenset({"application/javascript", "text/javascript"})
_ACTIVE = _SCRIPTS | {"image/svg+xml", "text/html"}
# What a notebook names itself is shown only if it is no sentence.
_KIND, _LANGUAGE = re.compile(r"[a-z]{1,20}/[\w.+-]{1,60}"), re.compile(r"[\w+#.-]{1,30}")
_MOST_KINDS = 8
_SPACE = re.compile(r"[ \t\r\n]*+")
_value_at = json.JSONDecoder().raw_decode


class _NoNotebook(ValueError):
    """The text is no notebook in the format of today."""


@dataclass(frozen=True)
class _Notebook:
    """Cells with their names, the first of each being what is outside of them.

    `shown` has the numbers of the lines with code and text, `outputs` those of the lines with outputs and attachments,
    each with the number of the cell.
    """

    cells: Sequence[JsonObject]
    names: Sequence[str]
    shown: Mapping[int, int]
    outputs: Mapping[int, int]


def is_notebook(path: str) -> bool:
    """Whether a file is a notebook by its name."""
    return path.lower().endswith(".ipynb")


def with_cells(file: ChangedFile, old: str | None, new: str | None) -> ChangedFile:
    """The file with only those lines of its hunks that are code or text of cells; the others are counted.

    `old` and `new` are its contents, None where there is none. Each hunk is in one cell, which its heading names.
    What is no notebook stays as it is.
    """
    try:
        before, after = (_read(text) if text is not None else None for text in (old, new))
    except _NoNotebook:
        return file

    def name(line: Line) -> str:
        book, number = (before, line.old) if line.marker == "-" else (after, line.new)
        cell = book.shown.get(number or 0) if book else None
        return book.names[cell] if book and cell is not None else ""

    hunks: list[Hunk] = []
    left_out: list[Line] = []
    for hunk in file.hunks:
        groups = [[*lines] for _, lines in groupby(hunk.lines, key=lambda line: bool(name(line)))]
        for part in hunk.split(groups):
            changed = [line for line in part.lines if line.marker != " "]
            if not name(part.lines[0]):
                left_out += changed
            elif changed:
                now = next((line for line in part.lines if line.marker != "-"), None)
                hunks.append(replace(part, heading=name(now) if now else f"removed from {name(part.lines[0])}"))
    counted, outputs = _left_out(left_out, before, after)
    hidden = file.hidden or ("its outputs have a script" if any(map(_has_script, outputs)) else "")
    return replace(file.with_hunks(hunks), left_out=counted, hidden=hidden)


def _left_out(lines: Iterable[Line], before: _Notebook | None, after: _Notebook | None) -> tuple[str, list[JsonObject]]:
    """Count changed lines that are not shown, the new outputs by their kinds; with these outputs."""
    cells: set[int] = set()
    removed = others = 0
    for line in lines:
        book, number = (before, line.old) if line.marker == "-" else (after, line.new)
        cell = book.outputs.get(number or 0) if book else None
        if cell is None:
            others += 1
        elif line.marker == "-":
            removed += 1
        else:
            cells.add(cell)
    outputs = [output for cell in cells for output in _outputs(after.cells[cell])] if after else []
    parts = [f"{len(outputs)} output{'s' * (len(outputs) > 1)}: {_kinds(outputs)}"] if outputs else []
    parts += [f"{removed:,} removed lines of outputs"] if removed and not outputs else []
    parts += [f"{others:,} lines of counts, ids, metadata and brackets"] if others else []
    return "; ".join(parts), outputs


def _outputs(cell: JsonObject) -> Iterator[JsonObject]:
    """The outputs and the attachments of a cell, by their kinds."""
    outputs = cell.get("outputs")
    for output in map(_object, outputs if isinstance(outputs, list) else ()):
        yield _object(output.get("data")) or {"text/plain": output.get("text") or output.get("traceback")}
    yield from map(_object, _object(cell.get("attachments")).values())


def _has_script(output: JsonObject) -> bool:
    """Whether a viewer that trusts the notebook runs what is in an output."""
    active = ((kind, _text_of(value).lower()) for kind, value in output.items() if kind in _ACTIVE)
    return any(kind in _SCRIPTS or "<script" in text for kind, text in active)


def _kinds(outputs: Iterable[JsonObject]) -> str:
    """The kinds of outputs with their sizes, first those that a viewer runs."""
    sizes: Counter[str] = Counter()
    for kind, value in (each for output in outputs for each in output.items()):
        text = _text_of(value)
        size = text.count("\n") + 1 if kind == "text/plain" else len(text.encode("utf-8", "surrogatepass"))
        sizes[kind if _KIND.fullmatch(kind) else "others"] += size
    ordered = sorted(sizes.items(), key=lambda each: (each[0] not in _ACTIVE, -each[1]))[:_MOST_KINDS]
    rows = [f"{kind} {size:,} {'lines' if kind == 'text/plain' else 'bytes'}" for kind, size in ordered]
    return ", ".join([*rows, *(["others"] if len(sizes) > _MOST_KINDS else [])])


def _read(text: str) -> _Notebook:
    """Read a notebook. Raises _NoNotebook."""
    text = text.removeprefix("\ufeff")
    try:
        whole = _object(json.loads(text, object_pairs_hook=_unlike))
    except (ValueError, RecursionError) as error:
        raise _NoNotebook from error
    if not isinstance(whole.get("cells"), list):
        raise _NoNotebook
    cells = [*map(_object, whole["cells"])]
    if not all(cell.get("cell_type") in _CELL_TYPES and _is_text(cell.get("source")) for cell in cells):
        raise _NoNotebook
    starts = [*accumulate((len(line) + 1 for line in text.split("\n")), initial=0)]
    shown: dict[int, int] = {}
    outputs: dict[int, int] = {}

    def note(lines: dict[int, int], cell: int, start: int, end: int) -> None:
        for number in range(bisect_right(starts, start), bisect_right(starts, end - 1) + 1):
            lines.setdefault(number, cell)

    for key, start, end in _members(text, _after_space(text, 0)):
        if key not in _OF_A_NOTEBOOK and key != "cells":
            note(shown, 0, start, end)
        for cell, (_, at, _) in enumerate(_members(text, start) if key == "cells" else (), 1):
            for name, begin, to in _members(text, at):
                if name in ("outputs", "attachments"):
                    note(outputs, cell, begin, to)
                elif name == "source" and text[begin] == "[":
                    for _, *row in _members(text, begin):
                        note(shown, cell, *row)
                elif name not in _OF_A_CELL:
                    note(shown, cell, begin, to)
    language = _language(_object(whole.get("metadata")))
    kinds = (f"{cell['cell_type']}{language if cell['cell_type'] == 'code' else ''}" for cell in cells)
    names = ["outside of the cells", *(f"cell {number}, {kind}" for number, kind in enumerate(kinds, 1))]
    return _Notebook(({}, *cells), names, shown, outputs)


def _members(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """The places of the members of an object, or of a list's items, that begins at a place of valid JSON.

    Each is its key ("" of an item), and where its value begins and ends.
    """
    is_object = text[at] == "{"
    at = _after_space(text, at + 1)
    while text[at] not in "}]":
        key = ""
        if is_object:
            key, at = _value_at(text, at)
            at = _after_space(text, _after_space(text, at) + 1)
        _, end = _value_at(text, at)
        yield key, at, end
        at = _after_space(text, end)
        at = _after_space(text, at + 1) if text[at] == "," else at


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _unlike(pairs: list[tuple[str, Any]]) -> JsonObject:
    """An object of which no key is there twice, since readers differ in which one they take."""
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def _object(value: object) -> JsonObject:
    return value if isinstance(value, Mapping) else {}


def _is_text(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(each, str) for each in value))


def _text_of(value: Any) -> str:
    """The text of a member, which may be cut into lines, or else its JSON."""
    return "".join(value) if _is_text(value) else json.dumps(value)


def _language(metadata: JsonObject) -> str:
    """The language of the kernel, as the end of a name; "" if none is named."""
    named = _object(metadata.get("kernelspec")).get("language") or _object(metadata.get("language_info")).get("name")
    return f", {named}" if isinstance(named, str) and _LANGUAGE.fullmatch(named) else ""
