"""Guidance: what the base branch says of how to work there, by whole sections, each of them once."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest

from markdown_it import MarkdownIt

from kodiai.core.github.pull_request import Guidance
from kodiai.core.json_object import JsonObject
from kodiai.core.plan.guidance_files import names_another
from kodiai.core.plan.snapshot import FOR_REVIEWERS, ROOT_GUIDANCE
from kodiai.core.text.incoming import visible

# Of the guidance for reviewers, and of all other files together, of which some are kept for the root's.
_CHARACTERS = 8_000
_OF_THE_ROOT = 2_000
_GENERAL = frozenset(ROOT_GUIDANCE) - FOR_REVIEWERS
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


@dataclass
class ShownGuidance:
    """A file as the model sees it: its sections for which there was room, and the titles of the others."""

    path: str
    text: str = ""
    sections: int = 0
    missing: list[str] = field(default_factory=list)

    @property
    def row(self) -> JsonObject:
        """The file among the facts of the pull request."""
        missing = {"sections_left_out": self.missing} if self.missing else {}
        return {"path": self.path, "text": self.text, **missing}


def shown_guidance(ranks: Iterable[Sequence[Guidance]], left_out: Counter[str]) -> list[ShownGuidance]:
    """The guidance as the model sees it; sections without room are counted with their titles in `left_out`.

    `ranks` are the files in their order. Files of the same rank have a section each before one of them has its second.
    What an earlier file says is not repeated, and a file that names only another one is not shown.
    """
    every = [*ranks]
    paths = {file.path for files in every for file in files}
    left = dict.fromkeys((True, False), _CHARACTERS)  # by whether a file is for reviewers only
    kept = _OF_THE_ROOT if not paths.isdisjoint(_GENERAL) else 0
    seen = {""}
    shown: list[ShownGuidance] = []
    for files in every:
        told = {file.path: _sections(file.text) for file in files if not names_another(file, paths)}
        rows = [*map(ShownGuidance, told)]
        for sections in zip_longest(*told.values()):
            for row, section in zip(rows, sections, strict=True):
                if section is None or section.words in seen:
                    continue
                of_root, of_reviewers = row.path in ROOT_GUIDANCE, row.path in FOR_REVIEWERS
                if len(section.text) > left[of_reviewers] - (0 if of_root else kept):
                    row.missing.append(section.title or row.path)
                    continue
                left[of_reviewers] -= len(section.text)
                seen.add(section.words)
                row.text += section.text
                row.sections += 1
        shown += [row for row in rows if row.text or row.missing]
    for row in shown:
        if row.missing:
            left_out[_named(row.path, row.missing)] += len(row.missing)
    return shown


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
