"""Quoted code is found, whatever the model put around it."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.show import show_file, show_lines
from kodiai.core.findings.locate import code_exists, locate
from kodiai.core.findings.places import Located
from kodiai.core.findings.quote import decorations, with_lost_characters
from kodiai.core.findings.source import Source
from tests.builders import a_file, reading
from tests.tables import each_row

CODE = """\
def total(values, *args):
    result = 0  # in cents

    for value in values:
        # each of them counts
        result += value  # add it up
        log.info('added "%s" - ok', value)

    return result


def mean(values):
    result = total(values, *args)
    if not values:
        return None
    return result / len(values)


def spread(*args):
    ...
    return [
        +args[0],
        -args[1],
    ]
""".split("\n")[:-1]
PATCH = "\n".join(
    [
        "@@ -1,6 +1,5 @@",
        " def total(values, *args):",
        "-    result = None",
        '-    assert values, "nothing"',
        "+    result = 0  # in cents",
        " ",
        "     for value in values:",
        "         # each of them counts",
        "@@ -15,2 +14,3 @@ def mean(values):",
        "-    return 0",
        "+    if not values:",
        "+        return None",
        "     return result / len(values)",
    ]
)
PATH = "src/shop/a.py"
FILE = a_file(PATH, patch=PATCH, previous_path="src/old/sums.py", status="renamed")


def head(lines: list[str], *files: ChangedFile) -> Source:
    """A tree that has these lines in its only file."""
    return Source(reading({PATH: lines}), files, (PATH,))


SOURCE = head(CODE, FILE)


def found(quote: str, near: int | None = None, path: str = PATH, source: Source = SOURCE) -> Located | None:
    return locate(quote, path, near, source)


def lines_of(place: Located | None) -> tuple[int, int] | None:
    return (place.start_line, place.end_line) if place else None


DIFF = show_file(FILE)


@each_row(
    ("quote", "lines"),
    [
        ("result+=value", (6, 6)),
        ("value in values:", (4, 4)),
        ("in values:\n# each of them", (4, 5)),
        ("def total(values, *args): result = 0", (1, 2)),
        ("+     15 |         return None", (15, 15)),
        ("+    14 |     if not values:\n+    15 |         return None\n     16 |     return result", (14, 16)),
        ("15: return None", (15, 15)),
        ("15\t        return None", (15, 15)),
        ("+15 return None", (15, 15)),
        ("~~~py\nreturn None", (15, 15)),
        ("`if not values:\nreturn None`", (14, 15)),
        ("```return None```", (15, 15)),
        ("def total(values, …", (1, 1)),
        ("log.info(… value)", (7, 7)),
        ("log.info(...)", (7, 7)),
        ("log.info([...])", (7, 7)),
        ("for value in values:\n    # ...\n    return result", (4, 9)),
        ("for value in values:\n    // … \n    return result", (4, 9)),
        ("def total(values, *args):\n[…]\nresult += value\n...\nreturn result", (1, 9)),
        ("...\nreturn None\n...", (15, 15)),
        ("+    if not values:\n...\n     return result / len(values)", (14, 16)),
        ("ｒｅｓｕｌｔ　＋＝　ｖａｌｕｅ", (6, 6)),
        ("log.info('added \"%s\" — ok', value)", (7, 7)),
        ("return\u200b None", (15, 15)),
        ("result = 0\nfor value in values:\nresult += value\nlog.info('added", (2, 7)),
        ("+args[0],\n-args[1],", (22, 23)),
        ("+args[0],", (22, 22)),
        ("-args[1],", (23, 23)),
        ("def spread(*args):\n    ...\n    return [", (19, 21)),
    ],
)
def test_code_is_found_in_many_forms(quote: str, lines: tuple[int, int]) -> None:
    """Each form is tested alone, some together."""
    assert lines_of(found(quote)) == lines


@each_row(
    "quote",
    [
        "result -= value",
        "Result += value",
        "results += value",
        "result += valu",
        "esult += value",
        "retur n None",
        "returnNone",
        "return Nine",
        "return result\nresult = 0",
        "for value in values:\n    return result",
        "return result\n...\nfor value in values:",
        "def total(values, *args):\n...\nresult -= value",
        "def total(values, *args):\n...\n+args[0]\n...\nreturn result",
        "log.info(...) value",
        "+ result -= value",
        "+    if not values:\n+        return 0",
        "     14 |     if not value:\n     15 |         return None",
        "+ args[1],",
        "- args[0],",
        "22: args[0],",
        "`return nothing`",
        "```\nreturn nothing\n```",
        "result += value  # add them up",
        "for value in values:\nlog.info('added",
        "log.info(“added '%s' - ok”, value)",
        "log.info('added \"%s\" + ok', value)",
        "-    return 1",
        "     return 0\n     return result / len(values)\n     return 0",
        "return None return None",
    ],
)
def test_other_code_is_not_found(quote: str) -> None:
    """Another operator, another name, another order, one letter, a sign that is not the one behind the marker."""
    assert found(quote) is None


@each_row("quote", ["", " \n\t\r\n ", ")", "):", "...", "…\n...", "0", "+", "12 | }", "```\n```", "`x`"])
def test_less_than_two_letters_or_digits_are_no_quote(quote: str) -> None:
    """They stand everywhere and prove nothing; those of a line number are not the code's."""
    assert found(quote) is None


