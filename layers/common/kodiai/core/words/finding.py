"""How a finding is told: its line, its mechanism, its comment, and what we say in its thread."""

import re
from collections.abc import Iterable

from kodiai.core.findings.finding import Finding
from kodiai.core.words import markdown
from kodiai.core.words.markers import finding_marker

BODY_LIMIT = 65_536
PRE_EXISTING = "Pre-existing, not brought by this change:"
_LONGEST_TITLE = 300
_LONGEST_EXPLANATION = 10_000
_LONGEST_ANSWER = 4_000
_FURTHER_LINE = re.compile(r"\n(?!\n)")


def place(finding: Finding) -> str:
    """The finding's line, with its lines."""
    return f"[{finding.severity}] {markdown.path(finding.path)} ({finding.lines}): {title(finding)}"


def name(finding: Finding) -> str:
    """The finding's line, without its lines, which move from push to push."""
    return f"[{finding.severity}] {markdown.path(finding.path)}: {title(finding)}"


def told(finding: Finding, *, explain: bool) -> str:
    """The finding's line, and below it the mechanism."""
    return f"{place(finding)}\n{explanation(finding)}".rstrip() if explain else place(finding)


def title(finding: Finding) -> str:
    """Its title on one line."""
    return markdown.line(_shortened(finding.title, _LONGEST_TITLE))


def explanation(finding: Finding) -> str:
    """What goes wrong and what to change, and what of it was not verified.

    That of a preference, and no other, begins by saying that it is optional; that of a problem that was there before
    says that first.
    """
    text = _problem(finding)
    if finding.pre_existing:
        text = _led_by(PRE_EXISTING, text)
    fix = markdown.prose(_shortened(finding.fix, _LONGEST_EXPLANATION))
    return joined(text, fix, f"Caveat: {markdown.line(finding.caveat)}." if finding.caveat else "")


def _problem(finding: Finding) -> str:
    text = markdown.prose(_shortened(finding.problem or finding.explanation, _LONGEST_EXPLANATION))
    says_so = text.startswith("Optional:")
    if finding.kind == "impact":
        return text.replace(":", "\\:", 1) if says_so else text
    return text if says_so or not text else _led_by("Optional:", text)


def _led_by(label: str, text: str) -> str:
    """Put a label before a text; a fence needs a line of its own."""
    return f"{label}{chr(10) if text.startswith('```') else ' '}{text}".rstrip()


def comment_body(finding: Finding, finding_id: str, suggestion: str | None) -> str:
    """An inline comment: severity and title, the mechanism, the suggestion where one fits, the finding's marker.

    At most 65,536 characters: where it would be longer, the suggestion gives way.
    """
    heading = f"**[{finding.severity}] {title(finding)}**"
    block = markdown.fenced(suggestion, "suggestion") if suggestion is not None else ""
    marker = finding_marker(finding_id, finding)
    whole = joined(heading, explanation(finding), block, marker)
    return whole if len(whole) <= BODY_LIMIT else joined(heading, explanation(finding), marker)


def fixed(head: str) -> str:
    """What is said in the thread of a finding that is fixed, where we may not resolve it."""
    return f"Fixed in {head[:7]}."


def conceded(why: str) -> str:
    """What is said where an argument against a finding is right."""
    return joined("You are right, and this is settled.", _spoken(why))


def disputed(why: str) -> str:
    """What is said, once, where an argument against a finding does not hold."""
    return joined("It still stands, as far as the code shows:", _spoken(why))


def worse(finding: Finding, why: str) -> str:
    """What is said where a finding has become graver."""
    return joined(f"This is **{finding.severity}** now.", _spoken(why))


def _spoken(why: str) -> str:
    return markdown.prose(_shortened(why, _LONGEST_ANSWER))


def joined(*parts: str) -> str:
    """Paragraphs, those that are empty left out."""
    return "\n\n".join(part for part in parts if part)


def bullets(texts: Iterable[str]) -> str:
    """List the texts; the further lines of each are indented, so that they stay in its item."""
    rows = [text for text in texts if text]
    if len(rows) == 1 and "\n" in rows[0]:
        return rows[0]
    return "\n".join(f"- {_FURTHER_LINE.sub(chr(10) + '  ', row)}" for row in rows)


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _shortened(text: str, characters: int) -> str:
    """Cut a text before it is put into Markdown, so that no cut can open what was closed."""
    return text if len(text) <= characters else f"{text[:characters]}…"
