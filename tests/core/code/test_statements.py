"""A change of code is distinguished from a change of its format, in every language with a grammar."""

import subprocess
import sys
from pathlib import Path

from kodiai.core.code.statements import changed_code
from tests.tables import each_row

NOTHING = (frozenset[int](), frozenset[int]())
EQUAL = [
    ("a.py", "x = f(price, a)", "x = f(\n    price,\n    a,\n)"),
    ("a.py", "x = (price + a)", "x = price + a"),
    ("a.py", "x = price + \\\n    a", "x = (price +\n     a)"),
    ("a.py", "x = price['a']", 'x = price["a"]'),
    ("a.py", "x = price + 'it\\'s'", 'x = price + "it\'s"'),
    ("a.py", "x = F'{price} {a[\"b\"]}' + u'c'", "x = f\"{price} {a['b']}\" + 'c'"),
    ("a.py", "x = price + 0XFF", "x = price + 0xff"),
    ("a.py", "a = price; b = 2", "a = price\nb = 2"),
    ("a.py", "for (x, y) in (price, 2): f()", "for x, y in price, 2:\n    f()"),
    ("a.py", "from a import (price, c)", "from a import price, c"),
    ("a.py", "import a\nimport price", "import price\nimport a"),
    ("a.py", "x = 'a price' + b", "x = 'a ' \"price\" + b"),
    ("a.js", "x = `a ${f(price, b)}`", "x = `a ${f(\n  price,\n  b)}`"),
    ("a.js", "for (a of b) { if (a) continue; else price() }", "for (a of b)\n  if (a) { continue } else { price() }"),
    ("a.js", "x = f(a?.b || price)", "x = f((a?.b || price));"),
    ("a.py", "x: a[b, price]", "x: a[\n    b,\n    price,\n]"),
    ("a.py", "def f():\n    a()\ndef g():\n    price()", "def g():\n    price()\n\n\ndef f():\n    a()"),
    ("a.py", "if a:\n    price()", "if a:\n    pass\n    price()"),
    ("a.py", "def f():\n    price()", 'def f():\n    """Doc."""\n    price()\n    ...\n    None  # c'),
    ("a.js", "f(price, b)", "f(\n  price,\n  b,\n);"),
    ("a.js", "const x = price + 'a'", 'const x = price + "a";'),
    ("a.js", "const x = price + 'it\\'s'", 'const x = price + "it\'s";'),
    ("a.js", "const f = price => price", "const f = (price) => (price);"),
    ("a.js", "if (price) { b() }", "if ((price)) {\n  b();;\n}"),
    ("a.js", "const o = {a: price, b}", "const o = {\n  a: price,\n  b,\n};"),
    ("a.js", "for (i = 0; i < price; i++) f(i)", "for (i = 0; i < price; i++)\n  f(i);"),
    ("a.js", "class A { f() { g() } h() { price() } }", "class A {\n  h() { price() }\n  f() { g() }\n}"),
    ("a.jsx", "x = <a b='c'>the text {price}</a>", 'x = (\n  <a b="c">\n    the text {price}\n  </a>\n);'),
    ("a.ts", "const f = (price) => price", "const f = price => price;"),
    ("a.ts", "interface A { a: price, b: number }", "interface A {\n  a: price;\n  b: number;\n}"),
    ("a.tsx", "const f = (x: A): B => { return price + 'a' }", 'const f = (x: A): B => {\n  return price + "a";\n};'),
    ("a.go", "package a\nfunc f() int { return (price) }", "package a\n\nfunc f() int {\n\treturn price\n}"),
    ("a.go", "package a\nvar x = f(a, price)", "package a\n\nvar x = f(\n\ta,\n\tprice,\n)"),
    ("a.rs", "fn f() -> i32 { g(1, price) }", "fn f() -> i32 {\n    g(\n        1,\n        price,\n    )\n}"),
    ("a.rs", "fn f() { let x = (a + price); }", "fn f() {\n    let x = a + price;\n    ();\n}"),
    ("A.java", "class A { int f() { return (price); } }", "class A {\n  int f() {\n    return price;\n  }\n}"),
    ("A.java", "class A { F f = x -> x + price; }", "class A {\n    F f = (x) -> x + price;\n}"),
    ("a.rs", "fn f() { a.map(|b| b + price) }", "fn f() {\n    a.map(|b| {\n        b + price\n    })\n}"),
    (
        "a.rs",
        "fn f() { match a { b => return price, _ => c } }",
        "fn f() { match a { b => { return price; } _ => c, } }",
    ),
    ("a.rs", "fn f() { v![a, price] }", "fn f() {\n    v![\n        a,\n        price,\n    ]\n}"),
    ("a.c", "#define A(x)  x + price", "#  define A(x) \\\n  x + price"),
    ("a.c", 'int f(void) { if (a) g("a price"); }', 'int f(void) { if (a)\n{ g("a "\n"price"); }\n}'),
    ("a.c", "int f(void) { return (price); }", "int f(void)\n{\n  return price;;\n}"),
    ("a.rs", "fn f() { price(); }", 'fn f() {\n    true;\n    "done";\n    price();\n}'),
    ("a.cpp", "int f() { return (a) + price; }", "int f()\n{\n    return a + price;\n}"),
    (
        "A.cs",
        "class A { int F() { return (price); } }",
        "class A\n{\n    int F()\n    {\n        ;return price;\n    }\n}",
    ),
    ("a.php", "<?php\n$x = 'a';\nf($a, $price);", '<?php\n$x = "a";\nf(\n    $a,\n    $price,\n);'),
    ("a.php", "<?php\nif ($a) f(array($price));", "<?php\nif ($a) {\n    f([$price]);\n}"),
    ("a.php", "<?php\nif ($a) { return ($price); }", "<?php\nif (($a)) {\n    return $price;\n}"),
    ("a.rb", "def f a, b\n  puts price\nend", "def f(a, b)\n  puts(price)\nend"),
    ("a.js", "f(); price()", "f();\n'done';\nnull;\nprice();"),
    ("a.rb", "def f\n  price\nend", "def f\n  nil\n  price\nend"),
    ("a.rb", "a = 1; b = (price)", "a = 1\nb = price"),
    ("a.sh", "if [ -f a ]; then rm price; fi", "if [ -f a ]\nthen\n  rm price\nfi"),
    ("a.sh", "f a price; g", "f a \\\n  price\ng"),
]