@each_row(
    ("quote", "lines"),
    [
        ('-    assert values, "nothing"', (2, 2)),
        ("assert values", (2, 2)),
        ('-    result = None\n-    assert values, "nothing"', (2, 2)),
        ("    return 0\n    return result / len(values)", (16, 16)),
        ("def total(values, *args):\n    result = None", (1, 1)),
        ("-       |     return 0", (14, 14)),
        ("result = None\n...\nfor value in values:", (3, 4)),
        ("assert values, “nothing”", (2, 2)),
    ],
)
def test_code_that_the_diff_removes_is_found_next_to_where_it_stood(quote: str, lines: tuple[int, int]) -> None:
    """At the line after it, or at the lines that the quote has and the head too."""
    place = found(quote)

    assert place is not None
    assert (place.removed, lines_of(place)) == (True, lines)


def test_a_whole_hunk_as_it_is_shown_is_found() -> None:
    """It has its header, its markers and its numbers."""
    rows = DIFF.split("\n")[1:]
    second = rows.index("@@ -15,2 +14,3 @@")

    assert lines_of(found("\n".join(rows[:second]))) == (1, 5)
    assert lines_of(found("\n".join(rows[second:]))) == (14, 16)


BOTH_SIDES = "-    return 0\n+    if not values:\n+        return None"
LEFT = a_file(PATH, patch="@@ -1,2 +1,1 @@\n-    return result\n import os")
EMPTIED, CUT_OFF = (
    Source(reading({}), (a_file(PATH, patch=patch),), ())
    for patch in ("@@ -1,2 +0,0 @@\n-import os\n-gone()", "@@ -3,2 +3,1 @@\n import os\n-gone()")
)


@each_row(
    ("case", "quote", "near", "source", "place"),
    [
        ("both sides", BOTH_SIDES, None, SOURCE, Located(PATH, 14, 15, "    if not values:\n        return None")),
        ("left elsewhere", "-    return result", 1, head(CODE, LEFT), Located(PATH, 9, 9, "    return result")),
        ("a file that is gone", "gone()", None, EMPTIED, Located(PATH, 1, 1, "gone()", removed=True)),
        ("at the end of a file", "gone()", None, CUT_OFF, Located(PATH, 3, 3, "gone()", removed=True)),
    ],
)
def test_removed_code_is_what_the_head_does_not_have(
    case: str, quote: str, near: int | None, source: Source, place: Located
) -> None:
    """It is at the line before it; where nothing is left, at line 1."""
    assert found(quote, near, source=source) == place, case


@each_row(
    ("quote", "complete"),
    [
        ("for value in values:", True),
        ("+    if not values:\n+        return None", True),
        ("smart ‘quotes’ in", True),
        ("result = 0\n\nfor value in values:", False),
        ("result = 0", True),
        ("if not values:\n...\nreturn result / len(values)", False),
        ("for value in values:\nresult += value", False),
        ("log.info(... value)", False),
    ],
)
def test_whether_a_quote_is_complete(quote: str, complete: bool) -> None:
    """With something left out the code between was not quoted, so that nothing may replace it."""
    place = found(quote, source=head([*CODE, "smart 'quotes' in"]))

    assert place is not None
    assert place.complete is complete


LONG = ["same()" if at in {10, 50, 200, 300} else f"line{at}()" for at in range(1, 401)]
NEAR_300 = "@@ -299,2 +299,3 @@\n line299()\n+same()\n line301()"


@each_row(
    ("near", "line"),
    [(10, 10), (12, 10), (29, 10), (31, 50), (195, 200), (240, 200), (120, 300), (None, 300), (4000, 300), (-3, 10)],
)
def test_the_nearest_of_several_places_is_taken_and_far_from_all_the_changed_one(near: int | None, line: int) -> None:
    """A number that is off by more than a screen was made up."""
    place = found("same()", near, source=head(LONG, a_file(PATH, patch=NEAR_300)))

    assert lines_of(place) == (line, line)


