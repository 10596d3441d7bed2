"""Whether a replacement can be offered for one click."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.findings.suggestion import Offer, offer
from tests.builders import PARSER, a_finding
from tests.tables import each_row

OTHERS, INDENTATION = "its lines are not those of the finding", "its indentation differs from the code's"
RETURNS = {"quote": "return x", "start_line": 4}
LINES = ["def f():", "    x = 1", "", "    return x", "    y = 1\r"]


@each_row(
    ("given", "lines", "expected"),
    [
        ({"quote": "import os"}, ["import os"], Offer()),  # nothing to count without a replacement
        ({"quote": "x = 1\nreturn x", "start_line": 2, "end_line": 4, "replacement": "    y"}, LINES, Offer("    y\n")),
        # A replacement with lines of its own is for more than what is quoted, or for a part of it, but not for others.
        ({**RETURNS, "replaces": (2, 4), "replacement": "    return 1"}, LINES, Offer("    return 1\n")),
        ({**RETURNS, "replaces": (2, 2), "replacement": "    x = 2"}, LINES, Offer(refused=OTHERS)),
        (
            {**RETURNS, "replaces": (4, 6), "replacement": "    y"},
            LINES,
            Offer(refused="its lines are not in the file"),
        ),
        ({**RETURNS, "replaces": (2, 4), "replacement": "x = 2"}, LINES, Offer(refused=INDENTATION)),
        ({**RETURNS, "end_line": 5, "replaces": (5, 5), "replacement": "    y = 2"}, LINES, Offer("    y = 2\n")),
        ({"category": "documentation", "quote": "# tow", "replacement": "# two"}, ["# tow"], Offer("# two\n")),
        ({"category": "style", "quote": "x = 'a'", "replacement": 'x = "a"'}, ["x = 'a'"], Offer('x = "a"\n')),
    ],
)
def test_a_replacement_is_held_against_what_its_finding_is_about(
    given: dict[str, Any], lines: list[str], expected: Offer
) -> None:
    """White space in the quote does not matter; comments and format may change where a finding is about them."""
    assert offer(a_finding(**{"start_line": 1, **given}), lines, PARSER) == expected


PYTHON = """\
import os


def read(path, names=None):
    with open(path) as file:
        rows = file.read().split()
    for row in rows:
        if row in names:
            yield row
    return None


def write(path, rows):
    for row in rows:
        print(row)
""".split("\n")[:-1]
GO = """\
package shop

func Total(values []int) int {
\ttotal := 0
\tfor _, value := range values {
\t\ttotal += value
\t}
\treturn total
}
""".split("\n")[:-1]
TS = """\
export function load(id: string): Item {
  const found = items.get(id);
  if (!found) {
    throw new Error("no item");
  }
  return found;
}

export const limits = {
  least: 1,
  most: 10,
};
""".split("\n")[:-1]
YAML = """\
on: push
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: make test
    tag: !custom &one {a: 1}
