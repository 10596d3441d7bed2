"""The definitions that names lead to without a search."""

from collections.abc import Mapping

from kodiai.core.code.identifiers import identifiers
from kodiai.core.repository.imports import ImportedCode
from kodiai.core.repository.view import RepositoryView
from tests.builders import PARSER, CountedTree, FilesTree
from tests.tables import each_row

PY = "class Order:\n    def total(self):\n        pass\n\n\ndef pay(x):\n    pass\n"
TS = "export class Cart {\n  total() {}\n}\nexport function min(a) {}\n"
GO = {"go.mod": "module example.com/app\n", "money/fee.go": "package money\n\nfunc NewFee() {}\n"}
RS = {"src/lib.rs": "mod a;", "src/a/mod.rs": "pub mod b;\npub fn one() {}", "src/a/b.rs": "pub struct Two {}"}
JAVA = {"m/src/a/b/Order.java": "class Order { void total() {} }", "m/src/a/b/Fee.java": "class Fee {}"}


@each_row(
    ("path", "text", "name", "others", "where"),
    [
        ("a.py", "from shop import pay\npay(1)", "pay", {"shop.py": PY}, "shop.py:6"),
        ("a.py", "import shop\nshop.pay(1)", "pay", {"shop.py": PY}, "shop.py:6"),
        ("a.py", "from shop import Order\nx.total()", "total", {"shop.py": PY}, "shop.py:2"),
        ("a.py", "from shop import Order\nOrder.total()", "total", {"shop.py": PY}, "shop.py:2"),
        ("a.py", "from shop import Cart\nCart.total()", "total", {"shop.py": PY}, None),
        ("a.py", "from shop import Order\npay(1)", "pay", {"shop.py": PY}, None),
        ("a.py", "from shop import *\npay(1)", "pay", {"shop.py": PY}, "shop.py:6"),
        ("a.py", "from shop import total\ntotal(1)", "total", {"shop.py": PY}, None),
        (
            "t/a.py",
            "from p import shop\nshop.pay(1)",
            "pay",
            {"src/p/__init__.py": "", "src/p/shop.py": PY},
            "src/p/shop.py:6",
        ),
        ("a.py", "from p import pay\npay(1)", "pay", {"p/__init__.py": "from .s import pay", "p/s.py": PY}, "p/s.py:6"),
        (
            "a.py",
            "import p\nfrom p import pay\npay(1)",
            "pay",
            {"p/__init__.py": "from .s import *", "p/s.py": PY},
            "p/s.py:6",
        ),
        ("a.py", "import json\njson.pay(1)", "pay", {"lib/json.py": PY}, None),
        ("a.py", "from shop import pay\npay(1)", "pay", {"x/shop.py": PY, "y/shop.py": PY}, None),
        ("a.py", "from shop import pay\npay(1)", "pay", {"x/shop.py": PY, "x/__init__.py": ""}, None),
        ("a.py", "pay(1)", "pay", {"shop.py": PY}, None),
        ("a.py", f"{PY}\npay(1)", "pay", {}, "a.py:6"),
        ("a.py", f"{PY}\n{PY}\npay(1)", "pay", {}, None),
        ("a.py", f"{PY}\ntotal(1)", "total", {}, None),
        ("w/a.ts", "import { min } from '../b'\nmin(1)", "min", {"b.ts": TS}, "b.ts:4"),
        ("a.ts", "import { Cart } from './b.js'\nMath.min(1)", "min", {"b.ts": TS}, None),
        ("a.ts", "import { Cart } from './b'\nx.total()", "total", {"b.js": TS}, "b.js:2"),
        (
            "a.ts",
            "import { min } from './b'\nmin(1)",
            "min",
            {"b/index.ts": "export * from './c'", "b/c.ts": TS},
            "b/c.ts:4",
        ),
        ("a.ts", "import { min } from './b.go'\nmin(1)", "min", {"b.go": "package b\n\nfunc min() {}\n"}, None),
        (
            "app/a.go",
            'package a\nimport "example.com/app/money"\nvar x = money.NewFee()',
            "NewFee",
            GO,
            "money/fee.go:3",
        ),
        ("money/a.go", "package money\nvar x = NewFee()", "NewFee", GO, "money/fee.go:3"),
        ("app/a.go", 'package a\nimport "other.com/money"\nvar x = money.NewFee()', "NewFee", GO, None),
        ("src/c.rs", "use crate::a::one;\nfn f() { one(); }", "one", RS, "src/a/mod.rs:2"),
        ("src/c.rs", "use crate::a::{b::Two, one};\nfn f(x: Two) {}", "Two", RS, None),
        ("src/c.rs", "use super::a::b::Two;\nfn f(x: Two) {}", "Two", RS, "src/a/b.rs:1"),
        (
            "m/src/c/A.java",
            "import a.b.Order;\nclass A { void f(Order x) {} }",
            "Order",
            JAVA,
            "m/src/a/b/Order.java:1",
        ),
        ("m/src/a/b/A.java", "class A { void f(Fee x) {} }", "Fee", JAVA, "m/src/a/b/Fee.java:1"),
        (
            "a/b.c",
            '#include "money.h"\nint f() { return fee(); }',
            "fee",
            {"inc/money.h": "int fee(void) { return 1; }"},
            "inc/money.h:1",
        ),
    ],
)
def test_a_name_leads_to_one_place_in_its_file_or_in_what_this_imports(
    path: str, text: str, name: str, others: Mapping[str, str], where: str | None
) -> None:
    """Else to none: neither to a name of another language, nor to one of the language itself."""
    lines = text.split("\n")
    *_, used = [each for each in identifiers(path, lines, range(len(lines) + 1)) or () if each.name == name]

    found = ImportedCode(RepositoryView(FilesTree({**others, path: text}), PARSER)).definition(path, used)

    assert (found and f"{found[0]}:{found[1].start_line}") == where


def test_no_more_than_eight_imported_files_are_read_for_a_batch() -> None:
    """Each may take a call to GitHub."""
    files = {f"m{at:02}.py": f"def call_{at}():\n    pass\n" for at in range(20)}
    lines = [*(f"from m{at:02} import call_{at}" for at in range(20)), *(f"call_{at}()" for at in range(20))]
    tree = CountedTree({**files, "a.py": "\n".join(lines)})
    code = ImportedCode(RepositoryView(tree, PARSER))
    calls = identifiers("a.py", lines, range(21, 41), only_called=True) or ()

    first = [code.definition("a.py", each) is not None for each in calls]
    code.begin_batch([])

    assert first == [True] * 8 + [False] * 12
    assert len({*tree.reads}) == 9
    assert code.definition("a.py", calls[-1]) is not None
