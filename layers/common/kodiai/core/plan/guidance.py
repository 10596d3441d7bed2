"""Guidance: what the base branch says of how to work there, by whole sections, each of them once."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt

from kodiai.core.github.pull_request import Guidance
from kodiai.core.json_object import JsonObject
from kodiai.core.plan.snapshot import REVIEW_GUIDE
from kodiai.core.text.incoming import visible

# Of the guidance for reviewers, and of all other files together.
_CHARACTERS = 8_000
_LONGEST_TITLE = 60
_MOST_NAMED = 3
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_BLOCKS = MarkdownIt("commonmark", {"maxNesting": 50}).disable("inline")


@dataclass(frozen=True)
class _Section:
    """A heading with the text up to the next one; the text before the first heading has no title."""

    title: str
    text: str

    @property
    def words(self) -> str:
        """The text, whatever white space it has."""
        return " ".join(self.text.split())


def guidance_rows(files: Sequence[Guidance], left_out: Counter[str]) -> list[JsonObject]:
    """The guidance as the model sees it; sections without room are counted with their titles in `left_out`.

    Sections are taken in the order of the files. What an earlier file says is not repeated, and a file that names only
    another one is not shown.
    """
    paths = {each.path for each in files}
    left = dict.fromkeys((True, False), _CHARACTERS)  # by whether a file is for reviewers only
    seen = {""}
    rows: list[JsonObject] = []
    for file in files:
        if file.text.strip().removeprefix("@").removeprefix("./") in paths:
            continue
        kept, missing = "", list[str]()
        for section in _sections(file.text):
            if section.words in seen:
                continue
            if len(section.text) > left[file.path == REVIEW_GUIDE]:
                missing.append(section.title or file.path)
                continue
            left[file.path == REVIEW_GUIDE] -= len(section.text)
            seen.add(section.words)
            kept += section.text
        if missing:
            left_out[_named(file.path, missing)] += len(missing)
        if kept or missing:
            rows.append({"path": file.path, "text": kept, **({"sections_left_out": missing} if missing else {})})
    return rows


def _sections(text: str) -> Iterator[_Section]:
    """The sections of a text in Markdown, which together are the text."""
    lines = _LINES.findall(text.replace("\r\n", "\n").replace("\r", "\n"))
    titles = {
        token.map[0]: visible(heading.content)[:_LONGEST_TITLE]
        for token, heading in pairwise(_BLOCKS.parse("".join(lines)))
        if token.type == "heading_open" and token.map and not token.level
    }
    for start, end in pairwise([*sorted({0, *titles}), len(lines)]):
        yield _Section(titles.get(start, ""), "".join(lines[start:end]))


def _named(path: str, titles: Sequence[str]) -> str:
    """The reason why sections are left out, with the titles of the first ones."""
    more = ", …" if len(titles) > _MOST_NAMED else ""
    return f"sections of {path} over {_CHARACTERS:,} characters ({', '.join(titles[:_MOST_NAMED])}{more})"
