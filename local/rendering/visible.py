"""Text that we did not write, made safe to show: what would act unseen is shown instead."""

import re

_ACTING = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f"  # C0 without tab and line feed: escape sequences, carriage returns, backspaces
    "\x80-\x9f"  # C1: one-byte escape sequences
    "\u2028\u2029"  # line ends that no line counter counts
    "\u202a-\u202e\u2066-\u2069"  # turns of the writing direction: https://trojansource.codes
    "\ud800-\udfff"  # bytes that were no text
    "\ufdd0-\ufdef\ufffe\uffff"
    "]"
)
_PICTURES = 0x2400
_DELETE = 0x7F


def visible(text: str) -> str:
    """Replace control characters by their pictures and turns of direction by their names.

    Tabs and line feeds stay, and so does everything that people write with, in any script.
    """
    return _ACTING.sub(lambda found: _shown(ord(found[0])), text)


def visible_line(text: str) -> str:
    """The same, on one line: a line feed is shown as well."""
    return visible(text).replace("\n", "␊").replace("\t", " ")


def _shown(code: int) -> str:
    if code < 0x20:  # noqa: PLR2004 - the end of C0
        return chr(_PICTURES + code)
    if code == _DELETE:
        return "␡"
    if 0xD800 <= code <= 0xDFFF:  # noqa: PLR2004 - the surrogates
        return "�"
    return f"⟨U+{code:04X}⟩"