AGAIN = a_file(PATH, patch="@@ -2,1 +2,2 @@\n other()\n+same()")
PARTS = ["begin()", "begin()", "x = 1", "end()", "end()"]


@each_row(
    ("quote", "near", "source", "lines"),
    [
        ("same()", 2, head(["same()", "other()", "same()"], AGAIN), (3, 3)),
        ("end\nend", 3, head(["end"] * 4), (3, 4)),
        ("line1()\n...\nline61()", None, head(LONG), (1, 61)),
        ("line1()\n...\nline62()", None, head(LONG), None),
        ("begin()\n...\nend()", None, head(PARTS), (2, 4)),
    ],
)
def test_the_changed_one_of_two_equally_near_places_is_taken(
    quote: str, near: int | None, source: Source, lines: tuple[int, int] | None
) -> None:
    """Among places that overlap it is the one that begins at the line; parts stand within a screen of each other."""
    assert lines_of(found(quote, near, source=source)) == lines


def test_all_places_are_given_in_their_order() -> None:
    """Only the head counts: removed code is not there."""
    read_lines = reading({PATH: CODE})

    assert [lines_of(place) for place in read_lines.places("return", PATH).found] == [
        (9, 9),
        (15, 15),
        (16, 16),
        (21, 21),
    ]
    assert [lines_of(place) for place in read_lines.places("values", PATH).found][:2] == [(1, 1), (4, 4)]
    assert code_exists("+ return None", PATH, read_lines)
    assert not code_exists("assert values", PATH, read_lines)
    assert not code_exists("return None", "src/b.py", read_lines)
    assert not code_exists("return None", PATH, reading({PATH: []}))
    assert found("return None", path="src/b.py") is None
    assert found("gone()", source=head([], a_file(PATH, patch=None))) is None


def test_a_quote_may_stand_nowhere_or_very_often_in_a_long_file() -> None:
    """Each place is given once."""
    lines = [f"    value = compute(value, {at % 7})" for at in range(10_000)]

    assert found("value = compute(\n...\nvalue = missing(", source=head(lines)) is None
    assert len(reading({PATH: lines}).places("value ... 3)", PATH).found) == 1_429


def _numbered(lines: list[str]) -> list[str]:
    return show_lines(PATH, ["", *lines], 2, len(lines) + 1).split("\n")[1:]


def _added(lines: list[str]) -> list[str]:
    return [f"+{line}" for line in lines]


DRESSES: dict[str, Callable[[list[str]], list[str]]] = {
    "none": list,
    "added": _added,
    "removed": lambda lines: [f"-{line}" for line in lines],
    "context": lambda lines: [f" {line}" for line in lines],
    "numbered": _numbered,
    "numbered and added": lambda lines: _added(_numbered(lines)),
    "fenced": lambda lines: ["```py", *lines, "```"],
    "backticks": lambda lines: [f"`{line}`" for line in lines],
    "tabs": lambda lines: [line.replace(" ", "\t") for line in lines],
    "hard spaces": lambda lines: [line.replace(" ", "\u00a0") for line in lines],
    "carriage returns": lambda lines: [f"{line}\r" for line in lines],
    "smart quotes": lambda lines: [line.replace('"', "”").replace("'", "’") for line in lines],
    "an ellipsis": lambda lines: [lines[0], "...", *lines[-1:]] if len(lines) > 1 else lines,
    "an ellipsis at the end": lambda lines: [*lines, "…"],
}
_LINES = st.lists(
    st.sampled_from([*CODE, "+ 1", "- 1", "1: 2", "12 | 3", "`x1`", "'it’s'", "...", "f(...args)", "a – b", "", "}"]),
    min_size=1,
    max_size=12,
)


@given(lines=_LINES, at=st.integers(0, 11), count=st.integers(1, 5), dress=st.sampled_from(sorted(DRESSES)))
def test_lines_of_a_file_are_found_in_any_form(lines: list[str], at: int, count: int, dress: str) -> None:
    """The file has all words of the quote there, in their order."""
    start = at % len(lines)
    quoted = lines[start : start + count]
    if not all(map(str.strip, quoted)) or sum(map(str.isalnum, "".join({quoted[0], quoted[-1]}))) < 2:
        return
    if "ellipsis" in dress and "..." in lines:  # nobody can tell a line of the code from what was left out
        return

    place = found("\n".join(DRESSES[dress](quoted)), start + 1, source=head(lines))

    assert place is not None
    there = "".join("\n".join(lines[place.start_line - 1 : place.end_line]).split())
    shown = "".join(place.quote.split())
    assert shown in there
    seen = [line for line in (quoted[0], quoted[-1]) if line.strip() != "..."] if "ellipsis" in dress else quoted
    assert all("".join(line.split()) in there for line in seen)


