"""Look up: the read-only tools of the model, for files at the head and nothing else."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kodiai.core.changes.kinds import is_binary
from kodiai.core.changes.show import one_line
from kodiai.core.model.messages import ToolResult, ToolUse
from kodiai.core.repository.file_range import FileRange, show_ranges
from kodiai.core.repository.named import definitions_of, enclosing_name, find_text, used_lines, words_of
from kodiai.core.repository.search import TOO_LARGE, Found, Unsearchable, pattern_matcher, text_matcher
from kodiai.core.repository.view import RepositoryView
from kodiai.core.text.character_budget import clipped
from kodiai.core.text.layout import counted
from kodiai.flows.model.look_up_tools import HITS_A_PAGE, MOST_BODIES, MOST_RANGES, PATHS_A_PAGE

_LONGEST_HIT = 200
_LONGEST_NAME = 120
_BODY_LINES = 60
_MOST_NAMED, _MOST_LARGE = 20, 3
_QUALIFIED = re.compile(r"\.|::|->|#")

Given = Mapping[str, Any]


class Unanswerable(ValueError):
    """The look-up cannot be answered; the text tells the model why."""


def look_up(view: RepositoryView, use: ToolUse) -> ToolResult:
    """Use a tool as the model asks; the model's mistakes are reported to it, not raised."""
    if use.name not in _ANSWERS:
        return ToolResult(use.id, "there is no such tool", is_error=True)
    try:
        return ToolResult(use.id, _ANSWERS[use.name](view, use.input))
    except (Unanswerable, Unsearchable) as why:
        return ToolResult(use.id, str(why), is_error=True)


def _read_files(view: RepositoryView, given: Given) -> str:
    files = given.get("files")
    if not isinstance(files, list) or not files or not all(isinstance(each, dict) for each in files):
        raise Unanswerable("files must be a list of objects, each with a path")
    if len(files) > MOST_RANGES:
        raise Unanswerable(f"read at most {MOST_RANGES} ranges a call")
    view.tree.prefetch({path for each in files if isinstance(path := each.get("path"), str)})
    ranges = [_range(view, each) for each in files]
    shown = iter(show_ranges([each for each in ranges if isinstance(each, FileRange)]))
    text = "\n\n".join(each if isinstance(each, str) else next(shown) for each in ranges)
    if all(isinstance(each, str) for each in ranges):
        raise Unanswerable(text)
    return text


def _range(view: RepositoryView, given: Given) -> FileRange | str:
    """The lines of a file that are asked for, or the reason why there are none."""
    path = _text(given, "path")
    lines = view.lines(path)
    if lines is None:
        is_there = view.tree.read(path) is None and path in view.tree.paths()
        return f"{_shown(path)} is too large to be read" if is_there else f"there is no text file {_shown(path)}"
    start = max(_number(given, "start_line", 1), 1)
    end = min(_number(given, "end_line", len(lines)), len(lines))
    if start > max(len(lines), 1):
        return f"{_shown(path)} has {counted(len(lines), 'line')}"
    if lines and end < start:
        return f"{_shown(path)}: end_line is before start_line"
    return FileRange(path, lines, start, end)


