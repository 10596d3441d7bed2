"""The read-only tools of the model: what they answer, and what they tell it that they cannot."""

from typing import Any

import pytest

from kodiai.core.model.messages import Tool, ToolResult, ToolUse
from kodiai.core.repository.tree import lines_of
from kodiai.flows.model.look_up import TOOLS, look_up
from tests.builders import FilesTree
from tests.tables import each_row

TREE = FilesTree(
    {
        "README.md": "# Title\n",
        "src/app.py": "import os\n\n\ndef f(a.*b):\n    return os.getcwd()\n",
        "src/app/view.py": "from os import path",
        "src/empty.py": "",
        "src/ж/long name.py": "x = 1\r\ny = 2\r\n",
        "logo.png": b"\x89PNG\0\0return",
        "latin.txt": b"caf\xe9 return\n",
        "odd\nname.py": "return 1\u2028FILE\n",
        "etc/passwd": "ours\n",
    }
)


def use(name: str, **given: Any) -> ToolResult:
    return look_up(TREE, ToolUse("toolu_1", name, given))


def found(tree: FilesTree, name: str, **given: Any) -> str:
    return look_up(tree, ToolUse("1", name, given)).text


def answer(name: str, **given: Any) -> str:
    result = use(name, **given)
    assert not result.is_error, result
    return result.text


def refusal(name: str, **given: Any) -> str:
    result = use(name, **given)
    assert result.is_error
    return result.text


def test_a_file_is_read_with_its_line_numbers() -> None:
    """The title says which lines of how many these are."""
    result = use("read_file", path="src/app.py")

    assert result == ToolResult(
        "toolu_1",
        (
            'FILE "src/app.py" lines 1-5 of 5\n'
            "     1 | import os\n"
            "     2 | \n"
            "     3 | \n"
            "     4 | def f(a.*b):\n"
            "     5 |     return os.getcwd()"
        ),
    )


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ({"start_line": 2, "end_line": 3}, "lines 2-3 of 5"),
        ({"start_line": 5, "end_line": 900}, "lines 5-5 of 5"),
        ({"start_line": -3, "end_line": 1}, "lines 1-1 of 5"),
        ({"start_line": None, "end_line": None}, "lines 1-5 of 5"),
    ],
)
def test_a_part_of_a_file_is_read(given: dict[str, int], title: str) -> None:
    """Numbers beyond its ends mean its ends."""
    first, *rest = answer("read_file", path="src/app.py", **given).split("\n")

    assert first == f'FILE "src/app.py" {title}'
    start, end = title.split(" ")[1].split("-")
    assert len(rest) == int(end) - int(start) + 1


@each_row(
    ("line", "first", "last"),
    [("x", 1, 800), ("x", 801, 1_600), ("x", 1_601, 2_000), ("x" * 8_000, 1, 7), ("x" * 90_000, 1, 7)],
)
def test_a_long_file_is_read_piece_by_piece(line: str, first: int, last: int) -> None:
    """At most 800 lines and 60,000 characters a call, of which the title says the lines; the longest are cut."""
    text = found(FilesTree({"a.js": f"{line}\n" * 2_000}), "read_file", path="a.js", start_line=first)

    title, *rows = text.split("\n")
    numbered = [row for row in rows if not row.startswith("       … ")]
    assert (title, len(numbered)) == (f'FILE "a.js" lines {first}-{last} of 2000', last - first + 1)
    assert len(text) <= 60_000
    assert numbered[0].startswith(f"{first:>6} | x")
    assert text.count("\n       … 89,600 characters left out … xxx") == (7 if len(line) > 8_000 else 0)


def test_an_empty_file_and_text_that_is_not_utf_8_are_files() -> None:
    """Bytes that cannot be read are replaced; carriage returns stay."""
    assert answer("read_file", path="src/empty.py") == 'FILE "src/empty.py" lines 1-0 of 0'
    assert answer("read_file", path="latin.txt") == 'FILE "latin.txt" lines 1-1 of 1\n     1 | café return'
    assert lines_of(TREE.read("src/ж/long name.py")) == ["x = 1\r", "y = 2\r"]


@each_row(
    ("given", "said"),
    [
        ({"path": "src/none.py"}, "there is no text file src/none.py"),
        ({"path": "logo.png"}, "there is no text file logo.png"),
        ({"path": "src"}, "there is no text file src"),
        ({"path": ""}, "there is no text file "),
        ({"path": "../etc/passwd"}, "there is no text file ../etc/passwd"),
        ({"path": "/etc/passwd"}, "there is no text file /etc/passwd"),
        ({"path": "src/../README.md"}, "there is no text file src/../README.md"),
        ({"path": "a\nb\ud800"}, 'there is no text file "a\\nb\\ud800"'),
        ({}, "path must be a text"),
        ({"path": ["src/app.py"]}, "path must be a text"),
        ({"path": "src/app.py", "start_line": 6}, "src/app.py has 5 lines"),
        ({"path": "src/app.py", "start_line": 4, "end_line": 3}, "end_line is before start_line"),
        ({"path": "src/app.py", "end_line": 0}, "end_line is before start_line"),
        ({"path": "src/app.py", "start_line": "2"}, "start_line must be a whole number"),
        ({"path": "src/app.py", "end_line": True}, "end_line must be a whole number"),
    ],
)
def test_an_unreadable_file_is_named_to_the_model(given: dict[str, Any], said: str) -> None:
    """It can then ask better; nothing outside the repository is ever looked at."""
    assert refusal("read_file", **given) == said


