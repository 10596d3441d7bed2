"""Places: line numbers in prose that the file does not have."""

import re
from collections.abc import Iterator

from kodiai.core.findings.claims.facts import Facts
from kodiai.core.findings.claims.wording import claim, whole, words
from kodiai.core.findings.finding import Finding

_LINE_NUMBER = re.compile(
    r"\b(?:at|on|in|see) lines? (\d{1,7})\b(?! of (?!this|the file)| (?:and|or) (?:later|below|above|after|beyond))",
    re.IGNORECASE,
)
_FILE = re.compile(r"[\w-]+\.[a-z]{1,5}\b")
# Lines of the base, or of what the code reads and writes.
_OF_OTHER_LINES = words(r"""
    remov\w+|delet\w+|drop\w*|gone|old|former\w*|previous\w*|stood|was|were|used to|base|original\w*|before|earlier
    moved|input\w*|rows?|records?|entr(?:y|ies)|csv|logs?|uploads?|imports?|imported|data|documents?|template\w*
    output\w*|generat\w+|stdin|responses?|requests?|dump\w*|traces?|stack|reports?|messages?|fixtures?
""")


def beyond_the_file(finding: Finding, facts: Facts) -> Iterator[str]:
    """A line of this file that lies behind its end."""
    lines, own = facts.lines(finding.path), finding.path.rpartition("/")[2]
    text = whole(finding)
    if lines is None or _OF_OTHER_LINES.search(text) or any(name != own for name in _FILE.findall(text)):
        return
    numbers = [int(number) for number in _LINE_NUMBER.findall(claim(finding))]
    if numbers and min(numbers) > len(lines):
        yield f"it speaks of line {numbers[0]} of a file with {len(lines)} lines"
