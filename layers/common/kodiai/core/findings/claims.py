"""Claims: what a finding rests on that the program itself can hold against facts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from kodiai.core.findings.finding import Finding


class Facts(Protocol):
    """What the program can find out by itself; None where it cannot be told."""

    def lines(self, path: str) -> Sequence[str] | None:
        """The file at the head."""

    def parses(self, path: str) -> bool | None:
        """Whether the file has the syntax of its language."""

    def binds(self, path: str, name: str, at: tuple[int, int]) -> bool | None:
        """Whether the language or the file gives a name a meaning on these lines."""

    def is_named(self, text: str) -> bool | None:
        """Whether a version or a number stands anywhere in the repository, the changes or what was looked up."""

    def uses(self, name: str) -> int | None:
        """On how many lines of the repository a name stands outside its own definition."""

    def was_looked_up(self, name: str) -> bool:
        """Whether a reviewer searched for a name, or was shown where it is used."""


@dataclass(frozen=True)
class Checked:
    """What became of the check.

    `against` is why the finding is refuted, `caveat` what it rests on that nobody looked up.
    `is_preference` is whether it only asks for something, and names no case that fails.
    """

    against: str | None = None
    caveat: str | None = None
    is_preference: bool = False


def check(finding: Finding, facts: Facts) -> Checked:
    """Hold what a finding claims in its title and first sentences against the facts; asides do not count."""
    claim = _claim(finding)
    against = next((why for rule in _REFUTING for why in rule(finding, claim, facts)), None)
    caveats = [why for rule in _DOUBTING for why in rule(finding, claim, facts)]
    return Checked(against, "; ".join(caveats) or None, _only_asks(finding))


_NAME = r"[`'\"]([A-Za-z_$][\w$]*)(?:\(\))?[`'\"]"
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")
_CLAIMING_SENTENCES = 2

_NOT_COMPILING = re.compile(
    r"(?:\b(?:not|never|cannot|fails? to|failing to|unable to)|n['’]t) (?:even )?compile\b"
    r"|\bcompil(?:ation|er|e[- ]?time) (?:error|failure|fails)|\bbreaks? (?:the )?compilation",
    re.IGNORECASE,
)
_BAD_SYNTAX = re.compile(
    r"\b(?:syntax ?error|invalid syntax|indentation ?error|unexpected (?:token|indent)|does(?:n't| not) parse as)\b",
    re.IGNORECASE,
)
# A syntax error of something that the code writes or reads, or one that only comes about while it runs.
_OF_OTHER_TEXT = re.compile(
    r"\b(?:sql|query|queries|statement|json|yaml|toml|xml|html|css|regex|regular expression|pattern|template|shell"
    r"|command|cron|expression|payload|input|database|quote in|apostrophe)\b",
    re.IGNORECASE,
)
# What keeps code from compiling although it parses.
_BEYOND_SYNTAX = re.compile(
    r"\b(?:types?|typed|typing|mismatch\w*|borrow\w*|lifetimes?|move[ds]?|mov(?:e|ing)|traits?|generics?|bounds?"
    r"|undefined|undeclared|unresolved|not (?:defined|declared|imported|exported|found|in scope)|missing import"
    r"|import\w*|unused|return\w*|signatures?|arguments?|parameters?|overload\w*|ambiguous|cyclic|circular|private"
    r"|visib\w+|already|redeclar\w*|redefin\w*|duplicate\w*|const|final|readonly|assign\w*|await|async|yield|nonlocal"
    r"|outside|unreachable|exhausti\w+|interfaces?|implement\w*|overrid\w*|abstract|checked exception|throws"
    r"|method|symbol|package|module|dependency|version|feature|target)\b",
    re.IGNORECASE,
)
# A name in quotes, or one that begins a sentence: what the file does not have is not refuted anyway.
_ANY_NAME = rf"(?:{_NAME}|(?:^|(?<=[.!?] ))([A-Za-z_$][\w$]*))"
# Where it is said of all of the file; "is not defined when …" is about a state.
_FLATLY = (
    r"(?= *(?:[.,;:!)]|$|anywhere\b|here\b|so\b|and\b"
    r"|in (?:this |the )?(?:file|module|package|class|test)\b|in [\w/]+\.\w+))"
)
_UNBOUND = re.compile(
    rf"{_ANY_NAME} (?:is|was) (?:never |not )(?:imported|defined|declared){_FLATLY}"
    rf"|(?:missing|no|forgotten) import (?:of|for|statement for) {_NAME}"
    rf"|(?:undefined|undeclared) (?:name|variable|identifier|symbol) {_NAME}{_FLATLY}",
    re.IGNORECASE,
)
# In JavaScript that is a value, which a name that is bound may well have.
_UNDEFINED = re.compile(rf"{_ANY_NAME} (?:is|was) (?:undefined|undeclared){_FLATLY}", re.IGNORECASE)
_OF_JAVASCRIPT = re.compile(r"\.(?:[cm]?[jt]sx?|vue|svelte)$")
_UNUSED_IMPORT = re.compile(
    rf"unused import (?:of )?{_NAME}|(?:the )?import(?:ed)? (?:of )?{_NAME} is (?:never|not) used"
    rf"|{_ANY_NAME} is imported (?:and|but) (?:never|not) used",
    re.IGNORECASE,
)
_IMPORT_LINE = re.compile(r"^\s*(?:import|from|use|using|require|include|#include|export .* from)\b|^\s*[\"'(]")
_COMMENT_OR_TEXT = re.compile(r"#.*|//.*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
_CVE = re.compile(r"\bCVE-\d{4}-\d{4,}\b", re.IGNORECASE)
_LINE_NUMBER = re.compile(r"\b(?:at|on|in|see) lines? (\d{1,7})\b(?! of (?!this|the file))", re.IGNORECASE)
_OTHER_FILE = re.compile(r"[\w-]+\.[a-z]{1,5}\b")
_CALLERS = re.compile(
    rf"\b(?:callers?|call sites?|consumers?) (?:of|to|that call|using) {_NAME}"
    rf"|{_NAME}(?:'s)? (?:\w+ )?(?:callers?|call sites?)\b|\bwho(?:ever)? calls? {_NAME}",
    re.IGNORECASE,
)
_VERSION = re.compile(
    r"\b(?:since|as of|until|prior to|requires?|removed in|introduced in|added in|deprecated in|versions?)"
    r"\s+(?:[A-Z][\w.+-]*\s+){0,2}v?(\d+\.\d+(?:\.\d+)?)\b(?!\s*(?:s|ms|seconds?|%|x|MB|GB|KB)\b)"
    r"|\b(?:Python|Node(?:\.js)?|Java|Go|Ruby|Rails|Rust|Django|Flask|React|Spring(?: Boot)?|TypeScript|PHP|Kotlin)"
    r"\s+v?(\d+(?:\.\d+)+)\b"
)
_THINGS = (
    r"(?:(?:unit |integration |regression )?tests?\b(?! (?:data|case fails))|(?:test )?coverage|doc ?strings?|comments?"
    r"|documentation|javadoc|type (?:hints?|annotations?)|retr(?:y|ies)|back-?off|logging|log (?:line|message)s?"
    r"|metrics?|telemetry|monitoring|error handling|input validation|assertions?)\b"
)
_ONLY_ASKS = re.compile(
    r"^(?:please |maybe )?(?:(?:consider|you (?:may|might|could|should)|it would be|(?:i |we )?(?:recommend|suggest)"
    rf"|add(?:ing)?|should have)\b.{{0,60}}?\b{_THINGS}"
    rf"|(?:missing|lacks?|lacking|no|needs?) (?:an? |\w+ ){{0,2}}{_THINGS})",
    re.IGNORECASE,
)
_FAILING_CASE = re.compile(
    r"\b(?:rais|throw|crash|panic|hang|deadlock|leak|corrupt|overwrit|overflow|duplicat|expos|los[et]|double|twice"
    r"|wrong|incorrect|stale|skip|drop|swallow|never|silently|bypass|reject|fails? (?:with|when|on|because|for)"
    r"|returns? (?:none|null|nil|the|a|an|\W)|would pass|still pass|passes (?:even|although|whatever)|[a-z]+error\b"
    r"|[a-z]+exception\b)\w*",
    re.IGNORECASE,
)


def _claim(finding: Finding) -> str:
    """What the finding rests on: its title and the first sentences of its explanation."""
    title = finding.title.strip().rstrip(".")
    return " ".join([f"{title}.", *_SENTENCE_END.split(finding.explanation.strip())[:_CLAIMING_SENTENCES]])


def _syntax(finding: Finding, claim: str, facts: Facts) -> Iterator[str]:
    says_syntax = _BAD_SYNTAX.search(claim) and not _OF_OTHER_TEXT.search(claim)
    says_so = says_syntax or _NOT_COMPILING.search(claim)
    # A title that speaks of syntax says itself what is wrong with it.
    reason = finding.title if _BAD_SYNTAX.search(finding.title) else claim
    if says_so and not _BEYOND_SYNTAX.search(reason) and facts.parses(finding.path):
        yield "it says that the file has an error of syntax, and it parses"


def _unbound(finding: Finding, claim: str, facts: Facts) -> Iterator[str]:
    names = _named(_UNBOUND, claim)
    if not _OF_JAVASCRIPT.search(finding.path):
        names += _named(_UNDEFINED, claim)
    for name in names:
        if facts.binds(finding.path, name, (finding.start_line, finding.end_line)):
            yield f"it says that {name} is missing, and the file has it"


def _unused_import(finding: Finding, claim: str, facts: Facts) -> Iterator[str]:
    for name in _named(_UNUSED_IMPORT, claim):
        lines = facts.lines(finding.path) or ()
        code = [_COMMENT_OR_TEXT.sub("", line) for line in lines if not _IMPORT_LINE.match(line)]
        if any(re.search(rf"(?<![\w.$]){re.escape(name)}\s*[.(\[<:]", line) for line in code):
            yield f"it says that {name} is not used, and it is"


def _cve(finding: Finding, claim: str, facts: Facts) -> Iterator[str]:  # noqa: ARG001 - a rule like the others
    for number in _CVE.findall(claim):
        if facts.is_named(number) is False:
            yield f"nothing here names {number}"


def _line_numbers(finding: Finding, claim: str, facts: Facts) -> Iterator[str]:
    lines = facts.lines(finding.path)
    own = finding.path.rpartition("/")[2]
    if lines is None or any(name != own for name in _OTHER_FILE.findall(claim)):
        return
    for number in _LINE_NUMBER.findall(claim):
        if int(number) > len(lines):
            yield f"it speaks of line {number} of a file with {len(lines)} lines"


def _no_callers(finding: Finding, claim: str, facts: Facts) -> Iterator[str]:  # noqa: ARG001 - a rule like the others
    for name in _named(_CALLERS, claim):
        if facts.uses(name) == 0:
            yield f"it speaks of callers of {name}, and there are none"


def _unseen_callers(finding: Finding, claim: str, facts: Facts) -> Iterator[str]:  # noqa: ARG001 - the same
    for name in _named(_CALLERS, claim):
        if not facts.was_looked_up(name):
            yield f"nobody looked at the callers of {name}"


def _versions(finding: Finding, claim: str, facts: Facts) -> Iterator[str]:  # noqa: ARG001 - the same
    for found in _VERSION.finditer(claim):
        number = found[1] or found[2]
        if facts.is_named(number) is False:
            yield f"what it says of {found[0] if found[2] else f'version {number}'} was not looked up"


_REFUTING = (_syntax, _unbound, _unused_import, _cve, _line_numbers, _no_callers)
_DOUBTING = (_unseen_callers, _versions)


def _named(pattern: re.Pattern[str], text: str) -> list[str]:
    """The names that a pattern finds, each once."""
    return list(dict.fromkeys(name for found in pattern.finditer(text) for name in found.groups() if name))


def _only_asks(finding: Finding) -> bool:
    """Whether its title is a wish for what code is surrounded by, and nothing in it goes wrong."""
    title = finding.title.strip()
    return bool(_ONLY_ASKS.match(title)) and not _FAILING_CASE.search(f"{title}. {finding.explanation}")
