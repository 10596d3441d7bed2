"""The references that a move breaks, in the moved files and to them."""

from collections.abc import Mapping

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.show import show_files
from kodiai.core.repository.moves import with_broken_references
from kodiai.core.repository.view import RepositoryView
from kodiai.core.text.tokens import estimated_tokens
from tests.builders import PARSER, FilesTree, a_file
from tests.tables import each_row


def moved(was: str, now: str, status: str = "renamed") -> ChangedFile:
    return a_file(now, status=status, previous_path=was, patch=None)


def broken(
    head: Mapping[str, str], *files: ChangedFile, hidden: tuple[str, ...] = ()
) -> list[tuple[str, int, str, str]]:
    """The path, line, target and former file of each broken reference."""
    view = RepositoryView(FilesTree(head), PARSER)
    found = [each for file in with_broken_references(files, view, hidden) for each in file.broken]
    return [(each.path, each.line, each.target, each.was) for each in found]


@each_row(
    ("was", "now", "text", "others", "found"),
    [
        ("a/x.py", "a/b/x.py", "from .u import y", ["a/u.py"], [(1, ".u", "a/u.py")]),
        ("a/x.py", "b/x.py", "from .u import y", ["a/u.py", "b/u/__init__.py"], []),
        ("a/b/x.py", "x.py", "from ..u.v import y", ["a/u/v.py"], [(1, "..u.v", "a/u/v.py")]),
        ("a/x.py", "b/x.py", "from . import u", ["a/u/__init__.py"], [(1, ".u", "a/u/__init__.py")]),
        ("a/__init__.py", "b/__init__.py", "from .u import y", ["a/u.py"], [(1, ".u", "a/u.py")]),
        ("a/x.py", "b/x.py", "from .never import y", ["a/u.py"], []),
        ("a/x.ts", "b/x.ts", "import './u.js'", ["a/u.ts"], [(1, "./u.js", "a/u.ts")]),
        ("a/x.js", "b/x.js", "require('./u')", ["a/u/index.js"], [(1, "./u", "a/u/index.js")]),
        ("a/x.js", "b/x.js", "require('./u')", ["a/u.js", "b/u.mjs"], []),
        ("a/u.test.js", "tests/u.test.js", "require('./u')", ["a/u.js"], [(1, "./u", "a/u.js")]),
        ("a/x.js", "b/x.js", "require('../u.json')", ["u.json"], []),
        ("a/x.c", "b/x.c", '#include "../u.h"', ["u.h"], []),
        ("a/x.c", "a/b/x.c", '#include "../u.h"', ["u.h"], [(1, "../u.h", "u.h")]),
        ("a/x.c", "b/x.c", '#include "u.h"', ["a/u.h"], []),  # the compiler may search a/
        ("src/lib.rs", "src/a/lib.rs", "mod u;", ["src/u.rs"], [(1, "u", "src/u.rs")]),
        ("src/a.rs", "src/b.rs", "mod u;", ["src/a/u.rs"], [(1, "u", "src/a/u.rs")]),
        ("src/a.rs", "src/a/mod.rs", "mod u;", ["src/a/u.rs"], []),
        ("a/x.rb", "b/x.rb", "require_relative 'u'", ["a/u.rb"], [(1, "u", "a/u.rb")]),
        ("a/x.php", "b/x.php", "<?php include __DIR__ . '/u.php';", ["a/u.php"], [(1, "/u.php", "a/u.php")]),
        ("a/x.sh", "b/x.sh", '. "$(dirname "$0")/u"', ["a/u"], [(1, "/u", "a/u")]),
        ("x.sh", "b/x.sh", ". ./u", ["u"], []),  # the shell takes the folder that it runs in
        ("a/x.md", "b/c/x.md", "[u](../d/u.md)", ["d/u.md"], [(1, "../d/u.md", "d/u.md")]),
        ("a/x.md", "b/x.md", "[u](../d/)", ["d/u.md"], []),
        ("a/x.py", "a/y.py", "from .u import z", ["a/u.py"], []),
    ],
)
def test_a_reference_is_broken_that_named_a_file_from_the_old_place_and_names_none_now(
    was: str, now: str, text: str, others: list[str], found: list[tuple[int, str, str]]
) -> None:
    """Nothing counts that is not certain."""
    head = {now: text, **dict.fromkeys(others, "")}

    assert broken(head, moved(was, now)) == [(now, *each) for each in found]


def test_a_package_may_define_what_looks_like_its_module() -> None:
    """So do files that the settings hide: nobody can tell whether they are there."""
    head = {"b/x.py": "from . import u", "a/u.py": "", "b/__init__.py": "u = 1"}

    assert broken(head, moved("a/x.py", "b/x.py")) == []
    assert broken({**head, "b/__init__.py": ""}, moved("a/x.py", "b/x.py"), hidden=("b/u*",)) == []
    assert broken({**head, "b/__init__.py": ""}, moved("a/x.py", "b/x.py")) == [("b/x.py", 1, ".u", "a/u.py")]


def test_a_reference_to_a_moved_file_is_broken_too() -> None:
    """In any file that names it and was not moved; a copy leaves its origin where it is."""
    head = {"b/run.py": "", "a/main.py": "import os\nfrom .run import go", "c/main.py": "from .run import go"}

    assert broken(head, moved("a/run.py", "b/run.py")) == [("a/main.py", 2, ".run", "a/run.py")]
    assert broken({**head, "a/run.py": ""}, moved("a/run.py", "b/run.py", "copied")) == []
    package = {"b/jobs/__init__.py": "", "main.py": "from .jobs import go"}
    assert broken(package, moved("jobs/__init__.py", "b/jobs/__init__.py")) == [
        ("main.py", 1, ".jobs", "jobs/__init__.py")
    ]


def test_the_base_is_without_what_the_change_adds_and_with_what_it_removes() -> None:
    """A module that moved along, or was removed, is found where it was; one that is new never was there."""
    head = {"b/x.py": "from .u import a\nfrom .v import b\nfrom .w import c", "b/u.py": "", "a/w.py": ""}
    files = [
        moved("a/x.py", "b/x.py"),
        moved("a/u.py", "b/u.py"),
        a_file("a/v.py", status="removed"),
        a_file("a/w.py", status="added"),
    ]

    assert broken(head, *files) == [("b/x.py", 2, ".v", "a/v.py")]


def test_a_thousand_moved_files_are_shown_by_their_folders() -> None:
    """Only those with a broken reference are named, in less than 10,000 tokens."""
    names = [f"p{at % 10}/m{at}.py" for at in range(1_000)]
    head = {f"new/{name}": f"from .m{(at + 10) % 1_000} import a\n" for at, name in enumerate(names)}
    head |= {"new/p0/m0.py": "from ..setup import a\nfrom .m10 import b\n", "old/setup.py": ""}
    files = [moved(f"old/{name}", f"new/{name}") for name in names]
    view = RepositoryView(FilesTree(head), PARSER)

    shown = show_files(with_broken_references(files, view, ()))

    assert shown == [
        '### 999 FILES below "new/" renamed from "old/" without a change\n',
        (
            '### FILE "new/p0/m0.py" renamed from "old/p0/m0.py"\n'
            "      1 | from ..setup import a\n"
            'names nothing any more: "..setup" (was "old/setup.py")\n'
        ),
    ]
    assert estimated_tokens("".join(shown)) < 10_000
