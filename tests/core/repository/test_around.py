"""The code that is shown around the changes."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.code.outline import Outline, outline
from kodiai.core.repository.surroundings import Surroundings
from kodiai.core.repository.view import RepositoryView
from tests.builders import PARSER, DirectParser, FilesTree, a_file, added
from tests.tables import each_row

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
    "uv.lock": 'version = "4.2.1"\n',
    "logo.png": "total",
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


def around(
    changed: list[ChangedFile], files: Mapping[str, str] = FILES, *, searchable: bool = True, again: bool = False
) -> Around:
    tree = FilesTree(files, searchable=searchable)
    return Around(*Surroundings([changed], RepositoryView(tree, PARSER)).of(changed, again=again))


def test_a_change_is_shown_with_its_imports_its_function_and_where_that_is_used() -> None:
    """A function is shown in one piece; names that are gone from the file are looked for too; code before tests."""
    shown = around([GONE])

    assert not shown.left_out
    assert shown.text == (
        "## imports\n"
        'FILE "shop.py" lines 1-2 of 18\n'
        "     1 | import math\n"
        "     2 | from decimal import Decimal\n"
        "\n"
        "## function total\n"
        'FILE "shop.py" lines 9-14 of 18\n'
        "      9 |     def total(self, discount):\n"
        "     10 |         whole = sum(line.price for line in self.lines)\n"
        "     11 | \n"
        "     12 |         # rounded for the till\n"
        "     13 |         rounded = math.floor(whole)\n"
        "     14 |         return rounded - discount\n"
        "\n"
        "## uses of total\n"
        "shop.py:18 | return order.total(0) > 0\n"
        "till.py:3 | print(Order([]).total(1))\n"
        "tests/test_shop.py:2 | assert order.total(0) == 0\n"
        "\n"
        "## uses of refund\n"
        "till.py:1 | from shop import Order, refund\n"
        "till.py:4 | refund(None)"
    )


def test_the_few_functions_that_use_what_is_changed_are_shown_whole() -> None:
    """They often decide what a change breaks; of a name that many use only the places are listed, and tests never."""
    few = {**FILES, "run.py": "import shop\n\n\ndef run(order):\n    done = shop.shipped(order)\n    return done\n"}
    many = {**few, **{f"run{n}.py": few["run.py"] for n in range(4)}}
    change = a_file("shop.py", patch="@@ -18 +18 @@\n-    return False\n+    return order.total(0) > 0")

    shown = around([change], few)

    assert "## function run, which uses shipped\n" in shown.text
    assert "     5 |     done = shop.shipped(order)\n" in shown.text
    assert "uses of shipped" not in shown.text
    assert "which uses shipped" not in around([change], many).text
    assert "test_total, which uses" not in shown.text


def test_a_class_that_is_shown_whole_shows_its_methods() -> None:
    """Each definition is shown once, however many changes it has; what one hunk shows whole is not repeated."""
    patch = "@@ -5,2 +5,3 @@\n class Order:\n+    currency = 1\n     def __init__(self, lines):"
    patch += "\n@@ -9 +10 @@\n-    def total(self):\n+    def total(self, discount):\n"
    patch += "@@ -17,2 +18,2 @@\n def shipped(order):\n-    return True\n+    return order.total(0) > 0"
    source = SHOP.replace("class Order:\n", "class Order:\n    currency = 1\n")

    text = around([a_file("shop.py", patch=patch)], {"shop.py": source}).text

    assert [line for line in text.split("\n") if line.startswith("## ")] == ["## imports", "## class Order"]


def test_a_new_method_is_shown_with_the_class_that_it_stands_in() -> None:
    """Its hunk shows it whole, but not what it is a part of."""
    patch = "@@ -8,0 +9,6 @@\n" + "\n".join(f"+{line}" for line in SHOP.split("\n")[8:14])

    text = around([a_file("shop.py", patch=patch)], {"shop.py": SHOP}).text

    assert '## class Order\nFILE "shop.py" lines 5-14 of 18\n' in text


def test_in_a_repository_that_is_too_large_to_search_no_uses_are_shown() -> None:
    """The text says so, so that nobody takes silence for "used nowhere"; changed lines are marked as in a hunk."""
    change = a_file("shop.py", patch="@@ -14 +14 @@\n-        return rounded\n+        return rounded - discount")

    text = around([change], searchable=False).text

    assert "     13 |         rounded = math.floor(whole)\n+    14 |         return rounded - discount\n" in text
    assert text.endswith("The repository is too large to be searched for uses.")


def test_a_new_file_has_its_callees_around_it_and_prose_and_moves_have_nothing() -> None:
    """The hunk shows all of it; what it defines may be used elsewhere already. A thousand files may move at once."""
    new = added("till.py", *FILES["till.py"].split("\n")[:-1])
    prose = a_file("README.md", patch="@@ -1 +1 @@\n-Call.\n+Call `total`.")
    moved = a_file("shop.py", status="renamed", previous_path="old.py", patch=None)

    text = around([new, prose]).text

    assert text.startswith('## class Order, called at till.py:3\nFILE "shop.py" lines 5-14 of 18\n')
    assert text.count("## ") == 1
    for each in (prose, moved, a_file("nowhere.py", status="removed")):
        assert around([each]) == ("", {})


def headings(text: str) -> list[str]:
    """The headings of what is shown, each with the file that follows it."""
    return re.findall(r'^## (.*\nFILE "[^"]*")', text, re.MULTILINE)


MONEY = {
    "money.py": "def rounded(x):\n    return round(x)\n\n\ndef fee(x):\n    return rounded(x)\n",
    "more.py": "rounded(1)\nfee(1)\nrounded(2)\n",
}
MANY = {f"{name}.py": f"def pay(x):\n    return '{name}'\n" for name in ("card", "cash", "till", "bank", "debt")}
DOUBLED = {"tests/fakes.py": "def pay(x):\n    pass\n", "till.py": "def pay(x):\n    return x\n"}
COMMON = {"log.py": "def note(x):\n    print(x)\n", "all.py": "note(1)\n" * 100}


CALLS = ["def mine(x):", "    return rounded(x)", "y = mine(1) + rounded(2) + fee(3) + len('gone(1)')  # gone(2)"]
FEE = 'function fee, called at new.py:3\nFILE "money.py"'
ROUNDED = 'function rounded, called at new.py:2\nFILE "money.py"'


@each_row(
    ("case", "lines", "files", "shown"),
    [
        ("once, rare names first, not what the hunks show", CALLS, MONEY, [FEE, ROUNDED]),
        ("not a name that many files define", ["pay(1)"], MANY, []),
        (
            "the one of many that an import names",
            ["from cash import pay", "pay(1)"],
            MANY,
            ['function pay, called at new.py:2\nFILE "cash.py"'],
        ),
        ("not the double of a test", ["pay(1)"], DOUBLED, ['function pay, called at new.py:1\nFILE "till.py"']),
        ("not what the whole repository calls", ["note(1)"], COMMON, []),
    ],
)
def test_the_definitions_that_a_change_calls_are_shown(
    case: str, lines: list[str], files: dict[str, str], shown: list[str]
) -> None:
    """The fault of a call is often in what it calls; five definitions of one name would say nothing."""
    files = {**files, "new.py": "\n".join(lines) + "\n"}

    assert headings(around([added("new.py", *lines)], files).text) == shown, case


def test_the_beginning_of_a_long_function_that_is_called_is_shown() -> None:
    """Forty lines of it; and of all that is called no more than there is room for, which is counted."""
    body = "".join(f"    x{n} = {'y' * 90}\n" for n in range(100))
    files = {"long.py": "\n".join(f"def call_{n}():\n{body}" for n in range(9))}
    lines = [f"call_{n}()" for n in range(9)]

    shown = around([added("new.py", *lines)], {**files, "new.py": "\n".join(lines) + "\n"})

    assert 'FILE "long.py" lines 1-40 of 917' in shown.text
    assert len(headings(shown.text)) == 2
    assert shown.left_out == {"functions and classes that are called, over 4,000 tokens": 7}


def test_uses_of_a_name_that_stands_everywhere_are_left_out() -> None:
    """A list of eight places and hundreds more says nothing; a name with forty is shown with its first eight."""
    shown = {
        count: around([GONE], {"shop.py": SHOP, "all.py": "total()\n" * count}).text for count in (39, 40, 41, 200)
    }

    assert [count for count, text in shown.items() if "## uses of total" in text] == [39]
    assert shown[39].endswith("all.py:8 | total()\n(and 32 more)")


def test_a_step_that_takes_too_long_shows_less_and_says_so() -> None:
    """Nothing is raised: the next try would be no faster. What is shown of another try is the same."""
    seconds = iter(range(1_000, 0, -40))
    tree = FilesTree(FILES)

    def time_left() -> float:
        return next(seconds)

    surroundings = Surroundings([[GONE], [a_file("till.py")]], RepositoryView(tree, PARSER, time_left=time_left))
    first, second = (Around(*surroundings.of([each], again=False)) for each in (GONE, a_file("till.py")))

    assert first.text.endswith("The repository is too large to be searched for uses.")
    assert "## function total" in first.text
    assert first.left_out == {"searches for uses, over 60 seconds": 1}
    assert second.left_out == {
        "changed files with the code around them, over 60 seconds": 1,
        "searches for what is called, over 60 seconds": 1,
    }


def test_code_without_room_is_counted_with_its_reason() -> None:
    """A long function is shown near its change only; many of them are more than fit."""
    body = [f"    value_{n} = compute(value_{n - 1}, {n})  # {'x' * 60}" for n in range(400)]
    source = "\n".join(f"def f{n}():\n" + "\n".join(body) for n in range(14))
    hunks = "\n".join(f"@@ -{at} +{at} @@\n-old\n+{body[198]}" for at in range(200, 14 * 401, 401))

    shown = around([a_file("long.py", patch=hunks)], {"long.py": source})

    assert shown.text.count("## function") == 4
    assert 'FILE "long.py" lines 160-240 of' in shown.text
    assert shown.left_out == {"functions and classes around changes, over 15,000 tokens": 10}


def test_a_push_is_shown_with_its_functions_and_with_as_much_else_as_its_size_makes_worthwhile() -> None:
    """A line's callee may be long, and was shown when it was reviewed first."""
    lines = "".join(f"    row_{at} = load_the_row_of_that_number({at})\n" for at in range(30))
    helpers = "".join(f"def helper_{at}():\n{lines}\n\n" for at in range(6))
    calls = "".join(f"    helper_{at}()\n" for at in range(6))
    changed = [a_file("shop.py", patch=f"@@ -200,1 +200,8 @@\n-pass\n+def run():\n{calls.replace('    ', '+    ')}+")]
    files = {"shop.py": helpers + "\n" * (199 - helpers.count("\n")) + f"def run():\n{calls}"}

    first, push = around(changed, files), around(changed, files, again=True)

    assert first.text.count("## function helper_") == 6
    assert push.text.count("## function helper_") == 1
    assert push.left_out == {"functions and classes that are called, over 600 tokens": 5}


