"""Many quotes are searched in a file that is read once."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.code.comments import LineSpan
from kodiai.core.code.words import Words
from kodiai.core.findings.locate import locate
from kodiai.core.findings.source import ReadLines, Source
from kodiai.core.plan.earlier import moved_code
from tests.builders import DirectParser, a_file, a_finding, a_known, added
from tests.core.review_inputs import loaded, remembered
from tests.tables import each_row

TEXTS = st.text(alphabet="ab (\u200b", max_size=8)


class Counting(DirectParser):
    """A parser that counts how often it is asked about each file."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    def comment_spans(self, path: str, lines: Sequence[str], **given: Any) -> tuple[LineSpan, ...]:
        self.asked[path] += 1
        return DirectParser.comment_spans(path, lines, **given)


def reading_with(parser: DirectParser, files: dict[str, list[str]]) -> ReadLines:
    return ReadLines(files.get, parser)


def test_a_file_is_parsed_once_for_all_quotes() -> None:
    """Whether they are in it or not."""
    parser = Counting()
    lines = [f"total_{at} = add({at})  # {at}" for at in range(30)]
    source = Source(reading_with(parser, {"a.py": lines}), (a_file("a.py"),), ("a.py",))

    quotes = [f"total_{at} = add({at})\ntotal_{at + 1} = add({at + 1})" for at in range(40)]
    found = [locate(quote, "a.py", None, source) for quote in quotes]

    assert [place and place.start_line for place in found] == [*range(1, 30), *[None] * 11]
    assert parser.asked == {"a.py": 1}


def test_changed_files_are_parsed_once_for_all_findings_whose_code_is_gone() -> None:
    """The first file that has the code as new lines is where it moved."""
    parser = Counting()
    now = [added(f"new_{at}.py", f"total = compute_{at}()", "shared = total + 1", blob=f"{at}") for at in range(4)]
    quotes = ["total = compute_2()", "shared = total + 1", "total = compute_9()", "total = compute_0()  # the first"]
    known = [a_known(a_finding(path="gone.py", quote=quote), id=f"F-{at}") for at, quote in enumerate(quotes)]
    review_input = loaded(now, remembered([added("gone.py", *quotes)]), known)

    moved = moved_code(review_input, reading_with(parser, {}))

    assert moved == {"F-0": "new_2.py", "F-1": "new_0.py"}
    assert max(parser.asked.values()) == 1


@each_row("near", [None, 1, 70, 150, 400, 10**9])
def test_the_likeliest_of_places_that_are_everywhere_is_the_nearest(near: int | None) -> None:
    """Within a screen the nearest one; else, as if there were no line, the nearest one that is in the change."""
    lines = ["again = 1", ""] * 100
    changed = a_file("a.py", patch="@@ -120,0 +121,2 @@\n+again = 1\n+")
    source = Source(ReadLines({"a.py": lines}.get, DirectParser()), (changed,), ("a.py",))

    found = locate("again = 1", "a.py", near, source)

    assert found is not None
    assert found.start_line == {1: 1, 70: 69, 150: 149}.get(near or 0, 121)


@given(rows=st.lists(TEXTS, max_size=5), wanted=TEXTS, folds=st.booleans(), start=st.integers(0, 12))
def test_words_are_found_where_they_are(rows: list[str], wanted: str, folds: bool, start: int) -> None:
    """At each place where the same words follow one another, from a place on."""
    words = Words(rows, folds=folds)
    text = "\n" + "".join(f"{word}\n" for row in rows for word in words.of(row))
    needle = "\n" + "".join(f"{word}\n" for word in words.of(wanted))

    found = list(words.find(wanted, start))

    if needle != "\n":
        places = [at for at in range(max(start - 1, 0), len(text)) if text.startswith(needle, at)]
        assert found == [(at + 1, at + len(needle)) for at in places]
