"""Outlines of files in every language that has a grammar."""

import pytest

from kodiai.core.code.outline import first_error, outline
from tests.core.code.sources import PYTHON, SOURCES, Source
from tests.tables import each_row


def shown(path: str, text: str) -> list[str]:
    return [
        f"{one.kind} {one.name} {one.start_line}-{one.end_line}" for one in outline(path, text.split("\n")).definitions
    ]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.path)
def test_an_outline_has_definitions_and_imports(source: Source) -> None:
    """Decorators, attributes and comments directly above belong to the definition below."""
    seen = outline(source.path, source.lines)

    assert shown(source.path, source.text) == [line.strip() for line in source.definitions.strip().splitlines()]
    assert seen.imports == {line for start, end in source.imports for line in range(start, end + 1)}
    assert seen.has_grammar
    assert first_error(source.path, source.lines) is None


@each_row(
    ("path", "text", "expected"),
    [
        (
            "a.c",
            "#include <a.h>\n/* Doc. */\nchar *names(int a) {\n}\ntypedef struct { int a; } T;\n#define F(a) \\\n  (a)",
            ["function names 2-4", "struct T 5-5", "macro F 6-7"],
        ),
        (
            "a.h",
            "namespace n {\n// Doc.\ntemplate <class T>\nclass C {\n  ~C() {}\n};\n}\nstd::list<int>& C::all() {\n}",
            ["module n 1-7", "class C 2-6", "function ~C 5-5", "function C::all 8-9"],
        ),
        (
            "a.cs",
            "using A;\nnamespace N {\n /// Doc.\n [Fact]\n class C {\n  int P { get; }\n  async Task M() {\n  }\n }\n}",
            ["module N 2-10", "class C 3-9", "function P 6-6", "function M 7-8"],
        ),
        (
            "a.php",
            "<?php\nuse A\\B;\n/** Doc. */\n#[Attr]\nclass C {\n  function m() {\n  }\n}\nfunction f() {}",
            ["class C 3-8", "function m 6-7", "function f 9-9"],
        ),
        ("a.sh", "source ./b\n# Doc.\nf() {\n  echo\n}", ["function f 2-5"]),
        ("a.tsx", "const A = ({b}: C) => {\n  return <d>{b}</d>;\n};", ["function A 1-3"]),
        ("a.jsx", "export default () => {\n  return <d/>;\n}", ["function default 1-3"]),
        ("a.mjs", "exports.a = function () {\n};\nb = { c: () => {} };", ["function a 1-2", "function c 3-3"]),
        ("a.pyi", "def f(a: int) -> int: ...\nclass C: ...", ["function f 1-1", "class C 2-2"]),
    ],
)
def test_the_other_languages_have_outlines_too(path: str, text: str, expected: list[str]) -> None:
    """A header is read as C++, which has most of C."""
    assert shown(path, text) == expected
    assert first_error(path, text.split("\n")) is None


def test_only_a_comment_right_above_and_alone_belongs_to_a_definition() -> None:
    """Not a comment behind code, nor one with an empty line between; of two on one line the first takes it."""
    functions = "a = 1  # one\ndef f(): pass\n# two\n\ndef g(): pass\n"
    text = f"{functions}# three\n# four\nclass A:\n    # five\n    def h(self): pass"

    assert shown("a.py", text) == ["function f 2-2", "function g 5-5", "class A 6-10", "function h 9-10"]
    assert shown("a.go", "// one\ntype A struct{}; type B struct{}") == ["struct A 1-2", "struct B 2-2"]


def test_definitions_around_lines_come_innermost_first() -> None:
    """Only those that have all of the lines."""
    seen = outline(PYTHON.path, PYTHON.lines)

    assert [one.name for one in seen.enclosing(37, 37)] == ["Inner", "count", "Cart"]
    assert [one.name for one in seen.enclosing(34, 36)] == ["count", "Cart"]
    assert seen.enclosing(20, 30) == seen.enclosing(1, 1) == seen.enclosing(900, 901) == ()


