"""The form in which a finding is posted: its line, its text, its inline comment, and our replies in its thread."""

from collections.abc import Callable

from kodiai.core.findings.finding import Finding
from kodiai.core.findings.markers import PRE_EXISTING, finding_marker
from kodiai.core.judge.judgement import KeptFinding
from kodiai.core.text import markdown
from kodiai.core.text.character_budget import clipped
from kodiai.core.text.layout import BODY_LIMIT, joined, short_text, short_title
from kodiai.core.text.rewritten import fenced
from kodiai.core.words.links import Links

TEXT_WORDS = 50
"""The most words of a finding's text: which case goes wrong, with which result, and the fix."""

MECHANISM_WORDS = 60
_CAVEAT_WORDS = 16
_FOLDED = "How it happens"
_LONGEST_ANSWER = 4_000
_MOST_NAMED = 5
_PART_WORDS, _REPLY_WORDS = 15, 40
_BLANK_LINE = "\n\n"
_GAPS = {"paragraph_open": " ", "fence": "\n"}  # between a label and a text, by its first block


def place(finding: Finding, href: str | None = None) -> str:
    """The finding's line, with its lines in the code, which lead to `href`; where something is missing without them."""
    if finding.is_missing:
        return name(finding, href)
    return f"[{finding.severity}] {_linked(f'{markdown.path(finding.path)} ({finding.lines})', href)}: {title(finding)}"


def name(finding: Finding, href: str | None = None) -> str:
    """The finding's line, without its lines in the code, which move from push to push."""
    return f"[{finding.severity}] {_linked(markdown.path(finding.path), href)}: {title(finding)}"


def _linked(text: str, href: str | None) -> str:
    return f"[{text}]({href})" if href else text


def title(finding: Finding) -> str:
    """Its title on one line."""
    return title_of(finding.title)


def title_of(text: str) -> str:
    """A title on one line, as Markdown."""
    return markdown.line(short_title(text))


def text(finding: Finding, suggestion: str | None = None) -> str:
    """Which case goes wrong with which result, the fix, and what was not verified, in TEXT_WORDS words.

    Where the fix is the suggestion alone that its comment offers, it has the code.
    """
    offered = "" if suggestion is None or finding.fix else _replaced(finding, suggestion)
    return joined(*_problem_and_fix(finding, ""), offered)


def plain_text(finding: Finding) -> str:
    """The same text, whole, where Markdown is not rendered: the problem, the fix and the caveat, each a paragraph."""
    problem = " ".join((*_labels(finding, short_title), finding.problem_text))
    return joined(problem, finding.fix, _caveat(finding.caveat), _looked_at(finding, str))


def _looked_at(finding: Finding, shown: Callable[[str], str]) -> str:
    """The files and texts that were looked at for a rule, "" for other findings."""
    more = len(finding.looked_at) - _MOST_NAMED
    named = [*map(shown, finding.looked_at[:_MOST_NAMED]), *([f"{more} more"] if more > 0 else [])]
    return f"Looked at: {', '.join(named)}." if named else ""


def _replaced(finding: Finding, suggestion: str) -> str:
    """The lines that a suggestion is for, and its code."""
    first, last = finding.replaced_lines
    lines = f"line {first}" if first == last else f"lines {first}-{last}"
    code = suggestion.rstrip("\n")
    return joined(f"Replace {lines} with:", fenced(code)) if code.strip() else f"Delete {lines}."


def once_fixed(title: str) -> str:
    """The words before a problem that does not happen until the finding with this title is fixed."""
    return f"Once “{title}” is fixed:"


def _labels(finding: Finding, shown: Callable[[str], str]) -> list[str]:
    """The words before a problem: it is older, or depends on another finding, or is a preference."""
    labels = [PRE_EXISTING] if finding.pre_existing else []
    labels += [once_fixed(shown(finding.once_fixed))] if finding.once_fixed else []
    is_labeled = finding.problem_text.startswith("Optional:")
    return [*labels, *(["Optional:"] if finding.kind == "preference" and not is_labeled else [])]


def _caveat(text: str | None) -> str:
    return f"Caveat: {text}." if text else ""


