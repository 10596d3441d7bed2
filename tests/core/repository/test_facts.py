"""Notes of the program about the code that a finding quotes."""

from collections.abc import Collection, Mapping, Sequence

from kodiai.core.changes.broken_reference import BrokenReference
from kodiai.core.changes.changed_file import ChangedFile, ChangedLines
from kodiai.core.code.names import BoundNames, bound_names
from kodiai.core.findings.finding import Cause
from kodiai.core.repository.facts import Facts
from kodiai.core.repository.view import RepositoryView
from tests.builders import PARSER, CountedTree, DirectParser, FilesTree, a_file, a_finding
from tests.tables import each_row

SHOP = """\
import json
import sys
from till import pay


class Order:
    def total(self, discount):
        rounded = round(self.whole)
        return rounded - discount


def shipped(order, json):
    return json or order.total(0) > rounded


def load(path):
    return json.loads(path) if pay(path) else missing
"""
FILES = {
    "shop.py": SHOP,
    "till.py": "import shop\n\n\ndef pay(x):\n    return shop.load(x)\n",
    "hooks.py": "run = getattr(order, 'shipped')\n",
}
CHANGED = a_file("shop.py", patch="@@ -8 +8 @@\n-        rounded = self.whole\n+        rounded = round(self.whole)")


def notes(
    path: str,
    line: int,
    files: Mapping[str, str] = FILES,
    *,
    changed: Sequence[ChangedFile] = (CHANGED,),
    **given: object,
) -> list[str]:
    """The notes about one line."""
    quote = files[path].split("\n")[line - 1]
    facts = Facts(RepositoryView(FilesTree(files), PARSER), ChangedLines(changed))
    [found] = facts.notes([a_finding(path=path, start_line=line, quote=quote, **given)])
    return list(found)


OUT_OF_SCOPE = "`rounded` is bound at line 8 of shop.py, in another block or function than line 13."
NOWHERE = "`missing` is bound nowhere in shop.py."


@each_row(
    ("line", "noted"),
    [
        (13, [OUT_OF_SCOPE]),
        (9, []),
        (17, [NOWHERE]),
    ],
)
def test_the_names_of_a_quote_are_noted_with_what_binds_them(line: int, noted: list[str]) -> None:
    """A name outside of its scope comes first; an import that a parameter hides elsewhere is still one here."""
    assert notes("shop.py", line) == [
        "shop.py parses.",
        f"Line {line} of shop.py is not changed by this pull request.",
        *noted,
    ]


IMPORTS = "import json, sys\nfrom a import (\n    one,\n    two as three,\n)\n\n__all__ = ['one']\nprint(sys)\n"


@each_row(
    ("source", "line", "noted"),
    [
        ("class Cart:\n    def amount(self):\n        return 1\n", 2, []),
        (IMPORTS, 1, ["Nothing else in a.py uses `json`, imported at line 1."]),
        (IMPORTS, 3, []),
        (IMPORTS, 4, ["Nothing else in a.py uses `three`, imported at line 4."]),
    ],
    ids=[
        "a method is no unknown name on its own line",
        "nothing uses an import",
        "a string does",
        "under another name",
    ],
)
def test_a_name_that_nothing_uses_is_noted(source: str, line: int, noted: list[str]) -> None:
    """A file binds no name of a method: only the class reaches it."""
    assert notes("a.py", line, {"a.py": source})[2:] == noted


def test_a_syntax_error_is_noted_with_its_line() -> None:
    """Nothing is known of its names then; prose is not parsed, and macros may make an error right."""
    assert notes("a.py", 1, {"a.py": "x = y\ndef f(:\n"}, changed=[]) == [
        "a.py has a syntax error at line 2.",
        "Line 1 of a.py is not changed by this pull request.",
    ]
    assert notes("a.md", 1, {"a.md": "x\n"}, changed=[]) == ["Line 1 of a.md is not changed by this pull request."]
    macros = "void f() {\n  each(a, b) { g(a); }\n}\n"
    assert notes("a.c", 2, {"a.c": macros}, changed=[])[0] == "Line 2 of a.c is not changed by this pull request."


