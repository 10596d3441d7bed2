"""Wording: the parts of a finding's text, and the patterns that several claims share."""

import re

from kodiai.core.findings.finding import Finding

NAME = r"[`'\"]([A-Za-z_$][\w$]*)(?:\(\))?[`'\"]"
# A name in quotes, or one that begins a sentence: a word that is no name of the file's is not refuted anyway.
ANY_NAME = rf"(?:{NAME}|(?:^|(?<=[.!?] ))([A-Za-z_$][\w$]*))"
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])|\n+")
_DOUBTED_SENTENCES = 2


def words(pattern: str) -> re.Pattern[str]:
    """Compile alternatives, one or more on a line, of which any stands as whole words."""
    return re.compile(
        r"\b(?:" + "|".join(line.strip() for line in pattern.strip().splitlines()) + r")\b", re.IGNORECASE
    )


def claim(finding: Finding, sentences: int = 1) -> str:
    """What a finding rests on: its title and the first sentences of its explanation."""
    title = finding.title.strip().rstrip(".")
    return " ".join([f"{title}.", *_SENTENCE_END.split(finding.explanation.strip())[:sentences]])


def doubted(finding: Finding) -> str:
    """What a finding leans on: one sentence more than what it rests on."""
    return claim(finding, _DOUBTED_SENTENCES)


def whole(finding: Finding) -> str:
    """All that a finding says."""
    return f"{finding.title}. {finding.explanation}"


def named(pattern: re.Pattern[str], text: str) -> list[str]:
    """The names that a pattern finds, each once."""
    return list(dict.fromkeys(name for found in pattern.finditer(text) for name in found.groups() if name))
