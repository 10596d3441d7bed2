"""Which lines may begin the definition of a name, told cheaply: the outline of the file says for certain."""

import re

_KEYWORD = re.compile(
    r"(?:^|\W)(?:class|contract|def|defmacro|defp|enum|fn|fun|func|function\*?|impl|interface|macro_rules!|macro|module"
    r"|namespace|proc|procedure|protocol|record|struct|sub|trait|type|typedef|union)\s+(?:\([^()]*\)\s*)?(?:[\w:]+[.:])?$"
)
_HELD = re.compile(r"\s*(?:=|:)\s*(?:async\b\s*)?(?:function\b|class\b|\(|\w+\s*=>)")
_TAKES = re.compile(r"\s*(?:<[^<>()]*>\s*)?\(")
_TYPES = re.compile(r"\s*(?:[\w<>\[\],.:&?*@~#]+\s+)+[*&]*(?:\w+::)?$")
_STEERS = re.compile(
    r"\b(?:and|assert|await|case|delete|else|elif|for|go|if|in|is|new|not|or|raise|return|throw|when|while|yield)\b"
)
# In these every definition has a keyword in front of its name.
_SAY_SO = frozenset({"go", "python", "rust"})


def may_define(language: str | None, line: str, start: int, end: int) -> bool:
    """Whether a line may begin the definition of the name that stands at `start` to `end` in it.

    `language` is what `language_of` says of the file.
    """
    before, after = line[:start], line[end:]
    if _KEYWORD.search(before):
        return True
    if language in _SAY_SO:
        return False
    if _HELD.match(after):
        return True
    if not _TAKES.match(after):
        return False
    if after.rstrip().endswith("{") and not before.strip():
        return True
    return _TYPES.match(before) is not None and not _STEERS.search(before) and not after.rstrip().endswith(";")
