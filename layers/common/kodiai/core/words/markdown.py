"""Putting text that we did not write into Markdown that we do write."""

import re

_CODE = re.compile(
    r"(^(?P<fence>```+|~~~+).*?^(?P=fence)[ ]*$|(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))", re.S | re.M
)
_MENTION = re.compile(r"(?<![\w`/@.])@(?=[A-Za-z0-9])([A-Za-z0-9-]+(?:/[A-Za-z0-9._-]+)?)")
_ACTIVE = re.compile(r"([\\`*_\[\]<>~|])")
_PLAIN_PATH = re.compile(r"[A-Za-z0-9]+(?:[-./_]?[A-Za-z0-9]+)*")
_LONGEST_FENCE = re.compile(r"`+")


def prose(text: str) -> str:
    """Let a text keep its Markdown, but open no HTML tag, no comment, no heading, and call nobody.

    Code spans and fenced blocks are left as they are.
    """
    parts = []
    at = 0
    for code in _CODE.finditer(text):
        parts += [_harmless(text[at : code.start()]), code.group()]
        at = code.end()
    return "".join([*parts, _harmless(text[at:])]).strip()


def line(text: str) -> str:
    """The same, on one line."""
    return prose(" ".join(text.split()))


def path(name: str) -> str:
    """Show a path as text; only characters that Markdown would act upon are escaped."""
    if _PLAIN_PATH.fullmatch(name):
        return name
    printable = "".join(char if char.isprintable() else "�" for char in name)
    return _ACTIVE.sub(r"\\\1", printable)


def fenced(code: str, language: str = "") -> str:
    """Put code into a fence that nothing in it can close."""
    longest = max((len(run) for run in _LONGEST_FENCE.findall(code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"


def folded(summary: str, body: str) -> str:
    """A section that opens on a click."""
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def _harmless(text: str) -> str:
    text = text.replace("<", "&lt;")
    text = re.sub(r"^(\s{0,3})(#{1,6}\s)", r"\1\\\2", text, flags=re.M)
    return _MENTION.sub(r"`@\1`", text)