_ANY = st.text(st.sampled_from("ab1 +-.…`|:\n\t\r\0\ufeff“’ａ日é@/#'"), max_size=30)


@given(lines=st.lists(_ANY.map(lambda text: text.replace("\n", " ")), max_size=6), quote=_ANY, near=st.integers(-2, 9))
def test_whatever_is_quoted_the_place_is_in_the_file(lines: list[str], quote: str, near: int) -> None:
    """Nothing is raised, and the code that is shown is there."""
    place = found(quote, near, source=head(lines))

    if place is not None:
        assert 1 <= place.start_line <= place.end_line <= len(lines)
        assert place.quote in "\n".join(lines[place.start_line - 1 : place.end_line])
        assert place.quote.strip()


@each_row("form", ["as it is shown", "without marker and number", "on one line", "numbered by a person", "its end"])
def test_a_long_line_is_found_as_it_is_shown_and_its_middle_is_not_quoted(form: str) -> None:
    """A part that is left out of it is an ellipsis, in a row or in a line."""
    line = f"function begin(){{}}{'x();' * 5_000}function end(){{}}"
    file = a_file(PATH, patch="\n".join(["@@ -0,0 +1,2 @@", "+first()", f"+{line}"]))
    rows = show_file(file).removesuffix("\n").split("\n")[-2:]
    first, last = rows[0].partition("| ")[2], rows[1].lstrip("+ ")
    quotes = {
        "as it is shown": "\n".join(rows),
        "without marker and number": f"{first}\n{last}",
        "on one line": f"{first}{last.replace('…', '...')}",
        "numbered by a person": f"2: {first} [{last}",
        "its end": "function end(){}",
    }

    place = found(quotes[form].replace(" […", " …"), source=head(["first()", line], file))

    assert lines_of(place) == (2, 2)
    assert place is not None
    assert place.complete is (form == "its end")


HOSTILE = [
    "… 1" + "1" * 20_000 + " characters left out ab",
    "… 1 characters left out" + " " * 20_000 + "ab",
    "." * 20_000 + "ab",
    "_" * 20_000 + "...ab",
    " " * 20_000 + "ab",
    "```" + " " * 20_000 + "ab!",
    "`" * 20_000 + "ab",
    "1" * 20_000 + "ab",
    "+" + " " * 20_000 + "1 ab",
    "[" * 10_000 + " " * 10_000 + "ab",
    "[" + "." * 20_000 + "ab",
    "ab ... " * 2_000,
    "@@ -1 " * 2_000,
]


@each_row("line", HOSTILE)
def test_long_lines_of_anything_are_read(line: str) -> None:
    """Files hold what their authors like, and models copy it."""
    source = head([*CODE, line])

    assert lines_of(found(line, source=source)) == (len(CODE) + 1, len(CODE) + 1)
    assert found(f"{line} nowhere", source=source) is None
    assert decorations(line) <= {"a fence", "line numbers", "diff markers", "an ellipsis"}


@each_row(
    ("quote", "replacement", "known"),
    [
        ('name = "caf\ufffd"', 'title = "caf\ufffd"', ('name = "café"', 'title = "café"')),
        ('name  =  "caf\ufffd"', "pass", ('name = "café"', "pass")),
        ('"na\ufffdve \ufffd"', 'f("na\ufffdve", "\ufffd")', ('"naïve ö"', 'f("naïve", "ö")')),
        ('"caf\ufffd"', "\ufffd\n\ufffd", ('"café"', "\ufffd\n\ufffd")),
        ('"caf\ufffd\ufffd"', None, ('"café"', None)),
        ('"th\ufffd"', '"th\ufffd!"', ('"th\ufffd"', '"th\ufffd!"')),
    ],
)
def test_lost_characters_are_those_of_the_code(quote: str, replacement: str | None, known: tuple[str, str]) -> None:
    """U+FFFD stands for what somebody could not decode; what fits no line stays as it is."""
    lines = ['name = "café"', 'other = "naïve ö"', 'last = "tea"']

    assert with_lost_characters(quote, replacement, lines) == known
