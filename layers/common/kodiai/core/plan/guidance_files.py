"""Guidance files: the files of the base branch that say how to work on changed files, the nearest first.

Imports: https://code.claude.com/docs/en/memory#import-additional-files
Instructions: https://docs.github.com/en/copilot/how-tos/configure-custom-instructions/add-repository-instructions
"""

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, islice

from markdown_it import MarkdownIt

from kodiai.core.changes.globs import matches_any, matches_whole, pattern_problem
from kodiai.core.github.pull_request import Guidance
from kodiai.core.plan.snapshot import ROOT_GUIDANCE

_OF_FOLDERS = frozenset({"AGENTS.md", "CLAUDE.md"})
_INSTRUCTIONS = ".github/instructions/", ".instructions.md"
_CODE_REVIEW = "code-review"
_MOST_GLOBS = 50
# Globs are often written without the quotes that YAML asks for.
_FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*\n(.*?\n)---[ \t]*(?:\n|\Z)", re.DOTALL)
_KEY = re.compile(r"^(applyTo|excludeAgent):(.*\n(?:[ \t]*- .*\n)*)", re.MULTILINE)
_VALUE = re.compile(r"(?:[^,{}\n]|\{[^{}\n]*\})+")
_IMPORT = re.compile(r"(?:^|\s)@([^\s`]+)")
_PUNCTUATION = ".,;:!?)\"'*_"
_WORDS = MarkdownIt("commonmark", {"maxNesting": 50}).disable(
    ["autolink", "emphasis", "entity", "escape", "image", "link"]
)

Rank = tuple[int, int]
"""The place of a file in the order of guidance, from (0, 0) for what is nearest to a changed file."""


def ranks(paths: Collection[str], changed: Collection[str], patterns: Sequence[str]) -> dict[str, Rank]:
    """The ranks of those paths that may be guidance for changed files.

    First come folders by their distance, then instructions for paths, files that `patterns` name, and the root's own.
    """
    near = [path for path in paths if posixpath.basename(path) in _OF_FOLDERS]
    distances = _distances({posixpath.dirname(path) for path in near} - {""}, changed)
    found = {path: (0, distances[folder]) for path in near if (folder := posixpath.dirname(path)) in distances}
    for path in paths:
        if path in ROOT_GUIDANCE:
            found[path] = 3, ROOT_GUIDANCE.index(path)
        elif path not in found and _is_instructions(path):
            found[path] = 1, 0
        elif path not in found and matches_any(path, patterns):
            found[path] = 2, 0
    return found


def _distances(folders: Collection[str], changed: Iterable[str]) -> Mapping[str, int]:
    """The number of folders with guidance between each of these and the nearest changed file below it."""
    found: dict[str, int] = {}
    for path in changed:
        above = [path[:at] for at, sign in enumerate(path) if sign == "/"]
        for distance, folder in enumerate(each for each in reversed(above) if each in folders):
            found[folder] = min(distance, found.get(folder, distance))
    return found


def nearest_first(
    guidance: Sequence[Guidance], changed: Collection[str], patterns: Sequence[str]
) -> Iterator[list[Guidance]]:
    """The guidance for changed files by rank; what a file imports comes right behind it, unless it has its own rank."""
    by_path = {each.path: each for each in guidance}
    ranked = ranks(by_path, changed, patterns)
    imported: set[str] = set()
    for _, paths in groupby(sorted(ranked, key=lambda path: (ranked[path], path)), key=ranked.__getitem__):
        files: list[Guidance] = []
        for file in (by_path[path] for path in paths):
            if _is_instructions(file.path):
                if not _applies(file, changed):
                    continue
                files.append(replace(file, text=_front_matter(file.text)[1]))
            else:
                files.append(file)
            new = [path for path in imports(file, by_path) if path not in ranked and path not in imported]
            files += map(by_path.__getitem__, new)
            imported.update(new)
        yield files


def imports(file: Guidance, paths: Collection[str]) -> list[str]:
    """Those of the paths that a file imports: `@path` in its text, from its own folder, and not in code."""
    found: dict[str, None] = {}
    for block in _WORDS.parse(file.text) if "@" in file.text else ():
        words = "".join(_words(token.type, token.content) for token in block.children or ())
        for name in _IMPORT.findall(words):
            places = (_from(file.path, each) for each in (name, name.rstrip(_PUNCTUATION)) if each[:1] != "~")
            found.update(dict.fromkeys(path for path in places if path in paths and path != file.path))
    return [*found]


def _words(kind: str, content: str) -> str:
    """A part of a paragraph, in which code is one sign."""
    return content if kind == "text" else "\n" if kind.endswith("break") else "`"


def names_another(file: Guidance, paths: Collection[str]) -> bool:
    """Whether all that a file says is the path of another one, from its folder or from the root, as a link does."""
    named = file.text.strip().removeprefix("@")
    return _from(file.path, named) in paths or named.removeprefix("./") in paths


def _from(importer: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(importer), path))


def glob_problem(file: Guidance) -> str | None:
    """Say which glob of instructions cannot be followed, and why; None if all can."""
    found = ((glob, pattern_problem(glob)) for glob in _globs(file))
    return next((f"the glob {glob}: {problem}" for glob, problem in found if problem), None)


def _is_instructions(path: str) -> bool:
    start, end = _INSTRUCTIONS
    return path.startswith(start) and path.endswith(end)


def _applies(file: Guidance, changed: Collection[str]) -> bool:
    """Whether instructions are for a changed file, and for reviews."""
    globs = [glob for glob in _globs(file) if pattern_problem(glob) is None]
    return any(matches_whole(path, glob) for glob in globs for path in changed)


def _globs(file: Guidance) -> list[str]:
    """The globs of the files that instructions are for; none if they are not for reviews."""
    if not _is_instructions(file.path):
        return []
    keys = _front_matter(file.text)[0]
    if _CODE_REVIEW in keys.get("excludeAgent", ()):
        return []
    globs = (glob for each in keys.get("applyTo", ()) for glob in _alternatives(each.removeprefix("/")))
    return [*islice(globs, _MOST_GLOBS)]


def _alternatives(glob: str) -> Iterator[str]:
    """The globs without braces that one with braces stands for."""
    before, _, rest = glob.partition("{")
    inside, brace, after = rest.partition("}")
    if not brace:
        yield glob
        return
    for each in inside.split(","):
        yield from (f"{before}{each.strip()}{end}" for end in _alternatives(after))


def _front_matter(text: str) -> tuple[Mapping[str, Sequence[str]], str]:
    """The values of the keys that count, and the text behind them."""
    text = text.replace("\r\n", "\n")
    found = _FRONT_MATTER.match(text)
    if found is None:
        return {}, text
    values = {key: [each.strip(" \t-[]\"'") for each in _VALUE.findall(value)] for key, value in _KEY.findall(found[1])}
    return {key: [*filter(None, each)] for key, each in values.items()}, text[found.end() :]
