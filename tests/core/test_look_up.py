"""The read-only tools of the model: what they answer, and what they tell it that they cannot."""

from typing import Any

import pytest

from kodiai.core.model.messages import Tool, ToolResult, ToolUse
from kodiai.core.repository.tree import lines_of
from kodiai.core.repository.view import RepositoryView
from kodiai.flows.model.look_up import look_up
from kodiai.flows.model.look_up_tools import LOOK_UPS
from tests.builders import PARSER, FilesTree
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


def use(tool: str, /, **given: Any) -> ToolResult:
    return look_up(RepositoryView(TREE, PARSER), ToolUse("toolu_1", tool, given))


def found(tree: FilesTree, tool: str, /, **given: Any) -> str:
    return look_up(RepositoryView(tree, PARSER), ToolUse("1", tool, given)).text


def answer(tool: str, /, **given: Any) -> str:
    result = use(tool, **given)
    assert not result.is_error, result
    return result.text


def refusal(tool: str, /, **given: Any) -> str:
    result = use(tool, **given)
    assert result.is_error
    return result.text


@each_row(
    ("given", "first", "last"),
    [
        ({}, 1, 5),
        ({"start_line": 2, "end_line": 3}, 2, 3),
        ({"start_line": 5, "end_line": 900}, 5, 5),
        ({"start_line": -3, "end_line": 1}, 1, 1),
        ({"start_line": None, "end_line": None}, 1, 5),
    ],
)
def test_a_file_is_read_with_its_line_numbers(given: dict[str, int], first: int, last: int) -> None:
    """The title says which lines of how many these are. Numbers beyond its ends mean its ends."""
    rows = ["import os", "", "", "def f(a.*b):", "    return os.getcwd()"]

    assert answer("read_files", files=[{"path": "src/app.py", **given}]).split("\n") == [
        f'FILE "src/app.py" lines {first}-{last} of 5',
        *(f"{number:6} | {rows[number - 1]}" for number in range(first, last + 1)),
    ]


@each_row(
    ("line", "first", "last"),
    [("x", 1, 800), ("x", 801, 1_600), ("x", 1_601, 2_000), ("x" * 8_000, 1, 7), ("x" * 90_000, 1, 7)],
)
def test_a_long_file_is_read_piece_by_piece(line: str, first: int, last: int) -> None:
    """At most 800 lines and 60,000 characters a call, of which the title says the lines; the longest are cut."""
    text = found(FilesTree({"a.js": f"{line}\n" * 2_000}), "read_files", files=[{"path": "a.js", "start_line": first}])

    title, *rows = text.split("\n")
    assert (rows.pop() if last < 2_000 else "") == (
        f'(cut: go on with start_line {last + 1} of "a.js")' if last < 2_000 else ""
    )
    numbered = [row for row in rows if not row.startswith("       … ")]
    assert (title, len(numbered)) == (f'FILE "a.js" lines {first}-{last} of 2000', last - first + 1)
    assert len(text) <= 60_000
    assert numbered[0].startswith(f"{first:>6} | x")
    assert text.count("\n       … 89,600 characters left out … xxx") == (7 if len(line) > 8_000 else 0)


def test_an_empty_file_and_text_that_is_not_utf_8_are_files() -> None:
    """Bytes that cannot be read are replaced; carriage returns stay."""
    assert answer("read_files", files=[{"path": "src/empty.py"}, {"path": "latin.txt"}]) == (
        'FILE "src/empty.py" lines 1-0 of 0\n\nFILE "latin.txt" lines 1-1 of 1\n     1 | café return'
    )
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
        ({"path": "src/app.py", "start_line": 4, "end_line": 3}, "src/app.py: end_line is before start_line"),
        ({"path": "src/app.py", "end_line": 0}, "src/app.py: end_line is before start_line"),
        ({"path": "src/app.py", "start_line": "2"}, "start_line must be a whole number"),
        ({"path": "src/app.py", "end_line": True}, "end_line must be a whole number"),
    ],
)
def test_an_unreadable_file_is_named_to_the_model(given: dict[str, Any], said: str) -> None:
    """It can then ask better; nothing outside the repository is ever looked at."""
    assert refusal("read_files", files=[given]) == said


@each_row(
    ("given", "said"),
    [
        (None, "files must be a list of objects, each with a path"),
        ([], "files must be a list of objects, each with a path"),
        (["src/app.py"], "files must be a list of objects, each with a path"),
        ([{"path": "a.py"}, {"path": "b.py"}], "there is no text file a.py\n\nthere is no text file b.py"),
        ([{"path": "src/app.py"}] * 41, "read at most 40 ranges a call"),
    ],
)
def test_a_list_that_cannot_be_read_is_refused(given: Any, said: str) -> None:
    """Only what nothing can be read of is an error."""
    assert refusal("read_files", files=given) == said


