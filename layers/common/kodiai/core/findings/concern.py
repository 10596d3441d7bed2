"""Concern: whether findings of one run, from different reviewers, say the same of the same code."""

import re
from functools import lru_cache

from kodiai.core.findings.finding import Finding, lines_apart
from kodiai.core.findings.identity import fingerprint, normalised_title, quote_key
from kodiai.core.findings.kinds import KINDS
from kodiai.core.findings.likeness import likeness

_NEAR_LINES = 3
_ALIKE_NEARBY = 0.2
_ALIKE = 0.1
_HARDLY_ALIKE = 0.05
_IN_TITLE = 2
_LEAST = 2
_CODE = re.compile(r"`([^`]+)`")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")


def same_concern(one: Finding, other: Finding) -> bool:
    """Whether two findings of one run say the same of the same lines, in whatever words, under whatever category.

    Where the words leave it open, findings of the same code are taken for the same: a second comment on a line costs
    its reader more than one that is told in the details. Those that name different things in the code are two.
    """
    if one.path != other.path:
        return False
    apart = lines_apart(one, other)
    overlap = apart <= 0
    if overlap and (fingerprint(one.title) == fingerprint(other.title) or _is_same_mending(one, other)):
        return True
    if _name_different_things(one, other):
        return False
    mine, theirs = _kinds(one.title, one.explanation), _kinds(other.title, other.explanation)
    if not overlap:
        return bool(mine & theirs) and apart <= _NEAR_LINES and likeness(one, other) >= _ALIKE_NEARBY
    if mine and theirs:
        return bool(mine & theirs) or likeness(one, other) >= _ALIKE
    same_code = one.category == other.category and quote_key(one.quote) == quote_key(other.quote)
    return likeness(one, other) >= (_HARDLY_ALIKE if same_code else _ALIKE)


def _is_same_mending(one: Finding, other: Finding) -> bool:
    if one.replacement is None or other.replacement is None:
        return False
    same_lines = (one.start_line, one.end_line) == (other.start_line, other.end_line)
    return same_lines and quote_key(one.replacement) == quote_key(other.replacement)


def _name_different_things(one: Finding, other: Finding) -> bool:
    """Whether their titles name code, and none of it in common, though it stands in what they quote."""
    code = {*_NAME.findall(one.quote), *_NAME.findall(other.quote)}
    mine, theirs = _named(one.title) & code, _named(other.title) & code
    return bool(mine and theirs) and not mine & theirs


def _named(title: str) -> set[str]:
    return {name for code in _CODE.findall(title) for name in _NAME.findall(code)}


@lru_cache(1_000)
def _kinds(title: str, explanation: str) -> frozenset[str]:
    """The kinds of problems that a finding tells of: a word of one in its title, or two anywhere."""
    in_title, anywhere = (f" {normalised_title(text)}" for text in (title, f"{title} {explanation}"))
    return frozenset(
        kind
        for kind, stems in KINDS.items()
        if sum((_IN_TITLE if stem in in_title else stem in anywhere) for stem in stems) >= _LEAST
    )
