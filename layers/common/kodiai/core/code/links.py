"""The links and images of a Markdown file that name other files of the repository."""

import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from markdown_it import MarkdownIt

_MARKDOWN = MarkdownIt("commonmark", {"maxNesting": 50}).enable("table")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:|[/#?]", re.IGNORECASE)
_BREAKS = ("softbreak", "hardbreak")


def links(lines: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """The 1-based line of each relative link, how it is written, and its path."""
    for block in _MARKDOWN.parse("\n".join(lines)):
        line = block.map[0] + 1 if block.map else 1
        for token in block.children or ():
            line += token.type in _BREAKS
            target = str(token.attrs.get("href" if token.type == "link_open" else "src", ""))
            if token.type in ("link_open", "image") and target and not _ADDRESS.match(target):
                yield line, target, unquote(re.split(r"[?#]", target, maxsplit=1)[0])