def test_ranges_share_the_room_of_a_call_and_each_says_where_it_was_cut() -> None:
    """What a short one leaves goes to the others; a file that is not there takes nothing from them."""
    tree = FilesTree({"a.py": "a\n" * 3_000, "b.py": "b\n" * 100, "wide.py": f"{'w' * 1_000}\n" * 90})
    files = [
        {"path": "a.py", "start_line": 11},
        {"path": "b.py"},
        {"path": "no.py"},
        {"path": "a.py", "end_line": 2_000},
    ]

    parts = found(tree, "read_files", files=files).split("\n\n")
    wide = found(tree, "read_files", files=[{"path": "wide.py"}, {"path": "b.py"}]).split("\n\n")

    assert [each.split("\n")[0] for each in parts] == [
        'FILE "a.py" lines 11-360 of 3000',
        'FILE "b.py" lines 1-100 of 100',
        "there is no text file no.py",
        'FILE "a.py" lines 1-350 of 3000',
    ]
    assert [each.split("\n")[-1] for each in parts] == [
        '(cut: go on with start_line 361 of "a.py")',
        "   100 | b",
        "there is no text file no.py",
        '(cut: go on with start_line 351 of "a.py")',
    ]
    assert [each.split("\n")[0] for each in wide] == [
        'FILE "wide.py" lines 1-57 of 90',
        'FILE "b.py" lines 1-100 of 100',
    ]


def test_a_file_that_is_too_large_is_not_said_to_be_missing() -> None:
    """The tree lists it, and does not give it; what has only newlines is no text that people write."""

    class Huge(FilesTree):
        def paths(self) -> list[str]:
            return [*super().paths(), "huge.txt"]

    tree = Huge({"lines.txt": b"\n" * 400_000})

    assert found(tree, "read_files", files=[{"path": "huge.txt"}]) == "huge.txt is too large to be read"
    assert found(tree, "read_files", files=[{"path": "lines.txt"}]) == "there is no text file lines.txt"


def test_hits_are_listed_with_their_lines_and_the_definition_around() -> None:
    """Code comes before prose and data. Binary files are passed over, files in other encodings are not."""
    assert answer("find", text="return") == (
        'find text "return": 3 lines of 3 files, page 1 of 1\n'
        '"odd\\nname.py":1 | return 1 FILE\nsrc/app.py:5 in f | return os.getcwd()\nlatin.txt:1 | café return'
    )


@each_row(
    ("given", "hits"),
    [
        ({"text": "a.*b"}, "src/app.py:4 in f | def f(a.*b):"),
        ({"text": "os.get"}, "src/app.py:5 in f | return os.getcwd()"),
        ({"text": "OS"}, ""),
        ({"text": "["}, ""),
        ({"text": "import", "path": "src/app"}, "src/app/view.py:1 | from os import path"),
        ({"text": "import", "path": "src/app.py"}, "src/app.py:1 | import os"),
        ({"text": "Title", "path": "."}, "README.md:1 | # Title"),
        ({"text": "Title", "path": "./README.md"}, "README.md:1 | # Title"),
        ({"text": "Title", "path": "src"}, ""),
        ({"text": "caf\ud800"}, ""),
        ({"text": "y = 2", "whole_words": None}, "src/ж/long name.py:2 | y = 2"),
        ({"text": "y = ", "whole_words": True}, ""),
        ({"text": "cwd", "whole_words": True}, ""),
        ({"text": "os.getcwd()", "whole_words": True}, "src/app.py:5 in f | return os.getcwd()"),
        ({"pattern": "^import|o[s]$", "path": "src"}, "src/app.py:1 | import os"),
        ({"pattern": "(?i)TITLE$"}, "README.md:1 | # Title"),
        ({"pattern": "y = 2$"}, "src/ж/long name.py:2 | y = 2"),
        ({"pattern": "caf.", "whole_words": False}, "latin.txt:1 | café return"),
        ({"pattern": r"os\s+def"}, ""),
        (
            {"pattern": "get|cwd|o.", "whole_words": True, "path": "src/app.py"},
            "src/app.py:1 | import os\nsrc/app.py:5 in f | return os.getcwd()",
        ),
        ({"pattern": "^$", "path": "src/app.py"}, "src/app.py:2 | \nsrc/app.py:3 | "),
        ({"pattern": "é|ж"}, "latin.txt:1 | café return"),
    ],
)
def test_a_text_has_no_signs_and_a_pattern_is_matched_line_by_line(given: dict[str, Any], hits: str) -> None:
    """A folder's name is whole, and so is a word where whole words are asked for. Each line is one hit."""
    title, *rows = answer("find", **given).split("\n")

    assert "\n".join(rows) == hits
    assert title.endswith("page 1 of 1" if hits else "file" if "path" in given and given["path"] != "src" else "files")


