"""Wishes: findings that only ask for a test, a comment, a retry, and name no case that fails."""

import re

from kodiai.core.findings.claims.wording import words
from kodiai.core.findings.finding import Finding

_END = r"(?=$|[.,:;]| (?:for|of|to|that|on|in|at|around|about|explaining|describing|covering|here|when|with)\b| --? )"
_WRITTEN = (
    r"(?:(?:unit |integration |regression |more )*tests?|(?:test )?coverage|doc ?strings?|(?:doc )?comments?"
    rf"|documentation|javadoc|jsdoc|type (?:hints?|annotations?)){_END}"
)
_SAFER = (
    r"(?:retr(?:y|ies)|retry logic|back-?off|logging|log (?:line|message|statement)s?|metrics?|telemetry|monitoring"
    rf"|error handling|(?:input )?validation|assertions?){_END}"
)
_ASK = (
    r"^(?:please |maybe )?(?:(?:consider|you (?:may|might|could|should)|it would be|(?:i |we )?(?:recommend|suggest)"
    r"|add(?:ing)?|should have)\b.{{0,60}}?\b{0}"
    r"|(?:missing|lacks?|lacking|no|needs?) (?:an? |\w+ ){{0,2}}{0})"
)
_ASKS_FOR_WORDS = re.compile(_ASK.format(_WRITTEN), re.IGNORECASE)
_ASKS_FOR_SAFETY = re.compile(_ASK.format(_SAFER), re.IGNORECASE)
_FAILS = words(r"""
    (?:rais|throw|crash|panic|hang|deadlock|leak|corrupt|overwrit|overflow|duplicat|expos|lost|los[ei]|double|twice)\w*
    (?:wrong|incorrect|stale|skip|drop|swallow|silent|bypass|reject|refus|ignor|vanish|disappear|delet|inject)\w*
    (?:[a-z]+error|[a-z]+exception|npe|null|none(?! of)|nil|undefined)
    fail(?:s|ed|ing)?|breaks?|broken|gone|never|not (?:sent|read|saved|run|called|stored|written)|without one
    (?:would|will|still) pass|passes (?:even|although|whatever)|whatever|returns? (?:the|a|an)|pydantic|dataclass\w*
""")
_VAGUE = words(r"""
    robust\w*|resilien\w*|readab\w*|readers?|maintain\w*|observab\w*|debug\w*|diagnos\w*|trac(?:e|ing|eability)
    eas(?:y|ier|ily)|help(?:s|ful)?|clear(?:er|ly)?|understand\w*|consisten\w*|good practice|best practices?|quality
    defensive\w*|safer|safety|cleaner|future|confiden\w*|regressions?|visib\w+|insight|useful|nice|improv\w*
""")
_CASE = words(r"""
    when|if|because|so|then|which means|caus(?:e|es|ing)|lead(?:s|ing)? to|as soon as|after|until|once|otherwise
    \d{2,}|instead
""")


def only_asks(finding: Finding) -> bool:
    """Whether its title is a wish for what code is surrounded by, and nothing that it says goes wrong.

    Words are a wish unless a case is named; safety is one only where its use is left vague, or nothing is said of it.
    """
    title, why = finding.title.strip(), finding.explanation.strip()
    ask = _ASKS_FOR_WORDS.match(title) or _ASKS_FOR_SAFETY.match(title)
    if ask is None:
        return False
    said = f"{title[ask.end() :]} {why}"
    if _FAILS.search(said):
        return False
    vague = not _CASE.search(said) and (not why or _VAGUE.search(said) is not None)
    return vague or _ASKS_FOR_WORDS.match(title) is not None
