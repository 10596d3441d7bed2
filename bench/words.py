"""Compares the time to read and clean a comment with the time to parse it: `python -m bench.words`."""

import statistics
import time
from collections.abc import Callable

from markdown_it import MarkdownIt

from kodiai.core.conversation.parsed_comment import parse_comment
from kodiai.core.words.incoming import incoming
from kodiai.core.words.outgoing import Withheld, outgoing
from kodiai.core.words.secrets import masked

HANDLES = frozenset({"kodiai"})
ROUNDS = 5
MOST_READ = 16_000
_PROSE = (
    "Hey @kodiai, the discount is taken off in `total()`, see src/orders.py:12.\n\n"
    "> It was added before.\n\n- one\n- two &amp; three\n\n```python\nreturn sum(prices) - discount\n```\n\n"
)
COMMENTS = {
    "a reply": "@kodiai I disagree: callers pass negative discounts, see `src/till.py`.",
    "prose": _PROSE,
    "prose, 16,000 characters": (_PROSE * 200)[:MOST_READ],
    "brackets, 16,000": "[" * MOST_READ,
    "entities, 16,000": "&amp;" * (MOST_READ // 5),
    "comments, 16,000": "<!--" * (MOST_READ // 4),
    "backticks, 16,000": "`" * MOST_READ,
}
_MARKDOWN = MarkdownIt("commonmark").enable("table")


def _outgoing(text: str) -> None:
    try:
        outgoing(text, HANDLES, ())
    except Withheld:
        return


WORK: dict[str, Callable[[str], object]] = {
    "parse": _MARKDOWN.parse,
    "parse_comment": lambda text: parse_comment(text, HANDLES),
    "incoming": incoming,
    "outgoing": _outgoing,
    "masked": masked,
}


def seconds(work: Callable[[str], object], text: str) -> float:
    """How long it takes once."""
    start = time.perf_counter()
    work(text)
    return time.perf_counter() - start


def main() -> None:
    """Print milliseconds, and the ratio to parsing the same text, round by round interleaved."""
    print(f"{'milliseconds (of parsing)':<28}" + "".join(f"{name:>18}" for name in WORK))
    for name, text in COMMENTS.items():
        rounds = [{work: seconds(do, text) for work, do in WORK.items()} for _ in range(ROUNDS)]
        took = {work: statistics.median(one[work] for one in rounds) for work in WORK}
        cells = (f"{took[work] * 1000:9.2f} ({took[work] / took['parse']:5.1f})" for work in WORK)
        print(f"{name:<28}" + "".join(f"{cell:>18}" for cell in cells))


if __name__ == "__main__":
    main()