def test_the_notes_say_whether_the_pull_request_changes_the_code_and_its_cause() -> None:
    """Or moved the file of either; and the reference that resolves no more by a move."""
    broken = BrokenReference("till.py", 1, "import shop", ".shop", "old/shop.py")
    moved = a_file("till.py", status="renamed", previous_path="old/till.py", patch=None, broken=(broken,))
    rounds, old = Cause(path="shop.py", quote="rounded = round(self.whole)"), Cause(path="old/till.py", quote="")
    pays = Cause(path="till.py", quote="def pay(x):")

    assert notes("shop.py", 8)[1] == "Line 8 of shop.py is changed by this pull request."
    assert notes("shop.py", 9, cause=rounds)[1:3] == [
        "Line 9 of shop.py is not changed by this pull request.",
        "The code of its cause in shop.py is changed by it.",
    ]
    assert notes("till.py", 5, cause=pays)[2] == "The code of its cause in till.py is not changed by it."
    assert notes("till.py", 1, changed=[moved])[2:4] == [
        'The reference at line 1 names nothing any more: ".shop" (was "old/shop.py").',
        "till.py was moved from old/till.py.",
    ]
    assert notes("shop.py", 9, changed=[CHANGED, moved], cause=old)[2] == "till.py was moved from old/till.py."
    assert notes("shop.py", 9, cause=old)[2] == "The code of its cause in old/till.py is not changed by it."


UNBOUND = "`gone` is bound nowhere in a.js."
IN_BLOCK = "`y` is bound at line 2 of a.js, in another block or function than line 3."


@each_row(
    ("path", "source", "line", "noted"),
    [
        ("a.js", "import {q} from 'q'\nfunction f(x) {\n  return q(x)\n}", 3, []),
        ("a.js", "function f(x) {\n  if (x) { let y = 1 }\n  return y\n}", 3, [IN_BLOCK]),
        ("a.js", "function f(x) {\n  return gone(1)\n}", 2, [UNBOUND]),
        ("a.go", "package a\n\nfunc other() {\n\tgone(1)\n}", 4, []),
        ("a.c", "#include <x.h>\nint other() { return gone(1); }", 2, []),
        ("a.rb", "require_relative 'z'\ndef other\n  b.run\nend", 3, []),
    ],
)
def test_in_other_languages_only_certain_notes_are_given(path: str, source: str, line: int, noted: list[str]) -> None:
    """Blocks count there, and a name may come from another file of the package, a header or the runtime."""
    found = notes(path, line, {path: source, "z.rb": "def run\nend\n"}, changed=[])

    assert found[2:] == noted


def test_only_the_files_of_the_findings_are_read() -> None:
    """Nothing is searched: what that takes grows with the repository."""
    tree = CountedTree(FILES)
    facts = Facts(RepositoryView(tree, PARSER), ChangedLines([CHANGED]))
    findings = [
        a_finding(path="shop.py", quote=SHOP, start_line=13, end_line=17),
        a_finding(path="gone.py", quote="x"),
    ]

    assert list(map(bool, facts.notes(findings))) == [True, False]
    assert set(tree.reads) == {"shop.py", "gone.py"}


def test_a_file_with_many_findings_is_parsed_once_for_all_their_notes() -> None:
    """Each note is what it would be if its finding were the only one."""

    class CountingParser(DirectParser):
        def __init__(self) -> None:
            self.asked: list[str] = []

        def bound_names(self, path: str, lines: Sequence[str], wanted: Collection[str]) -> BoundNames | None:
            self.asked.append(path)
            return bound_names(path, lines, wanted)

    parser = CountingParser()
    facts = Facts(RepositoryView(FilesTree(FILES), parser), ChangedLines([CHANGED]))
    lines = SHOP.split("\n")
    findings = [a_finding(path="shop.py", start_line=at, quote=lines[at - 1]) for at in (2, 8, 13, 17)]

    assert facts.notes(findings) == [tuple(notes("shop.py", at)) for at in (2, 8, 13, 17)]
    assert parser.asked == ["shop.py"]