---
again: *two
""".replace("again: *two", "again: 1").split("\n")[:-1]
JSON = """\
{
  "name": "shop",
  "files": [
    "index.js"
  ]
}
""".split("\n")[:-1]
TOML = ["[project]", 'name = "shop"', "dependencies = [", '    "yaml",', "]"]
MARKDOWN = ["# Shop", "", "It sells thinsg.", "", "- one", "- two"]
BASH = ["set -e", "if [ -f a ]; then", "  rm $file", "fi"]
CSS = ["a {", "  color: red;", "}"]
FILES = {
    "a.py": PYTHON,
    "a.go": GO,
    "a.ts": TS,
    "a.yml": YAML,
    "a.json": JSON,
    "a.toml": TOML,
    "a.md": MARKDOWN,
    "a.sh": BASH,
    "a.css": CSS,
    "crlf.py": LINES,
    "bad.py": ["def f(:", "    x = 1"],
    "old.c": ["void f() {", "  each(a, b) {", "#if ONE", "    if (b)", "    a();", "#endif", "  }", "}"],
    "deep.c": ["int a;", "(" * 2_000],
    "commented.json": ["{", '  "a": "//", // why', '  "b": [2]', "}"],
    "commas.jsonc": ["{", '  "a": 1, /* "', '  */ "b": 2,', "}"],
    "bad.json": ["{", '  "a": 1,, ', '  "b": 2', "}"],
}
AT_ENDS = "it changes only white space at the ends of lines"
SPACES = "it changes only white space"
AFTER = "it repeats the line below it"
HIDDEN = "it has an invisible character, or one that turns the direction of the text in it"
EMPTY = "it would empty the file"
COMMENTS = "it would leave only comments in the file"
ORDER = "another bot could take a line of it for a command"
BREAKS = "the file would not parse with it"
TEXT = "it makes a text of a list or a mapping"
NESTS = "it puts a definition into one of the same name"


def offered_in(path: str, start: int, end: int, replacement: str, quote: str | None = None) -> Offer:
    lines = FILES[path]
    code = "\n".join(lines[start - 1 : end]) if quote is None else quote
    return offer(
        a_finding(path=path, start_line=start, end_line=end, quote=code, replacement=replacement), lines, PARSER
    )


@each_row(
    ("path", "start", "end", "replacement", "refused"),
    [
        ("a.py", 5, 6, "    with open(path) as file:\n    rows = file.read().split()", BREAKS),
        ("a.py", 6, 6, "        rows = file.read()\n    rows = rows.split()\n  rows.sort()", INDENTATION),
        ("a.py", 9, 9, "yield row", INDENTATION),
        ("a.py", 8, 8, "        Check that names is not None before it is used.", BREAKS),
        ("a.py", 7, 7, "    for row in rows:\n        if row in names:", AFTER),
        ("a.py", 7, 7, f"    for row in sorted(rows):\n        if row in names:\n{' ' * 12}yield row", AFTER),
        ("a.py", 14, 14, "    def write(path, rows):\n        print(rows)\n    for row in rows:", NESTS),
        ("a.py", 9, 9, "            if row:\n\t\t\t    yield row", INDENTATION),
        ("a.py", 1, 1, "+import os, sys", "it has diff markers in it"),
        ("a.py", 9, 9, "            ...", "it has an ellipsis in it"),
        ("a.py", 5, 6, "    with open(path, 'rb') as file:\n        # ...", "it has an ellipsis in it"),
        ("a.py", 9, 9, "            yield … 8,123 characters left out … row", "it has an ellipsis in it"),
        ("a.py", 1, 1, "1 | os.name", "it has line numbers in it"),
        ("a.py", 1, 1, "```python\nimport sys\n```", "it has a fence in it"),
        ("a.go", 5, 7, "\tfor _, value := range values {\n\t\ttotal += value", BREAKS),
        ("a.ts", 3, 5, "  if (!found) {\n    return undefined;", BREAKS),
        ("a.ts", 2, 2, "  function load(id: A): B {\n    return items.get(id);\n  }\n  const found = load(id);", NESTS),
        ("a.ts", 10, 10, "  10 |   least: 2,", "it has line numbers in it"),
        ("a.yml", 7, 7, "      - run: make test\n        env: {A: 1", BREAKS),
        ("a.yml", 4, 4, "    runs-on: ubuntu-24.04\n    steps:\n      - run: a", BREAKS),
        ("a.yml", 7, 7, "      - Run the tests.", TEXT),
        ("a.yml", 6, 7, "      Run the tests.", TEXT),
        ("a.json", 4, 4, '    "index.js",', BREAKS),
        ("a.json", 2, 2, '  "name": "shop",\n  "files": [],', BREAKS),
        ("a.toml", 4, 4, '    "yaml"\n    "toml",', BREAKS),
        ("a.toml", 2, 2, 'name = "shop"\nname = "store"', BREAKS),
        ("a.md", 3, 3, "```\nIt sells things.\n```", "it has a fence in it"),
        ("a.md", 3, 3, "It sells things.\n- one", "it has diff markers in it"),
        ("a.md", 1, 6, "", EMPTY),
        ("a.py", 1, 15, "\n", EMPTY),
        ("a.sh", 1, 4, "# set -e\n# rm", COMMENTS),
        ("a.py", 1, 15, '"""Reads rows."""\npass', COMMENTS),
        ("a.toml", 1, 5, "# no project", COMMENTS),
        ("a.yml", 1, 10, "# on: push", COMMENTS),
        ("a.md", 3, 3, "<<<<<<< HEAD\nIt sells things.\n>>>>>>> main", "it has a conflict marker in it"),
        ("a.md", 3, 3, "It sells things.\n@dependabot merge", ORDER),
        ("a.md", 3, 3, "  /lgtm", ORDER),
        ("a.md", 5, 5, "recheck", ORDER),
        ("a.py", 10, 10, '    return """\n    bors r+\n    """', ORDER),
        ("a.py", 5, 5, '    """\n    @dependabot merge\n    """\n    with open(path) as file:', ORDER),
        ("a.go", 4, 4, "\t/*\n\tretest this please\n\t*/\n\ttotal := 0", ORDER),
        ("a.ts", 4, 4, "    throw new Error(`\n    bors r+\n    `);", ORDER),
        ("a.sh", 3, 3, "  cat <<-END\n  bors r+\n  END", ORDER),
        ("a.yml", 7, 7, "      - run: |\n          @dependabot merge", ORDER),
        ("a.sh", 3, 3, '  rm "$file', BREAKS),
        ("a.css", 2, 2, "  color: blue;", "nothing can check this language"),
        ("bad.py", 2, 2, "    x = 2", BREAKS),
        ("old.c", 5, 5, "    a(b;", BREAKS),
        ("old.c", 5, 5, "    /*\n    bors r+\n    */\n    a(b);", ORDER),
        ("deep.c", 1, 1, "int b;", "the file does not parse as it is"),
        ("bad.json", 3, 3, '  "b": 3', "the file does not parse as it is"),
        ("a.json", 4, 4, '    "index.js" // why', BREAKS),
        ("commented.json", 3, 3, '  "b": [2,]', BREAKS),
        ("commented.json", 3, 3, '  "b": [2', BREAKS),
        ("commas.jsonc", 3, 3, '  */ "b": [,],', BREAKS),
        ("commented.json", 3, 3, '  "b": [2] /* why', BREAKS),
    ],
)
def test_a_replacement_that_would_break_the_file_is_refused(
    path: str, start: int, end: int, replacement: str, refused: str
) -> None:
    """People read the reason."""
    assert offered_in(path, start, end, replacement) == Offer(refused=refused)


@each_row(
    ("path", "start", "end", "replacement"),
    [
        ("a.py", 8, 8, "        if names is None or row in names:"),
        ("a.py", 5, 6, "    with open(path, encoding='utf-8') as file:\n        rows = file.read().split()\n"),
        ("a.py", 7, 9, "    yield from (row for row in rows if row in names)"),
        ("a.py", 1, 1, ""),
        ("a.py", 13, 15, "def write(path, rows):\n    with open(path, 'w') as file:\n        file.writelines(rows)"),
        ("a.py", 4, 4, "def read(path, names=()):\n    names = set(names)"),
        ("a.go", 6, 6, "\t\tif value > 0 {\n\t\t\ttotal += value\n\t\t}"),
        ("a.go", 3, 4, "func Total(values []int) int64 {\n\tvar total int64"),
        ("a.ts", 3, 5, '  if (found === undefined) {\n    throw new Error("no item");\n  }'),
        ("a.ts", 10, 11, "  least: 0,\n  most: 10,\n  step: 2,"),
        ("a.ts", 4, 4, "    return {\n      ...nothing,\n      id,\n    };"),
        ("a.yml", 4, 4, "    runs-on: ubuntu-24.04\n    timeout-minutes: 10"),
        ("a.yml", 7, 7, "      - run: make test\n      - run: make test"),
        ("a.yml", 1, 1, "on: [push, pull_request]"),
        ("a.json", 4, 4, '    "index.js",\n    "diagnostics.js"'),
        ("a.toml", 4, 4, '    "yaml>=6",\n    "tomli",'),
        ("a.md", 3, 3, "It sells things."),
        ("a.md", 5, 6, "- one\n- two\n- three"),
        ("a.sh", 3, 3, '  rm -- "$file"'),
        ("a.py", 8, 9, "        if row is None:\n            break\n        elif row in names:\n            yield row"),
        ("a.py", 4, 4, "@cached\ndef read(path, names=()):"),
        ("a.py", 10, 10, "    # bors r+\n    return rows"),
        ("a.go", 8, 8, "\tvalues = nil\n\treturn total"),
        ("a.sh", 3, 3, "  rm -- file\n  exit"),
        ("a.yml", 7, 7, "      - run: |\n          make test"),
        ("crlf.py", 2, 2, "    x = 2\r\n    y = 3\r\n"),
        ("crlf.py", 2, 4, "    return 1"),
        ("crlf.py", 2, 2, "    x = 2\n\n"),
        ("crlf.py", 1, 2, "def g():\n    y = 2"),
        ("crlf.py", 5, 5, "    y = 2"),
        ("old.c", 5, 5, "    a(b);"),
        ("old.c", 2, 2, "  each(a, c) {"),
        ("commented.json", 3, 3, '  "b": [3], // "\n  "c": ",]"'),
        ("commas.jsonc", 3, 3, '  */ "b": [3,],'),
    ],
)
def test_a_replacement_that_keeps_the_file_whole_is_offered(path: str, start: int, end: int, replacement: str) -> None:
    """The text is unchanged, with a newline at the end of every line; no text at all takes the lines away."""
    text = replacement.replace("\r\n", "\n").removesuffix("\n")

    assert offered_in(path, start, end, replacement) == Offer(text=f"{text}\n" if text else "")


@each_row(
    ("path", "start", "end", "quote", "replacement", "refused"),
    [
        ("a.py", 8, 8, "if row in", "        if row:", OTHERS),
        ("a.py", 8, 9, "        if row in names:", "        if row:", OTHERS),
        ("a.py", 8, 8, "        if row in names:\n            yield row", "        if row:", OTHERS),
        ("a.py", 8, 8, "if row in names:", "        if row in names:", "it changes nothing"),
        ("crlf.py", 5, 5, "    y = 1\r", "    y = 1\r\n", "it changes nothing"),
        ("a.py", 8, 8, "if row in names:", "        if row in names:  ", AT_ENDS),
        ("a.md", 3, 3, "It sells thinsg.", "It sells thinsg.   ", AT_ENDS),
        ("a.yml", 4, 4, "runs-on: ubuntu-latest", "    runs-on: ubuntu-latest\t", AT_ENDS),
        ("a.py", 8, 9, "if row in names:\nyield row", "        if row  in names:\n\n            yield row", SPACES),
        ("a.go", 4, 4, "total := 0", "\ttotal  := 0", SPACES),
        ("a.py", 10, 10, "return None", "    return (None)", "it changes no code"),
        ("a.ts", 4, 4, 'throw new Error("no item");', "    throw new Error('no item')  // no", "it changes no code"),
        ("crlf.py", 2, 2, "    x = 1", "    x = 1\r    y = 2", HIDDEN),
        ("crlf.py", 2, 2, "    x = 1", "\n    x = 2", INDENTATION),
        ("crlf.py", 2, 2, "    x = 1", "\tx = 2", INDENTATION),
        ("a.py", 0, 1, "import os", "import sys", "its lines are not in the file"),
    ],
)
def test_only_the_quoted_lines_are_changed(
    path: str, start: int, end: int, quote: str, replacement: str, refused: str
) -> None:
    """Code and comments that nobody quoted stay."""
    assert offered_in(path, start, end, replacement, quote) == Offer(refused=refused)


@each_row(
    ("before", "replacement", "after", "refused"),
    [
        (["- a", "- b"], "- a\n- b", ["- c"], "it repeats the line above it"),
        (["- a"], "- b\n- x\n- c\n- d", ["", "- c", "- d", "- e"], AFTER),
        (["- a"], "- b\n- d\n- c", ["- c "], AFTER),
    ],
)
def test_lines_that_stood_twice_before_may_stand_twice(
    before: list[str], replacement: str, after: list[str], refused: str | None
) -> None:
    """Any number of lines counts, blank ones aside; those without a letter or a digit do not."""
    lines = [*before, "- x", *after]
    at = len(before) + 1
    finding = a_finding(path="a.md", start_line=at, end_line=at, quote="- x", replacement=replacement)

    assert offer(finding, lines, PARSER).refused == refused


@each_row(
    ("path", "lines"),
    [
        ("a.json", ["[" * 100_000]),
        ("a.json", ["[" * 100_000 + "]" * 100_000]),
        ("a.json", ["1" * 5_000]),
        ("a.toml", ["a = " + "[" * 100_000 + "]" * 100_000]),
        ("a.yml", ["[" * 5_000 + "]" * 5_000]),
        ("a.yml", ["a: &a [x]", *(f"{chr(at + 1)}: &{chr(at + 1)} [*{chr(at)}, *{chr(at)}]" for at in range(97, 121))]),
        ("a.yml", ["a: !!python/object/apply:os.system [exit]"]),
        ("a.yml", ["a: *nowhere"]),
        ("a.yml", ["a: !x!y 1"]),
        ("a.yml", ["a: \0"]),
        ("a.yml", ["a: 1"] * 50_000),
        ("a.py", ["(" * 100_000]),
        ("a.py", ["x = " + "-" * 50_000 + "1"]),
        ("a.py", ["print('\\d')"]),
        ("a.js", ["(" * 100_000]),
    ],
)
def test_a_hostile_file_ends_in_an_answer(path: str, lines: list[str]) -> None:
    """Nothing is built, nothing recurses without end, and no warning is raised."""
    finding = a_finding(path=path, start_line=1, end_line=1, quote=lines[0], replacement="b: 2")

    answer = offer(finding, lines, PARSER)

    assert (answer.text is None) != (answer.refused is None)


_LINE = st.sampled_from(["", "a", "  a", "\ta = 1", "b\r"])


@given(lines=st.lists(_LINE, min_size=1, max_size=4), replacement=st.lists(_LINE, max_size=4).map("\n".join))
def test_an_offer_changes_the_lines_and_nothing_else(lines: list[str], replacement: str) -> None:
    """It is the replacement's lines, each ended, and never what is there already."""
    finding = a_finding(start_line=1, end_line=len(lines), quote="\n".join(lines), replacement=replacement)

    text = offer(finding, lines, PARSER).text

    if text is not None:
        assert text == "" or text.endswith("\n")
        assert text.split("\n")[:-1] != [line.removesuffix("\r") for line in lines]
        assert text.removesuffix("\n") == replacement.replace("\r\n", "\n").removesuffix("\n")


@given(
    offered_lines=st.lists(st.sampled_from(["a.", "b.", "}", ""]), max_size=7),
    replaced=st.lists(st.sampled_from(["a.", "b.", "}"]), min_size=1, max_size=5),
    after=st.lists(st.sampled_from(["a.", "b.", "}", ""]), max_size=7),
)
def test_lines_that_follow_are_repeated_where_any_number_of_them_is(
    offered_lines: list[str], replaced: list[str], after: list[str]
) -> None:
    """A bracket alone is no repetition, nor is what the replaced lines repeated already."""
    finding = a_finding(
        path="notes.md",
        start_line=1,
        end_line=len(replaced),
        quote="\n".join(replaced),
        replacement="\n".join(offered_lines) if offered_lines else "",
    )

    refused = offer(finding, [*replaced, *after], PARSER).refused

    new, near = ([line for line in lines if line] for lines in (offered_lines, after))
    repeats = any(
        new[-count:] == near[:count] and replaced[-count:] != near[:count] and {*near[:count]} != {"}"}
        for count in range(1, min(len(new), len(near)) + 1)
    )
    if not {*new, *near}:
        assert refused == EMPTY
        return
    assert refused in ("it changes nothing", "it repeats the line below it" if repeats else None)
