"""The uses of names in the repository: one pass over its files, with an end."""

from collections.abc import Callable, Sequence

import pytest

from kodiai.core.repository.usages import MOST_PLACES, Place, Usages
from tests.builders import CountedTree, FilesTree

FILES = {
    "README.md": "Call `total`.\n",
    "shop.py": "def total(a):\n    return subtotal\n",
    "till.py": "total(1); total(2)\nx = 'total'\n",
    "vendor/shop.py": "total\n",
    "dist/app.js": "total\n",
    "logo": "total\0",
}


def usages_in(tree: FilesTree, time_left: Callable[[], float] = lambda: 3_600.0) -> Usages:
    return Usages(tree, time_left)


def lines(places: Sequence[Place]) -> list[str]:
    return [f"{each.path}:{each.line}" for each in places]


def test_whole_words_are_found_in_code_first_and_in_what_people_wrote() -> None:
    """A line is one place, however often it has the word, in strings too."""
    usages = usages_in(FilesTree(FILES))

    found = usages.find(["total", "sub", "nowhere", ""])

    assert lines(found["total"]) == ["shop.py:1", "till.py:1", "till.py:2", "README.md:1"]
    assert [found[word] for word in ("sub", "nowhere", "")] == [[], [], []]
    assert lines(usages.headings("total")) == ["shop.py:1"]
    assert usages.is_whole


def test_all_words_are_found_in_one_pass_and_none_is_looked_for_twice() -> None:
    """A pass costs the same for one word and for thousands."""
    tree = CountedTree({"a.py": "one two three\n"})
    usages = usages_in(tree)

    usages.find(["one", "two", *(f"name_{n}" for n in range(5_000))])
    usages.find(["two"])

    assert tree.reads == ["a.py"]
    assert lines(usages.find(["three"])["three"]) == ["a.py:1"]
    assert tree.reads == ["a.py", "a.py"]


def test_a_name_of_several_words_is_found_by_its_ends_and_a_common_word_has_a_limit_of_places() -> None:
    """A name before a word character is another word; a common name is the project's, and is not searched further."""
    usages = usages_in(FilesTree({"uv.lock": 'version = "4.2.1"\n', "b.lock": "4.2.10\n", "a.rb": "def ok?(x)\n"}))
    common = usages_in(FilesTree({"a.py": "get()\n" * 1_000, "b.py": "def get():\n"}))

    assert [lines(usages.find([each])[each]) for each in ("4.2.1", "ok?")] == [["uv.lock:1"], ["a.rb:1"]]
    assert (len(common.find(["get"])["get"]), common.headings("get")) == (MOST_PLACES, [])


def test_no_more_bytes_are_read_than_a_bound_that_is_the_same_on_every_try() -> None:
    """The first files are searched; the others are counted, and nobody may say that a name is nowhere."""
    files = dict.fromkeys((f"{n:03}.py" for n in range(200)), b"x" * 1_000_000)
    usages = usages_in(FilesTree({**files, "000.js": "total\n", "1.js": "x" * 1_000_001, "z.js": "total\n"}))

    assert lines(usages.find(["total"])["total"]) == ["000.js:1"]
    assert usages.unsearched == {
        "files not searched for uses, each over 1 MB": 1,
        "files not searched for uses, over 200 MB": 1,
    }
    assert not usages.is_whole


@pytest.mark.parametrize("seconds", [[1_000.0, 950.0, 930.0], [100.0, 80.0, 75.0]], ids=["a minute", "a quarter"])
def test_a_pass_that_takes_too_long_finds_nothing_and_is_the_last_one(seconds: list[float]) -> None:
    """Over a minute, or a quarter of the time left. Half of a pass would be other material on every try."""
    left = [*seconds, *[0.0] * 9]
    tree = CountedTree({"a.py": "total\n", "b.py": "total\n"})
    usages = usages_in(tree, lambda: left.pop(0))

    assert usages.find(["total"])["total"] == []
    assert (usages.can_search, usages.is_whole) == (False, False)
    assert usages.unsearched == {"searches for uses, over 60 seconds": 1}
    assert usages.find(["other"])["other"] == []
    assert tree.reads == ["a.py"]