@each_row(("path", "one", "other"), EQUAL)
def test_the_same_code_in_another_format_has_not_changed(path: str, one: str, other: str) -> None:
    """That holds in both directions, and not with another name in it."""
    renamed = other.replace("price", "prize").split("\n")

    assert changed_code(path, one.split("\n"), other.split("\n")) == NOTHING
    assert changed_code(path, other.split("\n"), one.split("\n")) == NOTHING
    assert changed_code(path, renamed, one.split("\n")) not in (NOTHING, None)


@each_row(
    ("path", "one", "other"),
    [
        ("a.py", "x = a - (b - c)", "x = a - b - c"),
        ("a.py", "x = (a < b) < c", "x = a < b < c"),
        ("a.py", "x = (1,)", "x = (1)"),
        ("a.py", "x = a[1,]", "x = a[1]"),
        ("a.py", "match x:\n    case (y,): f()", "match x:\n    case (y): f()"),
        ("a.py", "x = 'a'", "x = b'a'"),
        ("a.py", "x = r'\\n'", "x = '\\n'"),
        ("a.py", "x = 'a b'", "x = 'ab'"),
        ("a.py", "x = 'a' 'b'", "x = 'a', 'b'"),
        ("a.py", "x = f'{a} b'", "x = f'{a}  b'"),
        ("a.py", "x = f'{a=}'", "x = f'{a = }'"),
        ("a.py", "x = f'{a:,}'", "x = f'{a: ,}'"),
        ("a.sh", "a <<E - b\nE", "a <<E - c\nE"),
        ("a.py", "if a < b: f()", "if b < a: f()"),
        ("a.py", "x = a or b", "x = a"),
        ("a.py", "f(a, b)", "f(a)"),
        ("a.py", "if x:\n    a()\n    b()", "if x:\n    a()\nb()"),
        ("a.py", "a()\nb()", "b()\na()"),
        ("a.py", "def f():\n    return 1", "def f():\n    1"),
        ("a.js", "x = a - (b - c)", "x = a - b - c"),
        ("a.js", "x = [1,,2]", "x = [1,2]"),
        ("a.js", "x = [1,,]", "x = [1,]"),
        ("a.js", "x = [1, 2,,]", "x = [1, 2,]"),
        ("a.js", "x = (a?.b).c", "x = a?.b.c"),
        ("a.js", "f((a, b))", "f(a, b)"),
        ("a.js", "function f() { return a }", "function f() { return\na }"),
        ("a.js", "for (;a;) b()", "for (a;;) b()"),
        ("a.js", "for (;;a) b()", "for (;a;) b()"),
        ("a.js", "x = '\\n'", "x = 'n'"),
        ("a.js", "x = `a`", "x = `a `"),
        ("a.js", "x = () => ({})", "x = () => {}"),
        ("a.js", "if (a) { b(); c() }", "if (a) { b() } c()"),
        ("a.js", "'use strict'\nf()", "f()"),
        ("a.js", "'use strict'\n'use asm'\nf()", "'use strict'\nf()"),
        ("a.rb", "def f\n  a\n  nil\nend", "def f\n  a\nend"),
        ("a.jsx", "x = <a>b c</a>", "x = <a>bc</a>"),
        ("a.jsx", "x = <a>b <i/></a>", "x = <a>b\n<i/></a>"),
        ("a.ts", "let x: string", "let x: number"),
        ("a.ts", "x = a!.b", "x = a.b"),
        ("a.tsx", "x = <A<B> c={d}/>", "x = <A<C> c={d}/>"),
        ("a.go", "package a\nvar x = 'a'", 'package a\nvar x = "a"'),
        ("a.go", "package a\nfunc f() { for i := 0; ; { } }", "package a\nfunc f() { for ; i; { } }"),
        ("a.rs", "fn f() -> i32 { 1 }", "fn f() -> i32 { 1; }"),
        ("a.rs", "fn f() { let x = [0; 3]; }", "fn f() { let x = [0, 3]; }"),
        ("a.rs", "fn f(x: (i32,)) {}", "fn f(x: (i32)) {}"),
        ("a.rs", "fn f() { (a.b)(c) }", "fn f() { a.b(c) }"),
        ("a.rs", "fn f() { v![a, b] }", "fn f() { v![a b] }"),
        ("A.java", "class A { int[] a; }", "class A { int[][] a; }"),
        ("A.java", "class A { char a = 'a'; }", 'class A { char a = "a"; }'),
        ("a.c", "int f(void) { return SQUARE((a + b)); }", "int f(void) { return SQUARE(a + b); }"),
        ("a.c", "int f(void) { while (x) ; { g(); } }", "int f(void) { while (x) { g(); } }"),
        ("a.c", "int f(void) { if (x) g(); }", "int f(void) { if (x) ; g(); }"),
        ("a.c", "#define A (x)", "#define A x"),
        ("a.c", "int f(void) { if (a) if (b) g(); else h(); }", "int f(void) { if (a) { if (b) g(); } else h(); }"),
        ("a.c", "int f(void) { if (a) g(); h(); }", "int f(void) { if (a) { g(); h(); } }"),
        ("a.c", 'char *a = "\\0" "1";', 'char *a = "\\01";'),
        ("a.c", 'char *a = "\\x1" "2";', 'char *a = "\\x12";'),
        ("a.rs", "fn f() { a.map(|b| { b; }) }", "fn f() { a.map(|b| b) }"),
        ("a.cpp", "decltype((x)) y;", "decltype(x) y;"),
        ("A.cs", "class A { int[] a; }", "class A { int[,] a; }"),
        ("A.cs", "class A { int[,,] a; }", "class A { int[,] a; }"),
        ("A.cs", 'class A { string a = @"\\n"; }', 'class A { string a = "\\n"; }'),
        ("a.php", "<?php $x = '\\n';", '<?php $x = "\\n";'),
        ("a.php", "<?php $x = '$a';", '<?php $x = "$a";'),
        ("a.php", "<?php list($a, , $b) = $c;", "<?php list($a, $b) = $c;"),
        ("a.rb", "x = 'a\\n'", 'x = "a\\n"'),
        ("a.rb", "f { |a,| b }", "f { |a| b }"),
        ("a.rb", "a, = b", "a = b"),
        ("a.rb", "x = %w[a b]", "x = %w[ab]"),
        ("a.sh", "x='$a'", 'x="$a"'),
        ("a.sh", 'echo "a  b"', 'echo "a b"'),
        ("a.sh", "(cd a; b)", "{ cd a; b; }"),
        ("a.sh", "a && b", "a; b"),
        ("a.sh", "a & b", "a; b"),
        ("a.sh", "if a; then b; c; fi", "if a; then b; fi; c"),
    ],
)
def test_code_that_does_something_else_has_changed(path: str, one: str, other: str) -> None:
    """Parentheses, commas, quotes, line breaks and indentation count where they decide what the code does."""
    assert changed_code(path, one.split("\n"), other.split("\n")) not in (NOTHING, None)
    assert changed_code(path, other.split("\n"), one.split("\n")) not in (NOTHING, None)