@each_row(
    ("given", "said"),
    [
        ({}, "give either a text or a pattern, on one line"),
        ({"text": "a", "pattern": "a"}, "give either a text or a pattern, on one line"),
        ({"text": "  "}, "give either a text or a pattern, on one line"),
        ({"pattern": "a\nb"}, "give either a text or a pattern, on one line"),
        ({"text": 7}, "text must be a text"),
        ({"text": "a", "whole_words": "yes"}, "whole_words must be true or false"),
        ({"text": "a", "path": "../"}, "there are no files at ../"),
        ({"text": "root", "path": "/etc/shadow"}, "there are no files at /etc/shadow"),
        ({"text": "return", "page": 2}, "there is no page 2: the pages are 1 to 1"),
        ({"text": "return", "page": 0}, "there is no page 0: the pages are 1 to 1"),
        ({"pattern": "a("}, "this is no pattern of RE2: missing ): (?m)a("),
        ({"pattern": r"(a)\1"}, r"this is no pattern of RE2: invalid escape sequence: \1"),
        ({"pattern": "(?=a)"}, "this is no pattern of RE2: invalid perl operator: (?="),
        ({"pattern": "a{1001}"}, "this is no pattern of RE2: invalid repetition size: {1001}"),
        ({"pattern": r"\pL{900}\pL{900}"}, "this is no pattern of RE2: pattern too large - compile failed"),
        ({"pattern": "a" * 501}, "a pattern has at most 500 characters"),
        ({"pattern": "\ud800"}, "this is no pattern of RE2: it has a surrogate"),
    ],
)
def test_what_cannot_be_found_is_said(given: dict[str, Any], said: str) -> None:
    """Everything would be found else, or nothing ever."""
    assert refusal("find", **given) == said


def test_a_hostile_pattern_takes_the_time_of_its_text() -> None:
    """An engine that tries every way would never end."""
    tree = FilesTree({"a.py": "x" * 900_000})

    assert found(tree, "find", pattern="(x+x+)+y").endswith("nowhere in 1 file")


def test_hits_have_pages_of_sixty_and_huge_files_are_counted() -> None:
    """Each line is shown up to 200 characters, and the cut is marked. Over a million bytes a file is data."""
    tree = FilesTree({"a.py": f"needle {'x' * 900}\n" * 100, "big.py": "hay\n" * 300_000})

    first, last = (found(tree, "find", text="needle", page=page).split("\n") for page in (1, 2))

    assert (len(first), len(last)) == (62, 42)
    assert first[:2] == ['find text "needle": 100 lines of 1 file, page 1 of 2', f"a.py:1 | needle {'x' * 193}…"]
    assert (last[1][:8], last[-1]) == ("a.py:61 ", "(not searched: 1 file, each over 1 MB: big.py)")
    assert found(tree, "find", text="hay").split("\n")[0] == 'find text "hay": nowhere in 1 file'


SHOP = {
    "shop/orders.py": "LIMIT = 7\n\n\nclass Orders:\n    @cached\n    def total(self):\n        total_of(LIMIT)\n",
    "shop/sums.py": 'def total_of(x):\n    """Give total_of."""\n    # total_of\n    return x\n',
    "bank/sums.py": "from shop.orders import LIMIT\n\n\ndef total_of(y):\n    return y\n",
    "web/sums.ts": "export function total_of(z: number) { return z }\n",
    "web/page.vue": "total_of(1)\n",
    "till.kt": "fun ring(x: Int) {\n    total_of(x)\n}\n",
    "README.md": "Call total_of.\n",
}
USER = {"shop/user.py": "from .sums import total_of\n\n\ndef use():\n    LIMIT = 8\n    return total_of(LIMIT)\n"}


def test_a_definition_comes_with_its_code_the_imported_one_first() -> None:
    """Only files of the asking file's language count; what imports name is nearest."""
    text = found(FilesTree(SHOP | USER), "find_definition", name="sums.total_of", path="shop/user.py")

    assert text == (
        'find_definition "total_of" for shop/user.py: 2 definitions\n'
        'FILE "shop/sums.py" lines 1-4 of 4\n'
        "     1 | def total_of(x):\n"
        '     2 |     """Give total_of."""\n'
        "     3 |     # total_of\n"
        "     4 |     return x\n"
        'FILE "bank/sums.py" lines 4-5 of 5\n'
        "     4 | def total_of(y):\n"
        "     5 |     return y"
    )