def test_a_file_that_is_too_large_is_not_said_to_be_missing() -> None:
    """The tree lists it, and does not give it; what has only newlines is no text that people write."""

    class Huge(FilesTree):
        def paths(self) -> list[str]:
            return [*super().paths(), "huge.txt"]

    tree = Huge({"lines.txt": b"\n" * 400_000})

    assert found(tree, "read_file", path="huge.txt") == "huge.txt is too large to be read"
    assert found(tree, "read_file", path="lines.txt") == "there is no text file lines.txt"


def test_a_search_lists_places_with_their_lines() -> None:
    """Binary files are passed over, files in other encodings are not."""
    assert answer("search", text="return") == (
        'latin.txt:1 | café return\n"odd\\nname.py":1 | return 1 FILE\nsrc/app.py:5 | return os.getcwd()'
    )


@each_row(
    ("given", "found"),
    [
        ({"text": "a.*b"}, "src/app.py:4 | def f(a.*b):"),
        ({"text": ".*"}, "src/app.py:4 | def f(a.*b):"),
        ({"text": "os.get"}, "src/app.py:5 | return os.getcwd()"),
        ({"text": "OS"}, "nowhere"),
        ({"text": "["}, "nowhere"),
        ({"text": "import", "path": "src/app"}, "src/app/view.py:1 | from os import path"),
        ({"text": "import", "path": "src/app.py"}, "src/app.py:1 | import os"),
        ({"text": "Title", "path": "."}, "README.md:1 | # Title"),
        ({"text": "Title", "path": "./README.md"}, "README.md:1 | # Title"),
        ({"text": "Title", "path": "src"}, "nowhere"),
        ({"text": "root", "path": "/etc"}, "nowhere"),
        ({"text": "Title", "path": "../"}, "nowhere"),
        ({"text": "caf\ud800"}, "nowhere"),
        ({"text": "y = 2"}, "src/ж/long name.py:2 | y = 2"),
    ],
)
def test_a_search_is_for_plain_text_below_a_folder(given: dict[str, str], found: str) -> None:
    """No sign of the text has a meaning of its own, and a folder's name is whole."""
    assert answer("search", **given) == found


def test_a_search_ends_after_sixty_places_and_skips_huge_files() -> None:
    """It says that there may be more; each line is shown up to 200 characters. Over a million bytes a file is data."""
    tree = FilesTree({"a.py": f"needle {'x' * 900}\n" * 100, "big.py": "hay\n" * 300_000})

    rows = found(tree, "search", text="needle").split("\n")

    assert len(rows) == 61
    assert rows[0] == f"a.py:1 | needle {'x' * 193}"
    assert rows[-1] == "(the first 60 places)"
    assert found(tree, "search", text="hay") == "nowhere\n(not searched: 1 of the files, each over 1 MB)"


@each_row("text", ["", "  ", "a\nb", None, 7])
def test_a_search_needs_one_line_of_text(text: object) -> None:
    """Everything would be found else, or nothing ever."""
    assert refusal("search", text=text) in {"give one line of text to look for", "text must be a text"}


def test_files_are_listed_by_path() -> None:
    """A path that would break its line is JSON; a folder's name is whole. Five hundred are named."""
    many = FilesTree({f"{number:04}.py": "" for number in range(777)})

    assert answer("list_files", path="src/") == "src/app.py\nsrc/app/view.py\nsrc/empty.py\nsrc/ж/long name.py"
    assert answer("list_files", path="src/app") == "src/app/view.py"
    assert answer("list_files").split("\n")[-1] == "src/ж/long name.py"
    assert '"odd\\nname.py"' in answer("list_files").split("\n")
    assert answer("list_files", path="nowhere") == answer("list_files", path="..") == "none"
    assert found(many, "list_files").split("\n")[499:] == ["0499.py", "(and 277 more)"]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_tool_that_is_offered_can_be_used(tool: Tool) -> None:
    """Its schema takes no argument that it does not know; the model learns that another tool does not exist."""
    required = dict.fromkeys(tool.schema["required"], "src")

    assert use(tool.name, **required).text != refusal("write_file", path="a.py") == "there is no such tool"
    assert tool.schema["additionalProperties"] is False


def test_a_repository_that_is_read_file_by_file_is_not_searched() -> None:
    """A search would fetch every file of a very large repository."""
    tree = FilesTree({"a.py": "needle\n"}, searchable=False)

    said = "the repository is too large to be searched: list and read files instead"
    assert look_up(tree, ToolUse("t1", "search", {"text": "needle"})) == ToolResult("t1", said, is_error=True)
