"""Look up: the read-only tools of the model, for files at the head and nothing else."""

import json
from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Any

from kodiai.core.changes.long_lines import LONGEST
from kodiai.core.changes.show import one_line, show_lines
from kodiai.core.changes.text import decoded
from kodiai.core.json_object import JsonObject
from kodiai.core.model.messages import Tool, ToolResult, ToolUse
from kodiai.core.repository.tree import Tree, lines_of

_MOST_LINES = 800
_MOST_CHARACTERS = 60_000
_TITLE_CHARACTERS = 60
_NUMBER_CHARACTERS = 12
_CUT_CHARACTERS = 60
_MOST_HITS = 60
_MOST_PATHS = 500
_LARGEST_SEARCHED = 1_000_000

_PATH = {"type": "string", "description": "A path from the repository's root."}


def _tool(name: str, description: str, properties: JsonObject, required: list[str]) -> Tool:
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return Tool(name, description, schema)


TOOLS: tuple[Tool, ...] = (
    _tool(
        "read_file",
        f"Read a file of the repository at the head of the pull request, at most {_MOST_LINES} lines a call.",
        {
            "path": _PATH,
            "start_line": {"type": "integer", "description": "The first line, from 1. Default 1."},
            "end_line": {"type": "integer", "description": "The last line, included. Default: as many as fit."},
        },
        ["path"],
    ),
    _tool(
        "search",
        "Find a plain text (no pattern, upper and lower case differ) in the repository's files at the head.",
        {
            "text": {"type": "string", "description": "What to look for, on one line."},
            "path": {"type": "string", "description": "Only in files below this folder, or in this file."},
        },
        ["text"],
    ),
    _tool(
        "list_files",
        "List the repository's files at the head.",
        {"path": {"type": "string", "description": "Only those below this folder."}},
        [],
    ),
)


class Unanswerable(ValueError):
    """The look-up cannot be answered; the text tells the model why."""


def look_up(tree: Tree, use: ToolUse) -> ToolResult:
    """Use a tool as the model asks; the model's mistakes are reported to it, not raised."""
    if use.name not in _TOOLS:
        return ToolResult(use.id, "there is no such tool", is_error=True)
    try:
        return ToolResult(use.id, _TOOLS[use.name](tree, use.input))
    except Unanswerable as why:
        return ToolResult(use.id, str(why), is_error=True)


def _read_file(tree: Tree, given: Mapping[str, Any]) -> str:
    path = _text(given, "path")
    lines = lines_of(tree.read(path))
    if lines is None:
        if tree.read(path) is None and path in tree.paths():
            raise Unanswerable(f"{_shown(path)} is too large to be read")
        raise Unanswerable(f"there is no text file {_shown(path)}")
    start = max(_number(given, "start_line", 1), 1)
    end = min(_number(given, "end_line", len(lines)), len(lines), start + _MOST_LINES - 1)
    if start > max(len(lines), 1):
        raise Unanswerable(f"{_shown(path)} has {len(lines)} lines")
    if lines and end < start:
        raise Unanswerable("end_line is before start_line")
    room = _MOST_CHARACTERS - len(json.dumps(path)) - _TITLE_CHARACTERS
    sizes = accumulate(
        min(len(line), LONGEST + _CUT_CHARACTERS) + _NUMBER_CHARACTERS for line in lines[start - 1 : end]
    )
    return show_lines(path, lines, start, start + sum(size <= room for size in sizes) - 1)


def _search(tree: Tree, given: Mapping[str, Any]) -> str:
    text, below = _text(given, "text"), _text(given, "path", "")
    if not text.strip() or "\n" in text:
        raise Unanswerable("give one line of text to look for")
    if not tree.searchable:
        raise Unanswerable("the repository is too large to be searched: list and read files instead")
    needle = text.encode("utf-8", "replace") if text.isascii() else b""
    hits: list[str] = []
    too_large = 0
    for path in _below(tree, below):
        content = tree.read(path)
        if content is None or len(content) > _LARGEST_SEARCHED:
            too_large += 1
            continue
        # Only in UTF-16, which has NULs, and in Latin-1 are its bytes other ones.
        read = decoded(content) if needle in content or b"\0" in content else None
        if read is None:
            continue
        for number, line in enumerate(read.text.split("\n"), 1):
            if text in line:
                hits.append(f"{_shown(path)}:{number} | {one_line(line.strip())[:200]}")
            if len(hits) == _MOST_HITS:
                return "\n".join([*hits, f"(the first {_MOST_HITS} places)"])
    left_out = [f"(not searched: {too_large} of the files, each over 1 MB)"] if too_large else []
    return "\n".join([*(hits or ["nowhere"]), *left_out])


def _list_files(tree: Tree, given: Mapping[str, Any]) -> str:
    paths = [_shown(path) for path in _below(tree, _text(given, "path", ""))]
    rest = len(paths) - _MOST_PATHS
    return "\n".join([*paths[:_MOST_PATHS], *([f"(and {rest} more)"] if rest > 0 else [])]) or "none"


_TOOLS: Mapping[str, Callable[[Tree, Mapping[str, Any]], str]] = {
    "read_file": _read_file,
    "search": _search,
    "list_files": _list_files,
}


def _shown(path: str) -> str:
    """A path on one line, as JSON if it would not stay on one."""
    return path if path.isprintable() else json.dumps(path)


def _below(tree: Tree, folder: str) -> list[str]:
    folder = "" if folder == "." else folder.removeprefix("./").strip("/")
    return [path for path in tree.paths() if not folder or path == folder or path.startswith(f"{folder}/")]


def _text(given: Mapping[str, Any], name: str, default: str | None = None) -> str:
    value = given.get(name, default)
    if not isinstance(value, str):
        raise Unanswerable(f"{name} must be a text")
    return value


def _number(given: Mapping[str, Any], name: str, default: int) -> int:
    value = default if given.get(name) is None else given[name]
    if not isinstance(value, int) or isinstance(value, bool):
        raise Unanswerable(f"{name} must be a whole number")
    return value
