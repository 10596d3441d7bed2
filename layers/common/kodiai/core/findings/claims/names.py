"""Names: the claims that a name is missing, or that an import is of no use."""

import re
from collections.abc import Iterator, Sequence

from kodiai.core.findings.claims.facts import Facts
from kodiai.core.findings.claims.wording import ANY_NAME, NAME, claim, named, whole, words
from kodiai.core.findings.finding import Finding

# Where it is said of all of the file; "is not defined when …" is about a state.
_FLATLY = (
    r"(?= *(?:[.,;:!)]|$|anywhere\b|here\b|so\b|and\b"
    r"|in (?:this |the )?(?:file|module|package|class|test)\b|in [\w/]+\.\w+))"
)
_UNBOUND = re.compile(
    rf"{ANY_NAME} (?:is|was) (?:never |not )(?:imported|defined|declared){_FLATLY}"
    rf"|(?:missing|no|forgotten) import (?:of|for|statement for) {NAME}"
    rf"|(?:undefined|undeclared) (?:name|variable|identifier|symbol) {NAME}{_FLATLY}",
    re.IGNORECASE,
)
# In JavaScript that is a value, which a name that is bound may well have.
_UNDEFINED = re.compile(rf"{ANY_NAME} (?:is|was) (?:undefined|undeclared){_FLATLY}", re.IGNORECASE)
_OF_JAVASCRIPT = re.compile(r"\.(?:[cm]?[jt]sx?|vue|svelte)$")
# A name that the file has, but not then, not there, or not for what runs; and a slip that is told as a missing name.
_OF_A_STATE = words(r"""
    when|if|unless|until|before|after|once|while|otherwise|else|except|finally|branch\w*|loops?|empty|only
    in (?:that|this|some) case|conditional\w*|sometimes|possibly|maybe|may|might|can|could|would|first time
    never (?:assigned|set|runs?)|unbound|unboundlocal\w*|uninitiali[sz]\w*|assign\w*|scope\w*|blocks?|outside|inside
    local|outer|enclosing|type_checking|type checkers?|annotations?|run ?time|at run time|circular|lazy|lazily
    wrong order|early|later|too late|delet\w+|del|removed|shadow\w*|typo|misspel\w+|instead|should be|cleanup|string
    literal|attribute|method|export\w*|pytest|fixtures?|globals?|exec|dynamic\w*
""")
_UNUSED_IMPORT = re.compile(
    rf"unused import (?:of )?{NAME}|(?:the )?import(?:ed)? (?:of )?{NAME} is (?:never|not) used"
    rf"|{ANY_NAME} is imported (?:and|but) (?:never|not) used",
    re.IGNORECASE,
)
_IMPORT_LINE = re.compile(r"^\s*(?:import|from|use|using|require|include|#include|export .* from)\b|^\s*[\"'(]")
_LONGEST_LINE = 1_000  # characters; of code that was put on one line nothing is certain
# Comments and texts, of any language: where this takes too much of the code, less is refuted.
_NO_CODE = re.compile(
    r'"""[\s\S]*?(?:"""|\Z)'
    r"|'''[\s\S]*?(?:'''|\Z)|/\*[\s\S]*?(?:\*/|\Z)|`[^`]*(?:`|\Z)"
    r"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|#[^\n]*|//[^\n]*|--[^\n]*"
)


def bound(finding: Finding, facts: Facts) -> Iterator[str]:
    """A name that is said to be missing from the file, and that has a meaning on these very lines."""
    if _OF_A_STATE.search(whole(finding)):
        return
    names = named(_UNBOUND, claim(finding))
    if not _OF_JAVASCRIPT.search(finding.path):
        names += named(_UNDEFINED, claim(finding))
    for name in names:
        if facts.binds(finding.path, name, (finding.start_line, finding.end_line)):
            yield f"it says that {name} is missing, and the file has it"


def used(finding: Finding, facts: Facts) -> Iterator[str]:
    """Imports that are said to be unused; all of them are used, in code and under no other meaning."""
    names = named(_UNUSED_IMPORT, claim(finding))
    lines = facts.lines(finding.path)
    if names and lines is not None and all(_is_used(name, lines) for name in names):
        they, are = ("they", "are") if names[1:] else ("it", "is")
        yield f"it says that {' and '.join(names)} {are} not used, and {they} {are}"


def _is_used(name: str, lines: Sequence[str]) -> bool:
    """Whether code calls the name or reaches through it, and nothing but one import binds it."""
    code = _NO_CODE.sub(lambda found: "\n" * found[0].count("\n") or " ", "\n".join(lines)).split("\n")
    word = re.compile(rf"(?<![\w.$@]){re.escape(name)}\b")
    imports = [line for line in lines if _IMPORT_LINE.match(line) and word.search(line)]
    body = [line for line in code if not _IMPORT_LINE.match(line)]
    rebinds = re.compile(
        rf"(?:\b(?:def|class|function|func|fn|for|as|let|const|var|val|type|interface|lambda)\s[^=]*)"
        rf"(?<![\w.$]){re.escape(name)}\b|(?<![\w.$]){re.escape(name)}\s*(?::[^=]*)?(?:=(?!=)|:=|=>)"
    )
    if len(imports) != 1 or any(len(line) > _LONGEST_LINE or rebinds.search(line) for line in body):
        return False
    return any(re.search(rf"{word.pattern}\s*[.(\[<]", line) for line in body)
