"""Whether a text that is no Python 3 is Python 2, by the grammar that only Python 2 has."""

import re
from collections.abc import Sequence

from local.model.offline.ruff_run import SYNTAX_ERROR, UNKNOWN_NAME, Diagnostic, named_in

_ONLY_IN_TWO = re.compile(
    r"""
    (?:^|[:;])\s*(?:print|exec)\s+(?![=(.,:)])\S        # statements that became functions
    | \braise\s+[\w.]+\s*,
    | \bexcept\b.*,\s*\w+\s*:
    | (?:\blambda\s*|\bdef\s+\w+\s*\(.*?)\(\s*\w+\s*,   # parameters that are tuples
    | `[^`]+` | <> | \b[uU][rR]["']
    | (?<![\w.])0[0-7]+(?![\w.]) | (?<![\w.])\d+[lL]\b
    | ^[ ]*\t+[ ] | ^[ ]+\t                             # tabs of eight columns between spaces
    """,
    re.VERBOSE,
)
_PRINT_TO = re.compile(r"\s*print\s*>>")
_HANDLER = re.compile(r"\s*except\s+[\w.]+\s*,\s*(\w+)\s*:|\s*except\s*\(.*\)\s*,\s*(\w+)\s*:")


def is_python_two(lines: Sequence[str], diagnostics: Sequence[Diagnostic]) -> bool:
    """Whether what ruff cannot parse is of Python 2, or what Python 3 parses means something else there.

    That is `except X, e:` that binds a name, which Python 3 would look up, and `print >> file`.
    """
    at_errors = (lines[each.start_line - 1] for each in diagnostics if each.rule == SYNTAX_ERROR)
    if any(_ONLY_IN_TWO.search(line) for line in at_errors) or any(_PRINT_TO.match(line) for line in lines):
        return True
    unknown = ((lines[each.start_line - 1], named_in(each)[0]) for each in diagnostics if each.rule == UNKNOWN_NAME)
    return any((bound := _HANDLER.match(line)) and name in bound.groups() for line, name in unknown)