def test_around_a_push_no_line_is_shown_that_its_hunk_shows() -> None:
    """The lines of the function before the hunk and behind it are shown; the hunk has the others."""
    body = "".join(f"    step({at})\n" for at in range(2, 60))
    patch = "@@ -20,2 +20,3 @@\n     step(20)\n+    step(21)\n     step(22)"
    files, changed = {"run.py": f"def run():\n{body}"}, [a_file("run.py", patch=patch)]

    first, push = around(changed, files).text, around(changed, files, again=True).text

    assert [line for line in first.split("\n") if line.startswith("FILE")] == ['FILE "run.py" lines 1-59 of 59']
    assert push.startswith('## function run\nFILE "run.py" lines 1-19 of 59\n')
    assert push.endswith("     59 |     step(59)")
    assert '\nFILE "run.py" lines 23-59 of 59\n' in push
    assert "step(21)" not in push


def test_the_beginning_of_a_class_that_a_push_changes_is_shown_with_the_near_lines() -> None:
    """A first review shows all of it, up to 200 lines."""
    methods = "".join(f"    def get_{at}(self):\n        return {at}\n\n" for at in range(50))
    files = {"shop.py": f"class Shop:\n    open = True\n\n{methods}"}
    new = files["shop.py"].split("\n")[98:101]
    changed = [a_file("shop.py", patch="@@ -98,0 +99,3 @@\n" + "\n".join(f"+{line}" for line in new))]

    first, push = (
        [line for line in around(changed, files, again=again).text.split("\n") if line.startswith("FILE")]
        for again in (False, True)
    )

    assert first == ['FILE "shop.py" lines 1-152 of 153']
    assert push == [f'FILE "shop.py" lines {lines} of 153' for lines in ("1-16", "85-98", "102-115")]


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
