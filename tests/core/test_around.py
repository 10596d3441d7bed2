"""What is shown beside the changes, and the facts that the program finds out by itself."""

from collections.abc import Mapping

import pytest

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.flows.review.around import Around, Surroundings
from kodiai.flows.review.facts import RepositoryFacts
from kodiai.flows.review.sources import Sources
from kodiai.flows.review.usages import Usages
from tests.builders import FilesTree, a_file, added

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


def beside(changed: list[ChangedFile], files: Mapping[str, str] = FILES, *, searchable: bool = True) -> Around:
    tree = FilesTree(files, searchable=searchable)
    return Surroundings([changed], Sources(tree), Usages(tree)).of(changed)


def test_a_change_is_shown_with_its_imports_its_function_and_where_that_is_used() -> None:
    """A function is shown in one piece; names that are gone from the file are looked for too; code before tests."""
    shown = beside([GONE])

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


def test_changed_lines_are_marked_in_what_is_shown_around_them() -> None:
    """The function can be read in one piece with its change, as a hunk shows it."""
    change = a_file("shop.py", patch="@@ -14 +14 @@\n-        return rounded\n+        return rounded - discount")

    text = beside([change]).text

    assert "     13 |         rounded = math.floor(whole)\n+    14 |         return rounded - discount\n" in text


def test_a_class_that_is_shown_whole_shows_its_methods() -> None:
    """Each definition is shown once, however many changes it has; what one hunk shows whole is not repeated."""
    patch = "@@ -5,2 +5,3 @@\n class Order:\n+    currency = 1\n     def __init__(self, lines):"
    patch += "\n@@ -9 +10 @@\n-    def total(self):\n+    def total(self, discount):\n"
    patch += "@@ -17,2 +18,2 @@\n def shipped(order):\n-    return True\n+    return order.total(0) > 0"
    source = SHOP.replace("class Order:\n", "class Order:\n    currency = 1\n")

    text = beside([a_file("shop.py", patch=patch)], {"shop.py": source}).text

    assert [line for line in text.split("\n") if line.startswith("## ")] == ["## imports", "## class Order"]


def test_a_new_method_is_shown_with_the_class_that_it_stands_in() -> None:
    """Its hunk shows it whole, but not what it is a part of."""
    patch = "@@ -8,0 +9,6 @@\n" + "\n".join(f"+{line}" for line in SHOP.split("\n")[8:14])

    text = beside([a_file("shop.py", patch=patch)], {"shop.py": SHOP}).text

    assert '## class Order\nFILE "shop.py" lines 5-14 of 18\n' in text


def test_of_a_new_file_what_it_calls_is_around_and_of_prose_nothing_is() -> None:
    """The hunk shows all of it; what it defines may be used elsewhere already."""
    new = added("till.py", *FILES["till.py"].split("\n")[:-1])
    prose = a_file("README.md", patch="@@ -1 +1 @@\n-Call.\n+Call `total`.")

    text = beside([new, prose]).text

    assert text.startswith('## class Order, called at till.py:3\nFILE "shop.py" lines 5-14 of 18\n')
    assert text.count("## ") == 1
    assert beside([prose]).text == ""
    assert beside([a_file("nowhere.py", status="removed")]).text == ""


def test_uses_of_a_name_that_stands_everywhere_are_left_out() -> None:
    """A list of eight places and hundreds more says nothing; a name with forty is shown with its first eight."""
    shown = {
        count: beside([GONE], {"shop.py": SHOP, "all.py": "total()\n" * count}).text for count in (39, 40, 41, 200)
    }

    assert [count for count, text in shown.items() if "## uses of total" in text] == [39]
    assert shown[39].endswith("all.py:8 | total()\n(and 32 more)")


def test_where_the_repository_is_too_large_to_search_that_is_said() -> None:
    """Nobody takes silence for "used nowhere"."""
    assert beside([GONE], searchable=False).text.endswith("The repository is too large to be searched for uses.")


def test_a_step_that_takes_too_long_shows_less_and_says_so() -> None:
    """Nothing is raised: the next try would be no faster. What is shown of another try is the same."""
    seconds = iter(range(1_000, 0, -40))
    tree = FilesTree(FILES)

    def time_left() -> float:
        return next(seconds)

    surroundings = Surroundings([[GONE], [a_file("till.py")]], Sources(tree), Usages(tree, time_left), time_left)
    first, second = surroundings.of([GONE]), surroundings.of([a_file("till.py")])

    assert first.text.endswith("The repository is too large to be searched for uses.")
    assert "## function total" in first.text
    assert first.left_out == {"searches for uses, over 60 seconds": 1}
    assert second.left_out == {
        "changed files with the code around them, over 60 seconds": 1,
        "searches for what is called, over 60 seconds": 1,
    }


def test_what_there_is_no_room_for_is_counted_with_its_reason() -> None:
    """A long function is shown near its change only; many of them are more than fit."""
    body = [f"    value_{n} = compute(value_{n - 1}, {n})  # {'x' * 60}" for n in range(400)]
    source = "\n".join(f"def f{n}():\n" + "\n".join(body) for n in range(14))
    hunks = "\n".join(f"@@ -{at} +{at} @@\n-old\n+{body[198]}" for at in range(200, 14 * 401, 401))

    shown = beside([a_file("long.py", patch=hunks)], {"long.py": source})

    assert shown.text.count("## function") == 4
    assert 'FILE "long.py" lines 160-240 of' in shown.text
    assert shown.left_out == {"functions and classes around changes, over 15,000 tokens": 10}


def facts(
    looked_up: tuple[str, ...] = (), *, searchable: bool = True, more: Mapping[str, str] | None = None
) -> RepositoryFacts:
    tree = FilesTree({**FILES, **(more or {})}, searchable=searchable)
    return RepositoryFacts(Sources(tree), Usages(tree), [a_file(patch="@@ -0,0 +1 @@\n+needs 7.8.9")], looked_up)


def test_the_program_finds_out_what_claims_rest_on() -> None:
    """Whether a file parses, what it binds, what is named anywhere, how often a name is used, what was looked up."""
    known = facts(("search", "def helper():"), more={"bad.py": "def f(:\n", "star.py": "from x import *\n"})

    assert (known.parses("shop.py"), known.parses("bad.py")) == (True, False)
    assert (known.parses("README.md"), known.parses("nowhere.py")) == (None, None)
    assert [known.binds("shop.py", name, (14, 14)) for name in ("math", "len", "rounded", "json")] == [
        *(True, True, True, False),
    ]
    assert known.binds("shop.py", "rounded", (18, 18)) is False
    assert (known.binds("star.py", "json", (1, 1)), known.binds("nowhere.py", "json", (1, 1))) == (None, None)
    assert [known.is_named(text) for text in ("4.2.1", "7.8.9", "helper", "CVE-2031-1")] == [True, True, True, False]
    assert (known.uses("total"), known.uses("shipped"), known.uses("math")) == (4, 0, 2)
    assert (known.was_looked_up("helper"), known.was_looked_up("total")) == (True, False)
    assert (known.lines("logo.png"), known.lines("nowhere.py")) == (["total"], None)


@pytest.mark.parametrize("searchable", [False])
def test_what_cannot_be_searched_is_not_known(searchable: bool) -> None:
    """Unknown is another thing than not there."""
    known = facts(searchable=searchable)

    assert (known.is_named("4.2.1"), known.is_named("7.8.9"), known.uses("total")) == (None, True, None)
