"""Replacements as reviewers may write them: those that would break a file or do nothing, and good ones."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Replacement:
    """A file at the head, the lines of it that are quoted, and what they are to be replaced with.

    `reason` is why it must not be offered, `more_lines` how many lines it covers beyond those that it quotes.
    """

    path: str
    text: str
    quote: str
    replacement: str
    reason: str = ""
    more_lines: int = 0


PYTHON = """def total(prices, discount):
    paid = sum(prices)
    return paid + discount
"""
PAID = "    paid = sum(prices)"
RETURN = "    return paid + discount"
SCRIPT = "function total(paid, discount) {\n  const sum = paid + discount;\n  return sum;\n}\n"
SUM = "  const sum = paid + discount;"
TYPED = SCRIPT.replace("paid,", "paid: number,").replace("discount)", "discount: number)")
GO = "package main\n\nfunc total(paid, discount int) int {\n\tsum := paid + discount\n\treturn sum\n}\n"
YAML = "on:\n  push:\n    branches: [main]\njobs: {}\n"
JAVA = "class Cart {\n    int total(int paid) {\n        return paid;\n    }\n}\n"
RUBY = "def total(paid)\n  paid + 1\nend\n"
RUST = "fn total(paid: i32) -> i32 {\n    paid + 1\n}\n"
PARSE = "the file would not parse with it"
INDENT = "its indentation differs from the code's"

BROKEN = (
    Replacement("bracket.py", PYTHON, RETURN, "    return (paid - discount", PARSE),
    Replacement("Cart.java", JAVA, "        return paid;", "        return (paid;", PARSE),
    Replacement("cart.rb", RUBY, "  paid + 1", "  if paid then paid - 1", PARSE),
    Replacement("left.py", PYTHON, RETURN, "return paid - discount", INDENT),
    Replacement("tabs.py", PYTHON, RETURN, "\treturn paid - discount", INDENT),
    Replacement("fence.py", PYTHON, RETURN, "```python\n    return paid - discount\n```", "it has a fence in it"),
    Replacement(
        "diff.py",
        PYTHON,
        RETURN,
        "-    return paid + discount\n+    return paid - discount",
        "it has diff markers in it",
    ),
    Replacement("numbers.py", PYTHON, RETURN, "   3 |     return paid - discount", "it has line numbers in it"),
    Replacement("ellipsis.py", PYTHON, RETURN, "    ...\n    return paid - discount", "it has an ellipsis in it"),
    Replacement("after.py", PYTHON, PAID, f"    paid = math.fsum(prices)\n{RETURN}", "it repeats the line after it"),
    Replacement("before.py", PYTHON, RETURN, f"{PAID}\n    return paid - discount", "it repeats the line before it"),
    Replacement("nothing.py", PYTHON, RETURN, RETURN, "it changes nothing"),
    Replacement("other.py", PYTHON, PAID, "    paid = math.fsum(prices)", "it is for other lines than those quoted", 1),
    Replacement(
        "nested.py",
        PYTHON,
        RETURN,
        "    def total(prices, discount):\n        return sum(prices) - discount",
        "it puts a definition into one of the same name",
    ),
    Replacement("brace.js", SCRIPT, SUM, "  if (discount) { const sum = paid - discount;", PARSE),
    Replacement("type.ts", TYPED, SUM, "  const sum: = paid - discount;", PARSE),
    Replacement("cart.rs", RUST, "    paid + 1", "    paid + ) 1", PARSE),
    Replacement("brace.go", GO, "\tsum := paid + discount", "\tsum := paid - discount }", PARSE),
    Replacement("workflow.yml", YAML, "    branches: [main]", "    branches: [main", PARSE),
    Replacement(
        "listed.yml", YAML, "    branches: [main]", "    branches: main", "it makes a text of a list or a mapping"
    ),
    Replacement(
        "package.json",
        '{\n  "files": ["index.js"],\n  "name": "a"\n}\n',
        '  "files": ["index.js"],',
        '  "files": ["index.js", "more.js"]',
        PARSE,
    ),
    Replacement(
        "main.zig",
        "pub fn main() void {\n    run(1);\n}\n",
        "    run(1);",
        "    run(2);",
        "nothing can check this language",
    ),
)

GOOD = (
    Replacement("good.py", PYTHON, RETURN, "    return paid - discount"),
    Replacement("more.py", PYTHON, RETURN, "    if discount > paid:\n        return 0\n    return paid - discount"),
    Replacement("good.js", SCRIPT, SUM, "  const sum = paid - discount;"),
    Replacement("good.go", GO, "\tsum := paid + discount", "\tsum := paid - discount"),
    Replacement("good.yml", YAML, "    branches: [main]", "    branches: [main, next]"),
    Replacement("good.md", "# Widgets\n\nOrders cost more.\n", "Orders cost more.", "Orders cost less."),
)