@each_row(
    ("given", "rows"),
    [
        ({"name": "total_of"}, ["3 definitions", 'FILE "bank/', 'FILE "shop/', 'FILE "web/']),
        # Neither an import nor a function binds it for others.
        ({"name": "LIMIT", "path": "bank/sums.py"}, ["1 definition", 'FILE "shop/orders.py" lines 1-7 of 7']),
        (
            {"name": "ring"},
            ["1 definition", 'FILE "till.kt" lines 1-3 of 3', "(no grammar reads these, so it is guessed: till.kt)"],
        ),
        ({"name": "Call"}, ["none is known, and 0 lines of 0 files have it as a word"]),
        ({"name": "x"}, ["none is known, and 4 lines of 2 files have it as a word"]),
    ],
)
def test_the_definitions_of_a_name_are_found_by_grammar(given: dict[str, Any], rows: list[str]) -> None:
    """Of what no file defines, the lines that bind it; a grammar that is missing, and a name without any, are said."""
    text = found(FilesTree(SHOP | USER), "find_definition", **given)

    own = [row for row in text.split("\n") if not row.startswith("   ")]
    assert [row.partition(": ")[2] if at == 0 else row[: len(rows[at])] for at, row in enumerate(own)] == rows


def test_many_definitions_are_only_listed_and_long_ones_are_cut() -> None:
    """The asking file's own one is shown all the same. A line names the definition, not what decorates it."""
    methods = {f"m{n}.py": f"class C{n}:\n    @cached\n    def get(self):\n        return {n}\n" for n in range(7)}
    tree = FilesTree(methods | {"long.py": "def long():\n" + "    x()\n" * 99})

    listed = found(tree, "find_definition", name="get").split("\n")
    own = found(tree, "find_definition", name="get", path="m3.py").split("\n")

    assert listed == [
        'find_definition "get": 7 definitions',
        *(f"m{n}.py:3 in C{n}.get | def get(self):" for n in range(7)),
    ]
    assert (own[1], len(own)) == ('FILE "m3.py" lines 2-4 of 4', 11)
    for imported, shown in ((2, ["user.py", "m0.py", "m1.py"]), (7, ["user.py"])):
        user = "".join(f"from m{n} import C{n}\n" for n in range(imported)) + methods["m0.py"]
        of_user = found(FilesTree(methods | {"user.py": user}), "find_definition", name="get", path="user.py")
        assert [row.split('"')[1] for row in of_user.split("\n") if row.startswith("FILE")] == shown
    assert found(tree, "find_definition", name="long").split("\n")[-1] == '(cut: go on with start_line 61 of "long.py")'


def test_uses_are_names_and_what_is_none_is_counted() -> None:
    """Of other languages only the count is given; a file that no grammar reads has words."""
    tree = FilesTree(SHOP | USER)

    assert found(tree, "find_uses", name="total_of", path="shop/sums.py") == (
        'find_uses "total_of" of shop/sums.py: 7 lines of 4 files, page 1 of 1\n'
        "shop/sums.py:1 in total_of | def total_of(x):\n"
        "shop/orders.py:7 in Orders.total | total_of(LIMIT)\n"
        "shop/user.py:1 | from .sums import total_of\n"
        "shop/user.py:6 in use | return total_of(LIMIT)\n"
        "bank/sums.py:4 in total_of | def total_of(y):\n"
        "(no name, as in a comment or a string: shop/sums.py:2,3)\n"
        "(in other languages: 4 lines of 4 files)"
    )
    assert found(tree, "find_uses", name="total_of", path="web/sums.ts").split("\n")[1:] == [
        "web/sums.ts:1 in total_of | export function total_of(z: number) { return z }",
        "web/page.vue:1 | total_of(1)",
        "(in other languages: 9 lines of 6 files)",
        "(no grammar reads these, so it is guessed: web/page.vue)",
    ]
    assert found(tree, "find_uses", name="nobody") == 'find_uses "nobody": nowhere in 8 files'


MANY = {"m.py": "".join(f"class C{n}:\n    def get(self): ...\n" for n in range(70))}
USERS, OWNERS = ({f"u{n:02}.py": text for n in range(45)} for text in ("get()\n", "def get(): ...\n"))
NOTES = {f"c{n:02}.py": "# get\n" for n in range(22)}
FEW = ", ".join(f"{path}:1" for path in [*NOTES][:20])
BIG = {"big.py": "get\n" * 300_000}
LARGE = dict.fromkeys(["a.png", "b.json", "c.json", "d.json", "e.json"], "get\n" * 300_000)
LONG = f"describe('{'d' * 99}', () => {{ it('{'i' * 99}', () => {{ run() }}) }})\n"
GET = {"name": "get"}


