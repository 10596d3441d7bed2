"""Lookups: claims about callers, versions and vulnerabilities, which only a look elsewhere can bear out."""

import re
from collections.abc import Iterator

from kodiai.core.findings.claims.facts import Facts
from kodiai.core.findings.claims.wording import NAME, claim, doubted, named, whole, words
from kodiai.core.findings.finding import Finding

_CVE = re.compile(r"\bCVE-\d{4}-\d{4,}\b", re.IGNORECASE)
# The title says nothing but that the number holds; with a mechanism the number is an aside.
_RESTS_ON_CVE = re.compile(
    r"^(?:(?:[\w.@/`-]+ ){1,4}(?:is |are )?)?(?:affected by|vulnerable to|exposed to|subject to|known as|has)?"
    r" ?(?:the )?(?:known )?(?:vulnerability )?\(?CVE-\d{4}-\d{4,}\)?\.?$",
    re.IGNORECASE,
)
_CALLERS = re.compile(
    rf"\b(?:callers?|call sites?|consumers?) (?:of|to|that call|using) {NAME}"
    rf"|{NAME}(?:'s)? (?:\w+ )?(?:callers?|call sites?)\b|\bwho(?:ever)? calls? {NAME}",
    re.IGNORECASE,
)
# Of those that are there, not of whoever may come.
_PRESENT_CALLERS = re.compile(
    rf"\b(?:(?:all|existing|other|every|the|remaining|several) ){{0,3}}(?:callers?|call sites?) (?:of|to) {NAME}"
    r" (?:(?:all|now|will|still) ){0,3}(?:break|fail|pass(?:es)?|expect|rely|use"
    r"|(?:were|are|have|was|is) not (?:updated|adapted|adjusted|changed))\b",
    re.IGNORECASE,
)
_CALLED_FROM_ELSEWHERE = words(r"""
    public\w*|librar(?:y|ies)|applications?|users?|clients?|customers?|external\w*|downstream|third.part(?:y|ies)|api
    plug-?ins?|extensions?|exported|published|packages?|outside|overrid\w*|sub-?class\w*|interfaces?|implement\w*
    framework\w*|reflection|dynamic\w*|routes?|endpoints?|handlers?|callbacks?|hooks?|fixtures?|templates?|scripts?
    other repositor(?:y|ies)|services|backward\w*|compatib\w+|semver|deprecat\w+
""")
_VERSION = re.compile(
    r"\b(?:since|as of|until|prior to|requires?|removed in|introduced in|added in|deprecated in|versions?)"
    r"\s+(?:[A-Z][\w.+-]*\s+){0,2}v?(\d+\.\d+(?:\.\d+)?)\b(?!\s*(?:s|ms|seconds?|%|x|MB|GB|KB)\b)"
)
_PRODUCT_VERSION = re.compile(
    r"\b(?:Python|Node(?:\.js)?|Java|Go|Ruby|Rails|Rust|Django|Flask|React|Spring(?: Boot)?|TypeScript|PHP|Kotlin)"
    r"\s+v?(\d+(?:\.\d+)+)\b"
)


def unnamed_cve(finding: Finding, facts: Facts) -> Iterator[str]:
    """A vulnerability that is all that it tells of, and that nothing here names."""
    if _RESTS_ON_CVE.search(finding.title.strip()):
        for number in _CVE.findall(finding.title):
            if facts.is_named(number) is False:
                yield f"nothing here names {number}"


def no_callers(finding: Finding, facts: Facts) -> Iterator[str]:
    """Callers that are said to be there, of what nothing in the repository uses."""
    if _CALLED_FROM_ELSEWHERE.search(whole(finding)):
        return
    for name in named(_PRESENT_CALLERS, claim(finding)):
        if facts.uses(name) == 0:
            yield f"it speaks of callers of {name}, and there are none"


def unseen_callers(finding: Finding, facts: Facts) -> Iterator[str]:
    """Callers that nobody has looked at."""
    for name in named(_CALLERS, doubted(finding)):
        if not facts.was_looked_up(name):
            yield f"nobody looked at the callers of {name}"


def unnamed_numbers(finding: Finding, facts: Facts) -> Iterator[str]:
    """Versions and vulnerabilities that it leans on, and that nothing here names."""
    text = doubted(finding)
    told = {found[1]: found[0] for found in _PRODUCT_VERSION.finditer(text)}
    told |= {found[1]: f"version {found[1]}" for found in _VERSION.finditer(text)}
    told |= {number: number for number in _CVE.findall(text)}
    for number, name in told.items():
        if facts.is_named(number) is False:
            yield f"what it says of {name} was not looked up"
