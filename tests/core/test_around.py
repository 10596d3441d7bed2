"""What is shown beside the changes, and the facts that the program finds out by itself."""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.repository.surroundings import Surroundings
from kodiai.core.repository.view import RepositoryView
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


class Around(NamedTuple):
    text: str
    left_out: Counter[str]


def beside(changed: list[ChangedFile], files: Mapping[str, str] = FILES, *, searchable: bool = True) -> Around:
    tree = FilesTree(files, searchable=searchable)
    return Around(*Surroundings([changed], RepositoryView(tree)).of(changed))


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


def test_the_few_functions_that_use_what_is_changed_are_shown_whole() -> None:
    """They often decide what a change breaks; of a name that many use only the places are listed, and tests never."""
    few = {**FILES, "run.py": "import shop\n\n\ndef run(order):\n    done = shop.shipped(order)\n    return done\n"}
    many = {**few, **{f"run{n}.py": few["run.py"] for n in range(4)}}
    change = a_file("shop.py", patch="@@ -18 +18 @@\n-    return False\n+    return order.total(0) > 0")

    shown = beside([change], few)

    assert "## function run, which uses shipped\n" in shown.text
    assert "     5 |     done = shop.shipped(order)\n" in shown.text
    assert "uses of shipped" not in shown.text
    assert "which uses shipped" not in beside([change], many).text
    assert "test_total, which uses" not in shown.text


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


def calling(*lines: str) -> ChangedFile:
    """A new file that calls something."""
    return added("new.py", *lines)


def headings(text: str) -> list[str]:
    return [line.removeprefix("## ") for line in text.split("\n") if line.startswith("## ")]


def called(lines: list[str], files: Mapping[str, str]) -> list[str]:
    """The headings of what is shown of a new file that has these lines."""
    return headings(beside([calling(*lines)], {**files, "new.py": "\n".join(lines) + "\n"}).text)


def test_what_a_change_calls_is_shown_once_rare_names_first() -> None:
    """The fault of a call often lies in what is called; what the hunks show already is not repeated."""
    files = {
        "money.py": "def rounded(x):\n    return round(x)\n\n\ndef fee(x):\n    return rounded(x)\n",
        "more.py": "rounded(1)\nfee(1)\nrounded(2)\n",
    }
    lines = ["def mine(x):", "    return rounded(x)", "y = mine(1) + rounded(2) + fee(3) + len('gone(1)')  # gone(2)"]

    assert called(lines, files) == ["function fee, called at new.py:3", "function rounded, called at new.py:2"]


def test_a_called_name_that_many_files_define_is_shown_only_where_an_import_says_which() -> None:
    """Else it is ambiguous, and five bodies would say nothing."""
    files = {f"{name}.py": f"def pay(x):\n    return '{name}'\n" for name in ("card", "cash", "till", "bank", "debt")}

    assert called(["pay(1)"], files) == []
    assert called(["from cash import pay", "pay(1)"], files) == ["function pay, called at new.py:2"]


def test_code_is_shown_before_tests_of_what_is_called() -> None:
    """Of a test's own double of a function nobody learns what it does."""
    files = {"tests/fakes.py": "def pay(x):\n    pass\n", "till.py": "def pay(x):\n    return x\n"}

    text = beside([calling("pay(1)")], {**files, "new.py": "pay(1)\n"}).text

    assert 'FILE "till.py" lines 1-2 of 2' in text
    assert "fakes" not in text


def test_what_the_whole_repository_calls_is_not_shown_where_it_is_called() -> None:
    """It is known, or looked up."""
    files = {"log.py": "def note(x):\n    print(x)\n", "all.py": "note(1)\n" * 100}

    assert called(["note(1)"], files) == []


def test_of_a_long_function_that_is_called_the_beginning_is_shown() -> None:
    """Forty lines of it; and of all that is called no more than there is room for, which is counted."""
    body = "".join(f"    x{n} = {'y' * 90}\n" for n in range(100))
    files = {"long.py": "\n".join(f"def call_{n}():\n{body}" for n in range(9))}
    lines = [f"call_{n}()" for n in range(9)]

    shown = beside([calling(*lines)], {**files, "new.py": "\n".join(lines) + "\n"})

    assert 'FILE "long.py" lines 1-40 of 917' in shown.text
    assert len(headings(shown.text)) == 2
    assert shown.left_out == {"functions and classes that are called, over 4,000 tokens": 7}


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

    surroundings = Surroundings([[GONE], [a_file("till.py")]], RepositoryView(tree, time_left=time_left))
    first, second = Around(*surroundings.of([GONE])), Around(*surroundings.of([a_file("till.py")]))

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