def test_only_the_lines_of_changed_statements_are_named() -> None:
    """The rest of a file may be formatted, moved and wrapped at the same time."""
    then = ["import a", "def f(x):", "    return g(x, 1)", "def g(x, y):", "    return x / y"]
    now = [
        "def g(x, y):",
        "    if y:",
        "        return (x / y)",
        "def f(x):",
        "    return g(",
        "        x, 1)",
        "import a",
    ]

    assert changed_code("a.py", now, then) == (frozenset(), frozenset({2, 3}))
    assert changed_code("a.py", then, now) == (frozenset({2, 3}), frozenset())


def test_a_statement_that_does_not_parse_is_its_plain_text() -> None:
    """The other statements of the file are compared as they are elsewhere, and without a grammar nothing is."""
    then = ["x = f(a)", "y = f(", "z = 1"]

    assert changed_code("a.py", ["x = f(", "    a)", "y = f( ", "z = 1"], then) not in (NOTHING, None)
    assert changed_code("a.js", ["f(", "a)", "let = = 1"], ["f(a);", "let = = 1"]) == NOTHING
    assert changed_code("a.css", ["a { }"], ["a {}"]) is None


def test_a_formatter_changes_no_code(tmp_path: Path) -> None:
    """Ruff writes this project's own files with shorter lines, other quotes, and without optional commas."""
    source = Path(__file__).parents[3] / "layers/common/kodiai/core/findings"
    files = sorted(source.glob("*.py"))
    settings = tmp_path / "ruff.toml"
    settings.write_text('line-length = 70\n[format]\nquote-style = "single"\nskip-magic-trailing-comma = true\n')
    for file in files:
        (tmp_path / file.name).write_text(file.read_text())
    subprocess.run([Path(sys.executable).with_name("ruff"), "format", "-q", "--config", settings, tmp_path], check=True)
    pairs = [(file.read_text().split("\n"), (tmp_path / file.name).read_text().split("\n")) for file in files]

    assert sum(then != now for then, now in pairs) > len(files) // 2
    assert [
        file.name for file, (then, now) in zip(files, pairs, strict=True) if changed_code("a.py", now, then) != NOTHING
    ] == []