def _list_files(view: RepositoryView, given: Given) -> str:
    paths, page = _below(view, _text(given, "path", "")), _number(given, "page", 1)
    pages = max(-(-len(paths) // PATHS_A_PAGE), 1)
    _check_page(page, pages)
    rows = [_shown(path) for path in paths[(page - 1) * PATHS_A_PAGE : page * PATHS_A_PAGE]]
    return "\n".join([*rows, *([f"(page {page} of {pages}, {len(paths)} files)"] if pages > 1 else [])]) or "none"


def _find(view: RepositoryView, given: Given) -> str:
    text, pattern, folder = (_text(given, each, "") for each in ("text", "pattern", "path"))
    sought, whole = text or pattern, given.get("whole_words") or False
    if bool(text) == bool(pattern) or not sought.strip() or "\n" in sought:
        raise Unanswerable("give either a text or a pattern, on one line")
    if not isinstance(whole, bool):
        raise Unanswerable("whole_words must be true or false")
    paths = _below(view, folder)
    if not paths:
        raise Unanswerable(f"there are no files at {_shown(folder)}")
    found = find_text(view, paths, (text_matcher if text else pattern_matcher)(sought, whole_words=whole))
    asked = f"find {'text' if text else 'pattern'} {_quoted(sought)}{' as whole words' if whole else ''}"
    title, places = _page(f"{asked}{f' in {_shown(folder)}' if folder else ''}", found, given)
    return "\n".join([title, *(_hit(view, *place) for place in places), *_unsearched(found)])


def _find_definition(view: RepositoryView, given: Given) -> str:
    name, path = _name(given), _file(view, given)
    found = definitions_of(view, name, path)
    asked = f"find_definition {_quoted(name)}{f' for {_shown(path)}' if path else ''}"
    notes = _unsearched(found.words)
    if found.unparsed:
        notes.append(f"(not looked through: {counted(found.unparsed, 'more file')} with the word)")
    if not found.definitions:
        words = f"{counted(found.words.count, 'line')} of {counted(len(found.words.lines), 'file')}"
        return "\n".join([f"{asked}: none is known, and {words} have it as a word", *notes])
    own = [each for each in found.near if each[0] == path]
    bodies = next((each for each in (found.definitions, found.near, own) if len(each) <= MOST_BODIES), [])
    places = [each for each in found.definitions if each not in bodies]
    shown = show_ranges(
        [FileRange(path, view.lines(path) or [], one.start_line, one.end_line, _BODY_LINES) for path, one in bodies]
    )
    listed = [_hit(view, path, found.line_of(path, one)) for path, one in places[:HITS_A_PAGE]]
    if len(places) > HITS_A_PAGE:
        listed.append(f"(and {len(places) - HITS_A_PAGE} more)")
    title = f"{asked}: {'at least ' if found.unparsed else ''}{counted(len(found.definitions), 'definition')}"
    return "\n".join([title, *shown, *listed, *notes, *_guessed(view, (path for path, _ in found.definitions))])


def _find_uses(view: RepositoryView, given: Given) -> str:
    name, path = _name(given), _file(view, given)
    found = words_of(view, name, path)
    asked = f"find_uses {_quoted(name)}{f' of {_shown(path)}' if path else ''}"
    title, places = _page(asked, found.words, given)
    rows, left_out, by_file = [title], list[str](), dict[str, list[int]]()
    for file, line in places:
        by_file.setdefault(file, []).append(line)
    for file, lines in by_file.items():
        used = used_lines(view, file, lines, name)
        rows += [_hit(view, file, line) for line in lines if used is None or line in used]
        if others := [str(line) for line in lines if used is not None and line not in used]:
            left_out.append(f"{_shown(file)}:{','.join(others)}")
    if left_out:
        rows.append(f"(no name, as in a comment or a string: {_few(left_out)})")
    if found.elsewhere.count:
        files = counted(len(found.elsewhere.lines), "file")
        rows.append(f"(in other languages: {counted(found.elsewhere.count, 'line')} of {files})")
    return "\n".join([*rows, *_guessed(view, by_file), *_unsearched(found.words)])


_ANSWERS: Mapping[str, Callable[[RepositoryView, Given], str]] = {
    "read_files": _read_files,
    "find": _find,
    "list_files": _list_files,
    "find_definition": _find_definition,
    "find_uses": _find_uses,
}


def _page(asked: str, found: Found, given: Given) -> tuple[str, list[tuple[str, int]]]:
    """The question with the number of places and the page, and the places on that page."""
    if not found.count:
        return f"{asked}: nowhere in {counted(found.searched, 'file')}", []
    page, pages = _number(given, "page", 1), -(-found.count // HITS_A_PAGE)
    _check_page(page, pages)
    lines, files = counted(found.count, "line"), counted(len(found.lines), "file")
    return f"{asked}: {lines} of {files}, page {page} of {pages}", found.page(page, HITS_A_PAGE)


def _hit(view: RepositoryView, path: str, line: int) -> str:
    """A line behind its place and the definition that it is in, so that nothing in it can pose as our words."""
    rows, name = view.lines(path) or [], clipped(enclosing_name(view, path, line), _LONGEST_NAME)
    code = clipped(one_line(rows[line - 1].strip()), _LONGEST_HIT)
    return f"{_shown(path)}:{line}{f' in {name}' if name else ''} | {code}"


def _unsearched(found: Found) -> list[str]:
    return [
        f"(not searched: {counted(len(paths), 'file')}, {why}{_large(paths) if why == TOO_LARGE else ''})"
        for why, paths in found.unsearched.items()
    ]


def _large(paths: Iterable[str]) -> str:
    return f": {_few([_shown(path) for path in sorted(paths, key=is_binary)], _MOST_LARGE)}"


def _guessed(view: RepositoryView, paths: Iterable[str]) -> list[str]:
    """A note on the files that no grammar reads: where something begins and ends, and what is a name, is a guess."""
    guessed = [_shown(path) for path in dict.fromkeys(paths) if not view.outline(path).has_grammar]
    return [f"(no grammar reads these, so it is guessed: {_few(guessed)})"] if guessed else []


def _few(names: list[str], most: int = _MOST_NAMED) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _shown(path: str) -> str:
    """A path on one line, as JSON if it would not stay on one."""
    return path if path.isprintable() else json.dumps(path)


def _quoted(text: str) -> str:
    """A text that was asked for, on one line."""
    return json.dumps(text, ensure_ascii=not text.isprintable())


def _below(view: RepositoryView, folder: str) -> list[str]:
    folder = "" if folder == "." else folder.removeprefix("./").strip("/")
    return [path for path in view.tree.paths() if not folder or path == folder or path.startswith(f"{folder}/")]


def _file(view: RepositoryView, given: Given) -> str | None:
    """The file that is named, None if none is."""
    path = _text(given, "path", "") or None
    if path is not None and view.lines(path) is None:
        raise Unanswerable(f"there is no text file {_shown(path)}")
    return path


def _name(given: Given) -> str:
    """The name that is asked for, without what it belongs to."""
    name = _QUALIFIED.split(_text(given, "name").strip())[-1]
    if not name or name.split() != [name]:
        raise Unanswerable("name must be one name")
    return name


def _text(given: Given, name: str, default: str | None = None) -> str:
    value = default if given.get(name) is None else given[name]
    if not isinstance(value, str):
        raise Unanswerable(f"{name} must be a text")
    return value


def _number(given: Given, name: str, default: int) -> int:
    value = default if given.get(name) is None else given[name]
    if not isinstance(value, int) or isinstance(value, bool):
        raise Unanswerable(f"{name} must be a whole number")
    return value


def _check_page(page: int, pages: int) -> None:
    if not 1 <= page <= pages:
        raise Unanswerable(f"there is no page {page}: the pages are 1 to {pages}")
