"""No text makes a pattern slow: the time grows with the length of the text, not with its square."""

import re
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from kodiai.core.changes.intent import intent
from kodiai.core.conversation.parsed_comment import parse_comment
from kodiai.core.text import markdown
from kodiai.core.text.incoming import incoming
from kodiai.core.text.outgoing import Withheld, outgoing
from kodiai.core.text.rewritten import fenced
from kodiai.core.text.secrets import high_entropy_token, masked
from tests.patterns import Used, attacks, compiled, modules, written

_ROOT = Path(__file__).parents[2]
_LENGTH = 4_096
_CLEANED = 2_048
"""The length of a text for a cleaner, which takes longer than a pattern."""
_TIMES = 8
_MOST_GROWTH = 24
"""A text eight times as long takes eight times as long, or 64 times if the time grows with the square."""
_TOO_SHORT_TO_MEASURE = 0.004  # seconds
_DOUBLING = 20
"""The length of a text that takes seconds where the time doubles with each character."""


def _patterns() -> Iterator[tuple[str, Used]]:
    doors = (f"functions.{folder.name}" for folder in (_ROOT / "functions").iterdir() if folder.is_dir())
    seen = set()
    for module in modules(["kodiai", *sorted(doors)]):
        for used in compiled(module):
            if used not in seen:
                seen.add(used)
                yield module.__name__, used


# Patterns that are made of values while the program runs, with an example of each.
_MADE = {
    "facts._name_line": r"(?<!\w)name(?!\w)",
    "outgoing._harmless": r"(?<!@)(?:(?<![A-Za-z0-9_])@|@@)@*+(?=(?:kodiai|ko)(?![A-Za-z0-9_]|-+[A-Za-z0-9_]))",
    "quote.with_lost_characters": r"a\s*+=\s*+caf\s*+([^\x00-\x7f]++)\s*+x",
    "search.text_matcher": r"(?<!\w)name(?!\w)",
    "secret_shapes._shape": "sk-",  # the shapes hold their patterns
    "secrets._is_random": r"[a-z]",
    "secrets._is_mixed": r"[a-z]",
}


def _seconds(run: Callable[[Any], object], text: Any, times: int = 1) -> float:
    """The shortest of several runs, in seconds of the processor: other processes do not count."""
    taken = []
    for _ in range(times):
        start = time.thread_time()
        run(text)
        taken.append(time.thread_time() - start)
    return min(taken)


def _grows(run: Callable[[Any], object], text: Any, shorter: Any, least: float = _TOO_SHORT_TO_MEASURE) -> bool:
    """Whether a text takes much more than eight times as long as one of an eighth of its length, whenever measured.

    A machine that is shared with others counts some of their time as ours.
    """
    if _seconds(run, text) < least:
        return False
    return all(_seconds(run, text, 2) > _MOST_GROWTH * _seconds(run, shorter, 5) for _ in range(3))


def _slow(used: Used) -> list[str]:
    """The first text that makes a pattern slow, as far as its own parts make one.

    First come short texts: where the time doubles with each character, a longer one would not end.
    """
    for text in attacks(used.pattern, _DOUBLING):
        if min(_seconds(used.run, text), _seconds(used.run, text)) > _TOO_SHORT_TO_MEASURE:
            return [repr(text)]
    shorter = attacks(used.pattern, _LENGTH // _TIMES)
    pairs = zip(attacks(used.pattern, _LENGTH), shorter, strict=True)
    return [repr(text[:60]) for text, _ in islice((pair for pair in pairs if _grows(used.run, *pair)), 1)]


def test_no_pattern_of_the_program_grows_faster_than_its_text() -> None:
    """Every pattern that a module holds, on texts made of its own parts, by the methods that the module uses."""
    slow = {f"{name}: {used.pattern.pattern!r:.80}": _slow(used) for name, used in _patterns()}

    assert len(slow) > 150
    assert {name: texts for name, texts in slow.items() if texts} == {}


def test_no_pattern_within_a_function_grows_faster_than_its_text() -> None:
    """Those are literals, or listed here with an example."""
    found = [each for folder in ("layers/common/kodiai", "functions") for each in written(_ROOT / folder)]

    unknown = {each.place for each in found if each.pattern is None and each.place not in _MADE}
    slow = {
        each.place: texts
        for each in found
        if (pattern := each.pattern or _MADE.get(each.place))
        if (texts := _slow(Used(re.compile(pattern), frozenset({"finditer"}))))
    }

    assert unknown == set()
    assert slow == {}


_SLOW_ONES = (r"(a|b)*c", r"x+y", r"\s+$", r"`+[^`]+`", r"<!--.*?-->", rb"[ab]+\n")
_QUICK_ONES = (r"(?<!x)x++y", r"\A\s++\Z", r"<[^<>]*>", r"a{1,20}b")


@pytest.mark.parametrize("pattern", [*_SLOW_ONES, *_QUICK_ONES])
def test_a_slow_pattern_is_told_from_a_quick_one(pattern: Any) -> None:
    """The texts find what they are for; growth with the length is what every pattern has."""
    assert bool(_slow(Used(re.compile(pattern), frozenset({"finditer"})))) is (pattern in _SLOW_ONES)


def _outgoing(text: str) -> str:
    try:
        return outgoing(text, frozenset({"kodiai"}), (text,))
    except Withheld as why:
        return str(why)


_PARTS = [
    "[", "](", "[a](<", "[a](b 'c", "![](", "<", '<a b="', "<!--", "<![CDATA[", "&", "*", "**a", "*a **b ", "_", "__a",
    "~~a", "`", "`a``b", "```\n", "~", "> ", ">", "- ", "-\n", "  - a\n", "#", "| a |\n", "\n|-|-|\n| a |", "\\", "@",
    "@kodiai ", "http://", "www.a", "http://a.b/(", "://a:b", "\u200d", "\u2060", "---\n", " ", "\n", "\0", "a", "a ",
    "A1+/", "eyJa.", "-----BEGIN PRIVATE KEY-----", "[a]: b\n", "https://x/`", ":a:", "...", "a.b/", "<details>",
    "<?", "<div title='\n\n", "<!-<!-- -->-",
]  # fmt: skip
_READERS: dict[str, Callable[[str], object]] = {
    "incoming": incoming,
    "outgoing": _outgoing,
    "prose": markdown.prose.__wrapped__,
    "line": markdown.line.__wrapped__,
    "as meant": markdown.as_meant,
    "path": markdown.path,
    "fenced": fenced,
    "masked": masked,
    "high entropy": high_entropy_token,
    "intent": lambda text: intent(text, (text[:100],)),
    "parsed": lambda text: parse_comment(text, frozenset({"kodiai"})),
}


@pytest.mark.parametrize("name", _READERS)
def test_no_part_of_markdown_makes_a_cleaner_slow(name: str) -> None:
    """Also not the parser below it: nesting, brackets, backticks, entities and all else, again and again."""
    read = _READERS[name]
    texts = [(part * (_CLEANED // len(part)), part * (_CLEANED // _TIMES // len(part))) for part in _PARTS]

    assert [text[:20] for text, shorter in texts if _grows(read, text, shorter, 0.005)] == []


def test_no_more_of_a_text_is_read_than_github_takes() -> None:
    """GitHub itself sends no longer ones."""
    text = "ab " * 100_000

    assert len(incoming(text)) <= 65_536
    assert parse_comment(f"{text}\n\n@kodiai review", frozenset({"kodiai"})).mentioned is False