@each_row(
    ("path", "text", "line", "names"),
    [
        ("a.py", "def f():\n    pass\n\nx = = 1\n\ndef g():\n    pass", 4, "f g"),
        ("a.ts", "function f() {}\nlet = ) 1;\nfunction g() {}", 2, "f g"),
        ("a.go", "package a\nfunc f() {}\nvar x = = 1\nfunc g() {}", 3, "f g"),
        ("A.java", "class A {\n  void f() {}\n  int = 1 +;\n  void g() {}\n}", 3, "A f g"),
        ("a.rs", "fn f() {}\nlet = ;\nfn g() {}", 2, "f g"),
        ("a.rb", "def f\nend\nx = = 1\ndef g\nend", 3, "f g"),
        ("a.py", "def f(:\n    return 1\ndef g():\n    return (1", 1, "g"),
        ("a.js", "function f() {\n  g(", 1, ""),
    ],
)
def test_around_a_syntax_error_the_rest_is_still_outlined(path: str, text: str, line: int, names: str) -> None:
    """The error has a line; code that is only half written hides no more than itself."""
    seen = outline(path, text.split("\n"))

    assert first_error(path, text.split("\n")) == line
    assert set(names.split()) <= {one.name for one in seen.definitions}


@each_row(
    ("path", "text", "line"),
    [
        ("a.py", "a = 1\nprint 'a'", 2),
        ("a.py", "def f():\nreturn 1", 2),
        ("a.py", "if a:\n        b\n    c", 3),
        ("a.py", "a = 1\nreturn a", 2),
        ("a.py", "def f():\n    await g()", 2),
        ("a.py", "def f(a, a): pass", 1),
        ("a.js", "function f() {\n  await g();\n}", 2),
        ("a.ts", "async () => {\n  a.map((b) => {\n    await b;\n  });\n};", 3),
        ("a.js", "function f() {\n  for await (const a of b) {}\n}", 2),
        ("a.rb", "def f\n  if a\nend", 1),
        ("a.rs", "fn f() {\n    let a = 1\n}", 2),
        ("A.java", "class A {\n  int a = 1\n}", 2),
        ("a.sh", "if a; then\n  b\n  }\nfi", 3),
        ("a.c", "void f() {\n  g(a)\n  h(a, b);\n}", 2),
        ("a.c", "LIST(a)\nf(a b);\nvoid g() {\n  LIST(a) h(a b);\n}", None),
        ("a.sh", "f() {\n  done\n}", 2),
        ("a.sh", "f() { echo }; }; if a; then echo done; fi", None),
        ("a.py", "async def f():\n    return [await a async for a in b]\n'\\d'", None),
        ("a.mjs", "await f();\nconst g = async () => { await f(); };\nclass A { async m() { await 1; } }", None),
        ("a.ts", "async function f() { for await (const a of b) { await a; } }", None),
        ("a.go", "package a\n\nfunc f() { x := 1; _ = x }\n", None),
        ("a.rs", "mac!();\nthread_local! { static A: i32 = 1; }\nfn f() { let a = 1; }", None),
        ("a.py", "\ufeffa = 1", None),
        ("a.py", "", None),
        ("a.go", "", None),
    ],
)
def test_the_first_error_is_what_a_grammar_or_a_compiler_refuses(path: str, text: str, line: int | None) -> None:
    """None for waiting at the top of a module, macros between functions, a byte order mark, or nothing at all."""
    assert first_error(path, text.split("\n")) == line


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.path)
def test_line_ends_and_indentation_make_no_difference(source: Source) -> None:
    """Carriage returns, kept line ends and tabs are all the same."""
    seen = outline(source.path, source.lines)

    assert outline(source.path, [f"{line}\r" for line in source.lines]) == seen
    assert outline(source.path, [f"{line}\r\n" for line in source.lines]) == seen
    assert outline(source.path, [line.replace("    ", "\t") for line in source.lines]) == seen
