"""The names on a line, and those of them that are called or name a type."""

from kodiai.core.code.identifiers import guessed_calls, identifiers
from tests.tables import each_row


@each_row(
    ("path", "line", "called"),
    [
        ("a.py", "x = bar.baz(a, key=qux) + f(1)  # no(1) 'h(1)'", ["baz", "f"]),
        ("a.py", "def foo(a, b=make()): pass", ["make"]),
        ("a.js", "function foo(x) { return bar.baz(x).qux(new Foo(1), `${tick(x)}`) }", ["baz", "qux", "Foo", "tick"]),
        ("a.ts", "const x = foo<number>(a, {k: v})", ["foo"]),
        ("a.go", "func (r *T) Foo(x int) { fmt.Println(bar(x)) }", ["Println", "bar"]),
        ("A.java", "class A { void f(int a) { foo(a); b.bar(); new C<D>(a); } }", ["foo", "bar", "C"]),
        ("a.rb", "bar a; b.baz(1)", ["bar", "baz"]),
        ("a.rs", "fn foo() { bar(a); x.baz(); Vec::<u8>::with(1); }", ["bar", "baz", "with"]),
        ("a.c", "int foo(int a) { return bar(a) + p->baz(1); }", ["bar", "baz"]),
        ("a.cpp", "int A::foo(int a) { return ns::bar(a) + p.baz<int>(1); }", ["bar", "baz"]),
        ("a.cs", "class A { int F(int a) { return Bar(a) + b.Baz<int>(1); } }", ["Bar", "Baz"]),
        (
            "a.php",
            "<?php function foo() { return bar($a) + $b->baz(1) + C::d() + new E(1); }",
            ["bar", "baz", "d", "E"],
        ),
        ("a.sh", "foo() { bar baz; }", ["bar"]),
        ("a.kt", "val x = foo(1) + b.bar(2)", ["foo"]),
    ],
)
def test_calls_are_known_from_definitions_strings_and_comments(path: str, line: str, called: list[str]) -> None:
    """By the grammar of the language; without one, by the bracket after a name that follows no dot."""
    found = identifiers(path, [line], [1], only_called=True)

    assert [each.name for each in found or guessed_calls([line], [1]) if each.is_called] == called


@each_row(
    ("path", "line", "types"),
    [
        ("a.py", "def f(a: Order, b: list[Line | None]) -> shop.Total: pass", ["Order", "list", "Line", "Total"]),
        ("a.ts", "const a: Order = b as Total<Line>; class C {}", ["Order", "Total", "Line"]),
        ("a.go", "var a = &Order{Lines: []shop.Line{}}; type T struct{}", ["Order", "Line"]),
        ("a.rs", "fn f(a: &Order) { let b = shop::Total { sum: 1 }; }", ["Order", "Total"]),
        ("A.java", "class A { Order f(List<Line> a) { return null; } }", ["Order", "List", "Line"]),
        ("a.cs", "class A { Order F(Total a) { return null; } }", ["Order", "Total"]),
        ("a.c", "struct order *f(line_t a);", ["order", "line_t"]),
    ],
)
def test_types_are_known_where_they_are_filled_or_asked_for(path: str, line: str, types: list[str]) -> None:
    """Not where they are defined."""
    found = identifiers(path, [line], [1], only_called=True) or ()

    assert [each.name for each in found if not each.is_called] == types


@each_row(
    ("path", "code", "filled"),
    [
        ("a.go", "var a = shop.Order{\n  Sum: 1,\n  Line: Line{\n    Of: f(2),\n  },\n}", ["Order", "Line", "f"]),
        (
            "a.rs",
            "fn f() { let a = shop::Order {\n  sum: 1,\n  line: Line {\n    of: f(2),\n  },\n}; }",
            ["Order", "Line", "f"],
        ),
        ("a.py", "a = shop.Order(\n  sum=1,\n  line=Line(\n    of=f(2),\n  ),\n)", ["Order", "Line", "f"]),
        ("a.py", "describe(\n  1,\n  lambda: (\n    f(2),\n  ),\n)", ["f"]),
    ],
)
def test_a_changed_field_has_the_names_of_what_it_fills(path: str, code: str, filled: list[str]) -> None:
    """The literals, or the calls with named arguments, that begin on other lines; no other calls around it."""
    found = identifiers(path, code.split("\n"), [4], only_called=True) or ()

    assert list(dict.fromkeys(each.name for each in found)) == filled


def test_a_member_has_the_name_that_it_is_reached_through() -> None:
    """A name that is reached through a value has none."""
    rows = {"a.py": "a.b(c().d(), e)", "a.rs": "A::b(c()?.d, e)", "a.ts": "a?.b(c().d, e)"}

    for path, line in rows.items():
        owners = {each.name: each.owner for each in identifiers(path, [line], [1]) or ()}
        assert {name: owners[name] for name in "bde"} == {"b": line[0], "d": "", "e": ""}, path


def test_only_the_names_of_the_wanted_lines_are_given_in_their_order() -> None:
    """With their lines, and whether they are reached through something else."""
    found = identifiers("a.py", ["import os", "größe = os.path", "print(größe)"], [2])

    assert found is not None
    assert [(each.name, each.line, each.is_member) for each in found] == [
        ("größe", 2, False),
        ("os", 2, False),
        ("path", 2, True),
    ]
    assert identifiers("a.txt", ["no code"], [1]) is None


def test_members_arguments_and_tags_are_no_plain_names() -> None:
    """The file's bindings do not decide their meaning."""
    found = identifiers("a.tsx", ["const x: Map = <div key={k}>{a.b}</div>"], [1]) or ()

    assert [each.name for each in found if each.is_plain] == ["x", "k", "a"]
