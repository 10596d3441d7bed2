"""Concern: whether two findings of one run, by different reviewers in quite other words, say the same."""

import re

from kodiai.core.findings.concepts import OF_ONE_THING, concepts
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.identity import fingerprint, quote_key
from kodiai.core.findings.likeness import likeness

_NEAR = 3  # lines
_ALIKE = 0.45
_LIKELY = 0.25
_RELATED = 0.2
_UNLIKE = 0.12
_NUMBER = re.compile(r"\d+")
_CONDITION = re.compile(r"\b(?:when|if|unless|until|while|because|after|before)\b", re.IGNORECASE)
_CODE = re.compile(r"`([^`\n]+)`")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_KEYWORDS = frozenset("""
    and as async await break case catch class const continue def default del delete do else except export extends
    false final finally fn for foreach from func function if import in instanceof interface is lambda let new nil none
    not null or pass private protected public raise return self static struct super switch this throw throws true try
    type undefined var void when where while with yield
    """.split())
_LITERAL = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|\d+")
_CHAIN = re.compile(r"[\w$]+(?:(?:\(\w*\))?(?:\?\.|!\.|\.|->|::)[\w$]+)+")
_ASSIGNED = re.compile(r"^\s*(?:(?:const|let|var|final|auto|val)\s+)?([\w$ ,.<>\[\]:]+?)\s*(?::=|=)(?!=)\s*(.+)$", re.MULTILINE)


def same_concern(one: Finding, other: Finding) -> bool:
    """Whether two findings of one run say the same of the same code, whatever their category.

    Both must stand on lines that overlap or are near; of the same code at two places there are two findings.
    The same title or replacement there is the same concern; else they must tell of the same kind of problem,
    or be alike in their words, and not name different things as its subject.
    """
    if one.path != other.path or (apart := _apart(one, other)) > _NEAR:
        return False
    if apart > 0:
        return not _same_text(one.quote, other.quote) and _same_of_neighbours(one, other)
    if _same_title(one, other) or _same_replacement(one, other):
        return True
    return _same_words(one, other)


def _apart(one: Finding, other: Finding) -> int:
    """How many lines are from the end of one to the start of the other; 0 where they overlap."""
    return max(0, one.start_line - other.end_line, other.start_line - one.end_line)


def _same_text(one: str, other: str) -> bool:
    return quote_key(one) == quote_key(other)


def _same_title(one: Finding, other: Finding) -> bool:
    return fingerprint(one.title) == fingerprint(other.title)


def _same_replacement(one: Finding, other: Finding) -> bool:
    if one.replacement is None or other.replacement is None:
        return False
    same_lines = (one.start_line, one.end_line) == (other.start_line, other.end_line)
    return _same_text(one.replacement, other.replacement) and (same_lines or bool(one.replacement.strip()))


def _same_of_neighbours(one: Finding, other: Finding) -> bool:
    """Whether findings on lines beside each other are of one kind, and nothing tells them apart.

    Code of one shape on two lines is a pattern that is repeated, and each has a finding of its own.
    """
    if _shape(one.quote) == _shape(other.quote) or _other_numbers(one.title, other.title):
        return False
    kinds = _shared_kinds(one, other)
    if not kinds or _of_other_things(one, other):
        return False
    return not kinds <= OF_ONE_THING or bool(_names(one.quote) & _names(other.quote))


def _shared_kinds(one: Finding, other: Finding) -> frozenset[str]:
    """The kinds of problems that the title of one tells of, and the title or the text of the other."""
    mine, theirs = _kinds(one.title), _kinds(other.title)
    return (mine & _all_kinds(other)) | (theirs & _all_kinds(one))


def _same_words(one: Finding, other: Finding) -> bool:
    """Whether they tell of the same kind of problem, or else are so alike that they mean the same."""
    mine, theirs = _kinds(one.title), _kinds(other.title)
    all_mine, all_theirs = _all_kinds(one), _all_kinds(other)
    if all_mine & all_theirs & OF_ONE_THING and _of_other_things(one, other):
        return False
    if mine & theirs or (mine & all_theirs and theirs & all_mine):
        return True
    told = bool(mine & all_theirs or theirs & all_mine)
    alike = _alike(one, other)
    if mine and theirs:
        return alike >= (0.1 if told else 0.35)
    if told:
        return True
    if all_mine & all_theirs:
        return alike > 0
    if all_mine and all_theirs:
        return alike >= 0.15
    return alike >= 0.08


def _alike(one: Finding, other: Finding) -> float:
    """How alike their words are, those of the code aside: whatever is said of a line names what stands there."""
    code = _names(one.quote) | _names(other.quote)
    return likeness(_without(one, code), _without(other, code))


def _without(finding: Finding, names: frozenset[str]) -> Finding:
    def bare(text: str) -> str:
        return _NAME.sub(lambda found: "" if found[0].casefold() in names else found[0], text)

    return finding.model_copy(update={"title": bare(finding.title), "explanation": bare(finding.explanation)})


def _of_other_things(one: Finding, other: Finding) -> bool:
    """Whether their titles name things in the code that have nothing to do with each other."""
    code = _names(one.quote) | _names(other.quote)
    mine, theirs = _subjects(one.title) & code, _subjects(other.title) & code
    if not mine or not theirs or mine & theirs:
        return False
    return not any(_linked(mine, theirs, quote) for quote in (one.quote, other.quote))


def _linked(mine: frozenset[str], theirs: frozenset[str], quote: str) -> bool:
    """Whether code assigns one name from the other, or reaches one through the other."""
    pairs = [(found[1], found[2]) for found in _ASSIGNED.finditer(quote)]
    pairs += [(found[0], found[0]) for found in _CHAIN.finditer(quote)]
    sides = [(_names(left), _names(right)) for left, right in pairs]
    return any((mine & left and theirs & right) or (theirs & left and mine & right) for left, right in sides)


def _subjects(title: str) -> frozenset[str]:
    """The names that a title puts between backticks, those of its condition aside."""
    return frozenset().union(*(_names(code) for code in _CODE.findall(_CONDITION.split(title)[0])))


def _names(code: str) -> frozenset[str]:
    return frozenset(name.casefold() for name in _NAME.findall(code) if name.casefold() not in _KEYWORDS)


def _other_numbers(one: str, other: str) -> bool:
    mine, theirs = set(_NUMBER.findall(one)), set(_NUMBER.findall(other))
    return bool(mine and theirs) and not mine & theirs


def _shape(code: str) -> str:
    """Code with its names, numbers and texts taken out."""
    return "".join(_LITERAL.sub("0", _NAME.sub("x", code)).split())


def _kinds(text: str) -> frozenset[str]:
    return frozenset(concepts(text))


def _all_kinds(finding: Finding) -> frozenset[str]:
    return _kinds(f"{finding.title} {finding.explanation}")