def _problem_and_fix(finding: Finding, lead: str) -> tuple[str, str]:
    """The problem, and the fix with what was not verified or was looked at, together in TEXT_WORDS words.

    The text of a preference, and no other, begins with "Optional:"; the text of a problem that is older than the
    change says that first. `lead` comes before all of that.
    """
    labels = [*([lead] if lead else []), *_labels(finding, title_of)]
    problem = finding.problem_text
    fix = markdown.prose(short_text(finding.fix, TEXT_WORDS // 2))
    caveat = _caveat(finding.caveat and markdown.line(short_text(finding.caveat, _CAVEAT_WORDS)))
    looked_at = _looked_at(finding, markdown.path)
    left = TEXT_WORDS - sum(len(part.split()) for part in (*labels, fix, caveat, looked_at))
    problem = markdown.prose(short_text(problem, left))
    if finding.kind == "impact" and problem.startswith("Optional:"):
        problem = problem.replace(":", "\\:", 1)
    for label in reversed(labels if problem else []):
        problem = _led_by(label, problem)
    return problem, joined(fix, caveat, looked_at)


def _led_by(label: str, text: str) -> str:
    """Put a label before a text; a fence needs a line of its own, and a list a blank line before it."""
    return f"{label}{_GAPS.get(markdown.first_block(text), _BLANK_LINE)}{text}"


def comment_body(kept: KeptFinding, links: Links) -> str:
    """An inline comment: severity and title, the problem, the suggestion where one fits, the fix; the steps folded.

    The words of the fix come after the suggestion: they say what else is to be done.
    On its cause, it names the place that goes wrong. The finding's marker ends it.
    At most 65,536 characters: where it would be longer, the suggestion gives way.
    """
    finding = kept.finding
    is_elsewhere = kept.anchor is not None and not kept.anchor.overlaps(finding)
    at = f"{markdown.path(finding.path)} ({finding.lines})"
    problem, fix = _problem_and_fix(finding, f"In {_linked(at, links.lines(finding))}:" if is_elsewhere else "")
    block = fenced(kept.suggestion, "suggestion") if kept.suggestion is not None else ""
    heading = f"**[{finding.severity}] {title(finding)}**"
    rest = (fix, _mechanism(finding), finding_marker(kept.id, finding))
    whole = joined(heading, problem, block, *rest)
    return whole if len(whole) <= BODY_LIMIT else joined(heading, problem, *rest)


def _mechanism(finding: Finding) -> str:
    """The steps that lead to the problem, without those that the text above has in the same words.

    A finding that is MINOR has none, as its text says enough, nor has a rule whose failure the title tells whole.
    """
    if finding.severity == "MINOR" or (finding.rule is not None and finding.title.endswith(finding.explanation)):
        return ""
    said = (finding.problem or short_text(finding.explanation, TEXT_WORDS)).rstrip("…")
    rest = short_text(finding.explanation.removeprefix(said), MECHANISM_WORDS)
    return markdown.folded(_FOLDED, markdown.prose(rest)) if rest else ""


def fixed(head: str) -> str:
    """The reply in the thread of a finding that is fixed, where we may not resolve it."""
    return f"Fixed in {head[:7]}."


def partly_fixed(head: str, finding: Finding, why: str) -> str:
    """The reply where a push fixed a part of a finding: what is fixed, and what is left."""
    fixed_part = short_text(why, _PART_WORDS).rstrip(".")
    return _reason(f"Partly fixed in {head[:7]}: {fixed_part}; still: {finding.problem}")


def not_fixed(head: str, why: str) -> str:
    """The reply where somebody claimed or tried a fix, and the problem is still there."""
    return _reason(f"Still open at {head[:7]}: {short_text(why, _REPLY_WORDS)}")


def conceded(why: str) -> str:
    """The reply to an argument against a finding that is right."""
    return joined("You are right, and this is settled.", _reason(why))


def disputed(why: str) -> str:
    """The only reply to an argument against a finding that does not hold."""
    return joined("It still stands, as far as the code shows:", _reason(why))


def worse(finding: Finding, why: str) -> str:
    """The reply where a finding has become more severe."""
    return joined(f"This is **{finding.severity}** now.", _reason(why))


def _reason(why: str) -> str:
    return markdown.prose(clipped(why, _LONGEST_ANSWER))  # cut first: a cut must not open what was closed