@each_row(
    ("files", "tool", "given", "row"),
    [
        (MANY, "find_definition", GET, "(and 10 more)"),
        (USERS, "find_definition", GET, "(not looked through: 5 more files with the word)"),
        # Those that may define it are parsed first.
        (USERS | {"z.py": "def get(): ...\n"}, "find_definition", GET, 'find_definition "get": at least 1 definition'),
        (OWNERS, "find_definition", GET, 'find_definition "get": at least 40 definitions'),
        (BIG, "find_definition", GET, "(not searched: 1 file, each over 1 MB: big.py)"),
        (LARGE, "find", {"text": "get"}, "(not searched: 5 files, each over 1 MB: b.json, c.json, d.json and 2 more)"),
        (BIG, "find_uses", GET, "(not searched: 1 file, each over 1 MB: big.py)"),
        (NOTES, "find_uses", GET, f"(no name, as in a comment or a string: {FEW} and 2 more)"),
        ({"t.js": LONG}, "find", {"text": "run"}, f"t.js:1 in {'d' * 99}.{'i' * 20}… | {LONG[:200]}…"),
        (SHOP, "find", {"text": "total_of", "path": "till.kt"}, "till.kt:2 | total_of(x)"),
        ({"lines.txt": "\n" * 400_000}, "find", {"pattern": "^$"}, 'find pattern "^$": nowhere in 1 file'),
    ],
)
def test_what_is_left_out_is_said(files: dict[str, str], tool: str, given: dict[str, Any], row: str) -> None:
    """A count, or a part with its mark, stands where not all is shown. Where no grammar reads, nothing is around."""
    assert row in found(FilesTree(files), tool, **given).split("\n")


@each_row("name", ["", "two words", "Orders.", None])
def test_a_name_is_one_word(name: object) -> None:
    """Without what it belongs to."""
    assert refusal("find_uses", name=name) in ("name must be one name", "name must be a text")
    assert refusal("find_definition", name="f", path="gone.py") == "there is no text file gone.py"


def test_files_are_listed_by_path() -> None:
    """A path that would break its line is JSON; a folder's name is whole. Five hundred are named."""
    many = FilesTree({f"{number:04}.py": "" for number in range(777)})

    assert answer("list_files", path="src/") == "src/app.py\nsrc/app/view.py\nsrc/empty.py\nsrc/ж/long name.py"
    assert answer("list_files", path="src/app") == "src/app/view.py"
    assert answer("list_files").split("\n")[-1] == "src/ж/long name.py"
    assert '"odd\\nname.py"' in answer("list_files").split("\n")
    assert answer("list_files", path="nowhere") == answer("list_files", path="..") == "none"
    assert found(many, "list_files").split("\n")[499:] == ["0499.py", "(page 1 of 2, 777 files)"]
    assert found(many, "list_files", page=2).split("\n")[:1] == ["0500.py"]
    assert found(many, "list_files", page=3) == "there is no page 3: the pages are 1 to 2"


@pytest.mark.parametrize("tool", LOOK_UPS, ids=lambda tool: tool.name)
def test_every_tool_that_is_offered_can_be_used(tool: Tool) -> None:
    """Its schema takes no argument that it does not know; the model learns that another tool does not exist."""
    assert use(tool.name).text != refusal("write_file", path="a.py") == "there is no such tool"
    assert tool.schema["additionalProperties"] is False


def test_of_a_repository_that_is_read_file_by_file_only_few_files_are_searched() -> None:
    """A search would fetch every file of a very large repository. What a file imports is looked through."""
    tree = FilesTree({**{f"{n}.py": "needle\n" for n in range(21)}, **SHOP, **USER}, searchable=False)

    said = "the repository is too large to be searched: list and read files instead"
    for name in ("find", "find_uses", "find_definition"):
        given = {"text": "needle"} if name == "find" else {"name": "needle"}
        view = RepositoryView(tree, PARSER)
        assert look_up(view, ToolUse("t1", name, given)) == ToolResult("t1", said, is_error=True)
    assert found(tree, "find", text="needle", path="1.py").split("\n")[1:] == ["1.py:1 | needle"]
    assert found(tree, "find_definition", name="total_of", path="shop/user.py").split("\n")[1] == (
        'FILE "shop/sums.py" lines 1-4 of 4'
    )
