"""The code that is shown around the changes."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.code.outline import Outline, outline
from kodiai.core.repository.surroundings import Surroundings
from kodiai.core.repository.view import RepositoryView
from tests.builders import PARSER, CountedTree, DirectParser, FilesTree, a_file, added

SHOP = """\
import math
from decimal import Decimal


class Order:
    def __init__(self, lines):
        self.lines = lines

    def total(self, discount):
        whole = sum(line.price for line in self.lines)

        # rounded for the till
        rounded = math.floor(whole)
        return rounded - discount


def shipped(order):
    return order.total(0) > 0
"""
FILES = {
    "shop.py": SHOP,
    "till.py": "from shop import Order, refund\n\nprint(Order([]).total(1))\nrefund(None)\nsubtotal = 1\n",
    "tests/test_shop.py": "def test_total():\n    assert order.total(0) == 0\n",
    "README.md": "Call `total`.\n",
}
GONE = a_file(
    "shop.py",
    patch="@@ -9,6 +9,5 @@\n     def total(self, discount):\n         whole = sum(line.price for line in self.lines)\n"
    "-        check(discount)\n \n         # rounded for the till\n         rounded = math.floor(whole)\n"
    "@@ -16,5 +16,2 @@\n \n-def refund(order):\n-    return None\n-\n def shipped(order):",
)


class Around(NamedTuple):
    text: str
    left_out: Counter[str]


def around(changed: list[ChangedFile], files: Mapping[str, str] = FILES) -> Around:
    return Around(*Surroundings(RepositoryView(FilesTree(files), PARSER)).of(changed))


def test_a_change_is_shown_with_its_imports_and_the_rest_of_its_function() -> None:
    """The hunk has the other lines."""
    shown = around([GONE])

    assert not shown.left_out
    assert shown.text == (
        "## imports\n"
        'FILE "shop.py" lines 1-2 of 18\n'
        "     1 | import math\n"
        "     2 | from decimal import Decimal\n"
        "\n"
        "## function total\n"
        'FILE "shop.py" lines 14-14 of 18\n'
        "    14 |         return rounded - discount"
    )


def test_a_new_method_is_shown_with_the_class_that_it_stands_in() -> None:
    """Its hunk shows it whole, but not what it is a part of."""
    patch = "@@ -8,0 +9,6 @@\n" + "\n".join(f"+{line}" for line in SHOP.split("\n")[8:14])

    text = around([a_file("shop.py", patch=patch)], {"shop.py": SHOP}).text

    assert text.endswith("     6 |     def __init__(self, lines):\n     7 |         self.lines = lines\n     8 | ")
    assert '## class Order\nFILE "shop.py" lines 5-8 of 18\n' in text


def test_a_new_file_has_what_it_uses_around_it_and_prose_has_nothing() -> None:
    """The hunk shows all of it."""
    new = added("till.py", *FILES["till.py"].split("\n")[:-1])
    prose = a_file("README.md", patch="@@ -1 +1 @@\n-Call.\n+Call `total`.")

    text = around([new, prose]).text

    assert text.startswith('## class Order, used at till.py:3\nFILE "shop.py" lines 5-14 of 18\n')
    assert text.count("## ") == 1
    for each in (prose, a_file("nowhere.py", status="removed")):
        assert around([each]) == ("", {})


def test_a_moved_file_shows_its_lines_with_paths_and_imports() -> None:
    """They are what a move may break. A thousand files may move at once."""
    code = "import os\n\nfrom .u import x\n\nPATH = Path(__file__).parent / 'data'\n\n\ndef f():\n    return x\n"
    files = {f"new/m{at}.py": code for at in range(1_000)}
    moved = [a_file(path, status="renamed", previous_path=path.replace("new", "old"), patch=None) for path in files]

    one, many = around(moved[:1], files), around(moved, files)

    assert [line for line in one.text.split("\n") if not line.startswith("FILE")] == [
        "## paths and imports of a moved file",
        "     1 | import os",
        "     3 | from .u import x",
        "     5 | PATH = Path(__file__).parent / 'data'",
    ]
    assert many.text.count("## ") < 60
    assert sum(many.left_out.values()) > 0


def headings(text: str) -> list[str]:
    """The headings of what is shown, each with the file that follows it."""
    return re.findall(r'^## (.*\nFILE "[^"]*")', text, re.MULTILINE)


def test_called_names_and_filled_types_of_changed_lines_are_shown_once() -> None:
    """The fault of a call is often in what it calls; what the hunks show is not shown again."""
    money = "class Fee:\n    rate = 1\n\n\ndef rounded(x):\n    return round(x)\n"
    lines = [
        "from money import Fee, rounded",
        "def mine(x: Fee):",
        "    return rounded(x)",
        "y = mine(1) + rounded(2) + len('gone(1)')  # gone(2)",
    ]
    files = {"money.py": money, "new.py": "\n".join(lines) + "\n", "gone.py": "def gone(x):\n    pass\n"}

    assert headings(around([added("new.py", *lines)], files).text) == [
        'class Fee, used at new.py:2\nFILE "money.py"',
        'function rounded, used at new.py:3\nFILE "money.py"',
    ]


def test_the_beginning_of_a_long_function_that_is_called_is_shown() -> None:
    """Forty lines of it; and of all that is called no more than is worthwhile for a change of this size."""
    body = "".join(f"    x{n} = {'y' * 30}\n" for n in range(100))
    files = {"long.py": "\n".join(f"def call_{n}():\n{body}" for n in range(9))}
    lines = ["from long import *", *(f"call_{n}()" for n in range(9))]

    shown = around([added("new.py", *lines)], {**files, "new.py": "\n".join(lines) + "\n"})

    assert 'FILE "long.py" lines 1-40 of 917' in shown.text
    assert len(headings(shown.text)) == 1
    assert shown.left_out == {"functions and classes that are used, over 1,000 tokens": 8}


def test_the_first_hundred_of_many_files_are_parsed() -> None:
    """The others are counted."""
    surroundings = Surroundings(RepositoryView(FilesTree(FILES), PARSER))

    text, left_out = surroundings.of([*[GONE] * 100, a_file("till.py")])

    assert "## function total" in text
    assert left_out["changed files with the code around them, over 100"] == 1


def test_code_without_room_is_counted_with_its_reason() -> None:
    """A long function is shown near its change only; many of them are more than fit."""
    body = [f"    value_{n} = compute(value_{n - 1}, {n})  # {'x' * 20}" for n in range(400)]
    source = "\n".join(f"def f{n}():\n" + "\n".join(body) for n in range(14))
    hunks = "\n".join(f"@@ -{at} +{at} @@\n-old\n+{body[198]}" for at in range(200, 14 * 401, 401))

    shown = around([a_file("long.py", patch=hunks)], {"long.py": source})

    assert shown.text.count("## function") == 1
    assert 'FILE "long.py" lines 180-199 of' in shown.text
    assert shown.left_out == {"functions and classes around changes, over 2,000 tokens": 13}


def test_a_function_that_does_not_fit_is_shown_near_to_as_many_changes_as_fit() -> None:
    """Not left out because of the last of them."""
    body = [f"    value_{n} = compute(value_{n - 1}, {n})  # {'x' * 20}" for n in range(400)]
    hunks = "\n".join(f"@@ -{at} +{at} @@\n-old\n+{body[at - 2]}" for at in (100, 200, 300))

    shown = around([a_file("long.py", patch=hunks)], {"long.py": "\n".join(["def f():", *body])})

    assert [line for line in shown.text.split("\n") if line.startswith("FILE")] == [
        f'FILE "long.py" lines {lines} of 401' for lines in ("80-99", "101-120", "180-199", "201-220")
    ]
    assert shown.left_out == {"functions and classes around changes, over 2,000 tokens": 1}


def test_the_beginning_of_a_class_is_shown_with_the_lines_near_its_changes() -> None:
    """A class is long, and its methods are other definitions; a function is shown whole."""
    methods = "".join(f"    def get_{at}(self):\n        return {at}\n\n" for at in range(50))
    files = {"shop.py": f"class Shop:\n    open = True\n\n{methods}"}
    new = files["shop.py"].split("\n")[98:101]
    changed = [a_file("shop.py", patch="@@ -98,0 +99,3 @@\n" + "\n".join(f"+{line}" for line in new))]

    shown = [line for line in around(changed, files).text.split("\n") if line.startswith("FILE")]

    assert shown == [f'FILE "shop.py" lines {lines} of 153' for lines in ("1-11", "90-98", "102-110")]


def test_no_line_is_shown_that_a_hunk_shows_and_none_twice() -> None:
    """Over the files of this project, in each of which some lines of every third definition change."""
    folder = Path(__file__).parents[3] / "layers/common/kodiai/core/repository"
    files = {f"kodiai/core/repository/{each.name}": each.read_text() for each in folder.glob("*.py")}
    changed = [a_file(path, patch=_patch(path, text.split("\n"))) for path, text in files.items() if len(text) > 99]

    shown = Counter(_numbered(around(changed, files).text))
    hunks = {(file.path, line) for file in changed for hunk in file.hunks for line in hunk.new_lines}

    assert len(shown) > 150
    assert max(shown.values()) == 1
    assert hunks.isdisjoint(shown)


def _patch(path: str, lines: Sequence[str]) -> str:
    """A patch with context that changes the third line of every third definition."""
    starts = [one.start_line for one in outline(path, lines).definitions[::3]]
    changed = [at for at, after in pairwise([*starts, len(lines)]) if after > at + 6]
    sides = [([f" {row}" for row in lines[at - 1 : at + 4]], at) for at in changed]
    rows = (
        row for hunk, at in sides for row in (f"@@ -{at},5 +{at},5 @@", *hunk[:2], "-old", f"+{hunk[2][1:]}", *hunk[3:])
    )
    return "\n".join(rows)


def _numbered(text: str) -> Iterator[tuple[str, int]]:
    """The path and number of every line that is shown."""
    path = ""
    for row in text.split("\n"):
        if named := re.match(r'FILE "(.*)" lines', row):
            path = named[1]
        elif number := re.match(r" *(\d+) \| ", row):
            yield path, int(number[1])


def test_only_changed_and_imported_files_are_read() -> None:
    """What a review does is in proportion to the change, not to the repository."""
    others = {f"other_{at}.py": "total()\nrefund()\n" for at in range(100)}
    tree = CountedTree({**FILES, **others})

    Surroundings(RepositoryView(tree, PARSER)).of([GONE, added("till.py", *FILES["till.py"].split("\n"))])

    assert set(tree.reads) == {"shop.py", "till.py"}


class CountingParser(DirectParser):
    """Knows how often it was asked for an outline."""

    def __init__(self) -> None:
        self.outlined: list[Sequence[str]] = []

    def outline(self, path: str, lines: Sequence[str]) -> Outline:
        self.outlined.append(lines)
        return outline(path, lines)


def test_touched_names_are_found_once_and_removed_lines_are_parsed_only_if_they_may_define_a_missing_one() -> None:
    """Parsing is most of what a review without a model takes."""
    parser = CountingParser()
    view = RepositoryView(FilesTree(FILES), parser)
    edited = "@@ -9,2 +9,2 @@\n-    def total(self):\n+    def total(self, discount):\n         whole = 1"

    names = [view.touched_code(each).names for each in (a_file("shop.py", patch=edited), GONE, GONE)]

    assert names == [("total",), ("total", "refund"), ("total", "refund")]
    assert parser.outlined == [
        SHOP.split("\n")[:-1],
        ["", "def refund(order):", "    return None", "", "def shipped(order):"],
    ]
