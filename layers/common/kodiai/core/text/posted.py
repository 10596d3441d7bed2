"""The last look at every text that goes to GitHub: it hides nothing, holds no secret, and orders no other bot about.

Other bots read the raw text. Prow takes a line that begins with a slash, `/lgtm`, in code too; bors, Jenkins and Zuul
take a line of a few words, `bors r+` or `recheck`; Mergify and Dependabot take one that begins with their mention.
Source: https://docs.prow.k8s.io/docs/components/plugins/ , https://bors.tech/documentation/
"""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from kodiai.core.text.incoming import visible, written_out
from kodiai.core.text.secrets import masked, masked_random

_MARKDOWN = frozenset({"body", "summary"})
_PLAIN = frozenset({"title", "message"})
# A fence may begin an item of a list or a quote.
_FENCE = re.compile(
    r"(?P<before>(?:[ \t>]|[-+*](?=[ \t])|[0-9]{1,9}[.)](?=[ \t]))*+)(?P<ticks>`{3,}+|~{3,}+)(?P<info>[^`]*+)"
)
_MARK = re.compile(r"[^ \t>]")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(?:.+?)(?<!`)\1(?!`)")
_JOINER = "\u2060"
_JOINED = re.compile(rf"(?<=[@#]){_JOINER}")
_BEHIND_MASK = re.compile(r"(?<=…)@(?=[A-Za-z0-9])")  # an address, which becomes a mention without its password
_SLASH = re.compile(r"\s*+[/!](?=[A-Za-z])")
_MENTION = re.compile(r"\s*+@[A-Za-z]")
_FEW_WORDS = re.compile(r"\s*+[A-Za-z][^\s]{0,40}(?: [^\s]{1,40}){0,3}\s*+")
_ENDS = tuple(".:;,?…)]}>`*|")
_SUGGESTION = "suggestion"


def posted(text: str) -> str:
    """A text in Markdown as it may be posted. Nothing is shown differently, but for what was hidden or secret.

    A line that another bot could take for a command is written so that only its rendered form reads like one.
    Hidden characters go, and are written out in code. HTML comments, which are our own marks, stay as they are.
    """
    lines = iter(masked(text).replace("\r\n", "\n").split("\n"))
    return "\n".join(_posted_lines(lines))


def posted_line(text: str) -> str:
    """A text that is no Markdown, such as a title."""
    return _without_unseen(masked_random(masked(text)))


def cleaned(value: Any, key: str = "") -> Any:
    """A request's JSON with every text for people as it may be posted."""
    if isinstance(value, dict):
        return {name: cleaned(each, name) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [cleaned(each, key) for each in value]
    if isinstance(value, str) and key in _MARKDOWN:
        return posted(value)
    return posted_line(value) if isinstance(value, str) and key in _PLAIN else value


def reads_as_command(line: str) -> bool:
    """Whether another bot could take a line for a command: by its form, since every bot has words of its own."""
    if _SLASH.match(line) or _MENTION.match(line):
        return True
    return _FEW_WORDS.fullmatch(line) is not None and not line.rstrip().endswith(_ENDS)


def _posted_lines(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        opening = _FENCE.fullmatch(line)
        if line.startswith("<!--"):
            yield line
            if "-->" not in line:
                yield from _to_end_of_comment(lines)
        elif opening is not None:
            yield from _fence(opening, lines)
        else:
            yield _harmless(_prose(line))


def _to_end_of_comment(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line
        if "-->" in line:
            return


def _fence(opening: re.Match[str], lines: Iterator[str]) -> Iterator[str]:
    """Fenced code; if a line of it reads as a command all are indented, which a fence takes off again.

    A suggestion stays as it is.
    """
    before, ticks = opening["before"], opening["ticks"]
    code = [*takewhile(lambda line: line.strip(" \t>") != ticks, lines)]
    indent = ""
    if opening["info"].strip().lower() != _SUGGESTION:
        code = [written_out(masked_random(line)) for line in code]
        indent = " " if not before and any(map(reads_as_command, code)) else ""
    end = _MARK.sub(" ", before) + ticks
    yield from (f"{indent}{line}" if line else line for line in (opening.group(), *code, end))


def _prose(line: str) -> str:
    """A line outside of fences without hidden characters; those in code are written out."""
    line = _BEHIND_MASK.sub(f"@{_JOINER}", masked_random(line))
    parts = []
    at = 0
    for code in _CODE_SPAN.finditer(line):
        parts += [_without_unseen(line[at : code.start()]), _JOINER.join(map(written_out, _JOINED.split(code.group())))]
        at = code.end()
    return "".join([*parts, _without_unseen(line[at:])])


def _without_unseen(text: str) -> str:
    """A text without hidden characters, but for those by which we break a mention."""
    return _JOINER.join(map(visible, _JOINED.split(text)))


def _harmless(line: str) -> str:
    """A line with its first sign escaped if it reads as a command."""
    if not reads_as_command(line):
        return line
    bare = line.lstrip()
    before = line[: len(line) - len(bare)]
    return f"{before}\\{bare}" if bare[0] in "/!@" else f"{before}&#{ord(bare[0])};{bare[1:]}"
