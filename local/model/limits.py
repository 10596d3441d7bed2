"""The limits of what a judge writes for people, and the cut of a longer text to them."""

import re
import textwrap
from itertools import accumulate, takewhile

LONGEST_TITLE = 80
MOST_PROBLEM_WORDS = 45
MOST_FIX_WORDS = 20
_SENTENCE = re.compile(r"(?<=[.!?]) (?=[^a-z])")  # "e.g. this" goes on


def sentences(text: str) -> list[str]:
    """Split a text into its sentences, each on one line."""
    return _SENTENCE.split(" ".join(text.split()))


def cut_title(title: str) -> str:
    """Cut a title to 80 characters, after a word if one fits."""
    words = " ".join(title.split())
    if " " not in words[:LONGEST_TITLE]:
        return words[:LONGEST_TITLE]
    return textwrap.shorten(words, LONGEST_TITLE, placeholder=" …")


def cut_text(text: str, most_words: int) -> str:
    """Keep the first sentences that have so many words together; a first sentence that is longer is cut in itself."""
    told = sentences(text)
    counts = accumulate(len(sentence.split()) for sentence in told)
    whole = sum(1 for _ in takewhile(lambda count: count <= most_words, counts))
    if whole:
        return " ".join(told[:whole])
    return f"{' '.join(told[0].split()[:most_words])}…"
