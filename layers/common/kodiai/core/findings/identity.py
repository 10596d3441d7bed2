"""When two findings are the same one."""

import hashlib
import re
import unicodedata

from kodiai.core.changes.hunk import squeezed
from kodiai.core.findings.finding import Finding

_FNV_OFFSET = 0x811C9DC5
_FNV_PRIME = 0x01000193
_WORD = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Nd", "Nl", "No"})


_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff\u00ad]")


def normalised_title(title: str) -> str:
    """Fold a title to its letters, marks and digits, in any script, with single spaces between.

    A title without any, all signs or emoji, stays what it is.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", _INVISIBLE.sub("", title)).casefold())
    kept = (char if unicodedata.category(char) in _WORD else " " for char in folded)
    return " ".join("".join(kept).split()) or " ".join(folded.split())


def fingerprint(title: str) -> str:
    """FNV-1a, 32 bits, of the normalised title: "fp-" and 8 hex digits.

    Source: https://datatracker.ietf.org/doc/draft-eastlake-fnv/
    """
    value = _FNV_OFFSET
    for byte in normalised_title(title).encode("utf-8", "surrogatepass"):
        value = ((value ^ byte) * _FNV_PRIME) & 0xFFFFFFFF
    return f"fp-{value:08x}"


def quote_key(quote: str) -> str:
    """What the quoted code is, whatever its white space: 16 hex digits."""
    return hashlib.sha256(squeezed(quote).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def finding_id(finding: Finding, occurrence: int = 1) -> str:
    """Name a finding by what it is about, so that a run that starts over gives it the same name.

    `occurrence` tells apart findings that are alike in all but their lines, counted from 1 in order of lines.
    """
    parts = [finding.path, finding.category, quote_key(finding.quote), fingerprint(finding.title), str(occurrence)]
    return "F-" + hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]
