"""Definitions: the pieces of a file that have a name, and the lines that may begin one."""

import re
from dataclasses import dataclass

_KEYWORD = re.compile(
    r"(?:^|\W)(?:class|contract|def|defmacro|defp|enum|fn|fun|func|function\*?|impl|interface|macro_rules!|macro|mod|module"
    r"|namespace|proc|procedure|protocol|record|struct|sub|trait|type|typedef|union)\s+(?:\([^()]*\)\s*)?(?:[\w:]+[.:])?$"
)
_ASSIGNED = re.compile(r"\s*(?:=|:)\s*(?:async\b\s*)?(?:function\b|class\b|\(|\w+\s*=>)")
_PARAMETERS = re.compile(r"\s*(?:<[^<>()]*>\s*)?\(")
_TYPES = re.compile(r"\s*(?:[\w<>\[\],.:&?*@~#]+\s+)+[*&]*(?:\w+::)?$")
_STATEMENT = re.compile(
    r"\b(?:and|assert|await|case|delete|else|elif|for|go|if|in|is|new|not|or|raise|return|throw|when|while|yield)\b"
)
# In these languages every definition has a keyword in front of its name.
_KEYWORD_LANGUAGES = frozenset({"go", "python", "rust"})


@dataclass(frozen=True, slots=True)
class Definition:
    """A named piece of a file, with 1-based lines, both included.

    Decorators, attributes and comments directly above belong to it. `kind` is function (of any sort), class, struct,
    interface, enum, trait, impl, type, module, macro, or test for a block of tests that is named by a sentence;
    block where the language has no grammar.
    """

    name: str
    kind: str
    start_line: int
    end_line: int

    def covers(self, start: int, end: int) -> bool:
        """Whether all lines from `start` to `end` are its own."""
        return self.start_line <= start and end <= self.end_line


def may_define(language: str | None, line: str, start: int, end: int) -> bool:
    """Whether a line may begin the definition of the name at `start` to `end` in it; only the outline is certain.

    `language` is the result of `language_of` for the file.
    """
    before, after = line[:start], line[end:]
    if _KEYWORD.search(before):
        return True
    if language in _KEYWORD_LANGUAGES:
        return False
    if _ASSIGNED.match(after):
        return True
    if not _PARAMETERS.match(after):
        return False
    if after.rstrip().endswith("{") and not before.strip():
        return True
    return _TYPES.match(before) is not None and not _STATEMENT.search(before) and not after.rstrip().endswith(";")
