"""The names that a file binds, and those that its language gives."""

import pytest

from kodiai.core.code.names import bound_names, is_builtin
from tests.core.code.sources import SOURCES, Source
from tests.tables import each_row


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.path)
def test_a_file_binds_what_it_defines_imports_assigns_and_takes(source: Source) -> None:
    """These names and no other: no attribute, no method that needs an object, no name that is only used.

    A name that only functions bind is local; what the file binds is not.
    """
    bound, local = set(source.bound.split()), set(source.local.split())

    found = bound_names(source.path, source.lines, bound | local)

    assert found is not None
    assert found.names == bound | local
    places = {name: found.bindings(name) for name in bound | local}
    assert {name for name, at in places.items() if at and all(each.is_local for each in at)} == local - bound


PHP = (
    "<?php\nuse A\\B;\nuse C\\{D, E as F};\nconst G = 1;\nclass H { const I = 1; function j($k) { $l = 1; } }\n"
    "function m(...$n) { [$o, $p] = q(); foreach ($r as $s => $t) {} }"
)


@each_row(
    ("path", "text", "expected"),
    [
        ("a.php", PHP, "B D F G H m"),
        ("a.tsx", "const A = ({ b, ...c }: D) => <e f={b} />;", "A b c"),
        ("a.js", "import a from 'b';\n[c] = [d];\nvar e = (f = 1) => f;\nclass G { h() {} }", "a e f G"),
        ("a.go", 'package a\nimport (\n\t"gopkg.in/yaml.v3"\n\t"x/go-redis/v9"\n\t_ "y/z"\n)\n', "yaml redis"),
    ],
)
def test_names_that_other_files_bind_are_known_too(path: str, text: str, expected: str) -> None:
    """Variables of PHP are left out; an import of Go is named by the custom of its path."""
    bound = bound_names(path, text.split("\n"), ())

    assert bound is not None
    assert bound.names == frozenset(expected.split())


@each_row(
    ("path", "text"),
    [
        ("a.py", "from a import *"),
        ("a.go", 'package a\nimport . "b"\n'),
        ("A.java", "import a.b.*;\nclass A {}"),
        ("a.rs", "use a::*;\nfn f() {}"),
        ("a.rs", "use super::*;\nfn f() {}"),
        ("a.cs", "using A;\nclass C {}"),
        ("a.py", "a = 1\nprint 'b'"),
        ("a.ts", "const a = ;"),
        ("a.swift", "let a = 1"),
        ("a.txt", "a"),
    ],
)
def test_the_names_of_some_files_are_not_known(path: str, text: str) -> None:
    """An import of everything may bring any name; nor are those without a grammar, an import that names, or syntax."""
    bound = bound_names(path, text.split("\n"), ())

    assert bound is None or not bound.is_complete


@each_row(
    ("path", "given", "not_given"),
    [
        ("a.py", "print len __name__ ValueError None", "exit ExceptionGroup unicode os self"),
        ("a.ts", "console Promise Partial undefined", "process window require document Buffer"),
        ("a.go", "len make error nil", "fmt context"),
        ("A.java", "String System Override", "List Nullable"),
        ("a.rs", "Vec println Some", "HashMap Arc"),
        ("a.rb", "puts Struct raise", "JSON Rails"),
        ("a.php", "strlen this isset", "total mb_strlen"),
        ("a.swift", "", "print"),
    ],
)
def test_only_what_the_language_gives_anywhere_is_its_own(path: str, given: str, not_given: str) -> None:
    """Not what a browser, a newer version or an import would give."""
    assert all(is_builtin(path, name) for name in given.split())
    assert not any(is_builtin(path, name) for name in not_given.split())
