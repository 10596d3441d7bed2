"""Edits after which a finding is said to be resolved: those that change nothing about it, and those that fix it."""

from dataclasses import dataclass, field, replace

from tests.git_repository import Files

START = """import math


def total_$(prices, discount):
    paid = math.fsum(prices)
    return paid + discount * rate_$(prices)


def rate_$(prices):
    return len(prices)
"""
BUG = "return paid + discount * rate_$(prices)"
TOUCHED = f"{START}LIMIT_$ = 5\n"
_TOTAL = START[START.index("def total_$") :].partition("\n\n\n")[0]
_RATE = START[START.index("def rate_$") :]

LOAD = """def load_$(handle):
    close_$(handle)
    data = read_$(handle)
    return data
"""
LOADED = """def load_$(handle):
    data = read_$(handle)
    close_$(handle)
    return data
"""

FUNCTION = """function total_$(prices, discount) {
  const of = row => row[0];
  const paid = prices.get('sum');
  return paid + discount * rate_$(prices);
}
"""
IN_FUNCTION = f"{BUG};"
_SPLIT = f"return (\n        {BUG[7:]}\n    )".replace("+", "\n        +")


def _above(line: str, text: str = START) -> str:
    """The start with one more line above the one that is complained about."""
    return text.replace("    return paid", f"    {line}\n    return paid")


@dataclass(frozen=True)
class Edit:
    """A finding's file before and after a push, and the evidence with which a reviewer calls the finding resolved.

    A `$` in any text is the finding's name. `path` is where the evidence is said to stand, the finding's own file
    unless given. `base` is its file on the base branch, `then` and `now` are other files before and after.
    `by_meaning` is whether only somebody who understands the code can tell that the claim is false.
    """

    name: str
    quote: str
    after: str | None = TOUCHED
    before: str = START
    bug: str = BUG
    path: str | None = None
    base: str | None = None
    then: Files = field(default_factory=dict)
    now: Files = field(default_factory=dict)
    by_meaning: bool = False
    ending: str = "py"

    def of(self, text: str) -> str:
        """A text with the finding's name in it."""
        return text.replace("$", self.name)

    def files(self, files: Files) -> dict[str, str | None]:
        """Files with the finding's name in their paths and contents."""
        return {self.of(path): self.of(str(text)) if text is not None else None for path, text in files.items()}

    @property
    def file(self) -> str:
        """The finding's file."""
        return f"src/{self.name}.{self.ending}"


def _formatted(name: str, quote: str, after: str, before: str = START, bug: str = BUG) -> Edit:
    """An edit of the format alone; a name with a dot in it has the ending of another language."""
    name, _, ending = name.partition(".")
    return Edit(name, quote, after, before, bug, ending=ending or "py")


def _in_function(name: str, quote: str, after: str) -> Edit:
    return _formatted(f"{name}.js", quote, after, FUNCTION, IN_FUNCTION)


UNCHANGED = (
    Edit(
        "readme",
        "The discount of $ is taken off now.",
        path="README.md",
        now={"README.md": "# Widgets\n\nThe discount of $ is taken off now.\n"},
    ),
    Edit("old_line", "import math"),
    Edit("neighbor", "paid = math.fsum(prices)"),
    Edit("longer", f"    paid = math.fsum(prices)\n    {BUG}"),
    Edit("longer_with_new", TOUCHED[TOUCHED.index("    return paid") :]),
    Edit("comment", "# Fixed: the discount of $ is taken off.", _above("# Fixed: the discount of $ is taken off.")),
    Edit("letters", "LIM"),
    Edit("renamed_variable", BUG.replace("discount", "rebate"), START.replace("discount", "rebate"), by_meaning=True),
    Edit(
        "moved_away",
        "from src.moved_away_there import total_$",
        f"from src.moved_away_there import total_$\n\n\n{_RATE}\nTOTAL = total_$\n",
        now={"src/moved_away_there.py": START},
    ),
    Edit("moved_down", BUG, f"import math\n\n\n{_RATE}\n\n{_TOTAL}\n"),
    Edit("moved_down_with_neighbor", "def rate_$(prices):", f"import math\n\n\n{_RATE}\n\n{_TOTAL}\n"),
    Edit("indented", f"        {BUG}", START.replace(f"    {BUG}", f"    if True:\n        {BUG}")),
    Edit(
        "indented_in_new", "    if True:", START.replace(f"    {BUG}", f"    if True:\n        {BUG}"), by_meaning=True
    ),
    Edit(
        "docstring",
        '"""Sum up $, its discount taken off."""',
        START.replace("    paid =", '    """Sum up $, its discount taken off."""\n    paid ='),
    ),
    Edit("other_file", "return sum(prices)", path="src/orders.py"),
    Edit("nowhere", "return paid - discount * rate_$(prices)"),
    Edit("blank", "  "),
    Edit("trailing_comment", f"{BUG}  # taken off by rate_$", START.replace(BUG, f"{BUG}  # taken off by rate_$")),
    Edit(
        "renamed_file",
        "paid = math.fsum(prices)",
        None,
        path="src/renamed_file_now.py",
        base=START.replace("+", "-"),
        now={"src/renamed_file_now.py": TOUCHED},
    ),
    Edit(
        "removed_lines",
        "-    paid = max(paid, 0)",
        START,
        _above("paid = max(paid, 0)"),
        base=_above("paid = max(paid, 0)").replace("+", "-"),
    ),
    Edit("changed_before", "fee = paid * 0", _above("fee = paid * 0", TOUCHED), _above("fee = paid * 0")),
)
"""Claims that are false: the problem stands as it stood."""

WITHOUT_EFFECT = (
    Edit("elsewhere_in_file", "LIMIT_$ = 5"),
    Edit(
        "elsewhere_in_other_file",
        "retries = 5",
        path="src/retries.py",
        then={"src/retries.py": "retries = 4\n"},
        now={"src/retries.py": "retries = 5\n"},
    ),
    Edit(
        "elsewhere_with_local_names",
        "return sum(prices)",
        path="src/sums.py",
        then={"src/sums.py": "def longest(prices):\n    return max(prices)\n"},
        now={"src/sums.py": "def longest(prices):\n    return sum(prices)\n"},
    ),
    Edit("idle", "pass", _above("pass")),
    Edit("idle_literal", "None", _above("None")),
    Edit("idle_condition", "if False:", _above("if False:\n        return 0"), by_meaning=True),
    _formatted("imports", "import math", f"import io\nimport math\n{_TOTAL}", f"import math\nimport io\n{_TOTAL}"),
    _formatted("split", "    + discount * rate_$(prices)", START.replace(BUG, _SPLIT)),
    _formatted("parentheses", f"return ({BUG[7:]})", START.replace(BUG, f"return ({BUG[7:]})")),
    _formatted("separator", f"{BUG};", START.replace(BUG, f"{BUG};")),
    _formatted("continued", "* rate_$(prices)", START.replace("* ", "\\\n        * ")),
    _formatted("joined", f"paid = math.fsum(prices); {BUG}", START.replace(f"\n    {BUG}", f"; {BUG}")),
    _formatted(
        "quotes",
        'return row["$"] / row["n"]',
        'def f(row):\n    return row["$"] / row["n"]\n',
        "def f(row):\n    return row['$'] / row['n']\n",
        "return row['$'] / row['n']",
    ),
    _in_function("js_split", "paid +", FUNCTION.replace(f"{IN_FUNCTION}", _SPLIT)),
    _in_function("js_separator", BUG, FUNCTION.replace(IN_FUNCTION, BUG)),
    _in_function("js_quotes", 'const paid = prices.get("sum");', FUNCTION.replace("'", '"')),
    _in_function("js_empty", f"{IN_FUNCTION};", FUNCTION.replace(IN_FUNCTION, f"{IN_FUNCTION};")),
    _in_function("js_parameters", "const of = (row) => row[0];", FUNCTION.replace("row =>", "(row) =>")),
    replace(_in_function("js_broken", BUG[7:], FUNCTION.replace("return ", "return\n    ")), by_meaning=True),
)
"""Claims with evidence that a parser calls the same code, or that has nothing to do with the finding's."""

FIXED = (
    Edit("guard", "if not prices:", START.replace("    paid =", "    if not prices:\n        return 0\n    paid =")),
    Edit("changed", BUG.replace("+", "-"), START.replace(BUG, BUG.replace("+", "-"))),
    Edit("deleted", "paid = math.fsum(prices)", START, _above("prices_$.clear()"), "prices_$.clear()"),
    Edit(
        "fixed_elsewhere",
        "return max(value, 0)",
        START.replace("rate_$(", "clamp_$("),
        START.replace("rate_$(", "clamp_$("),
        BUG.replace("rate_$(", "clamp_$("),
        path="src/clamp.py",
        then={"src/clamp.py": "def clamp_$(value):\n    return value\n"},
        now={"src/clamp.py": "def clamp_$(value):\n    return max(value, 0)\n"},
    ),
    Edit("deleted_file", "", None),
    Edit(
        "reordered",
        "data = read_$(handle)\n    close_$(handle)",
        LOADED,
        LOAD,
        "close_$(handle)\n    data = read_$(handle)",
    ),
    Edit("reordered_line", "data = read_$(handle)\n    close_$(handle)", LOADED, LOAD, "close_$(handle)"),
    Edit(
        "inverted",
        "if not is_paid_$(order):",
        "def ship_$(order):\n    if not is_paid_$(order):\n        raise ValueError(order)\n",
        "def ship_$(order):\n    if is_paid_$(order):\n        raise ValueError(order)\n",
        "if is_paid_$(order):",
    ),
    Edit(
        "replaced_call",
        "return yaml.safe_load(text_$)",
        "import yaml\n\n\ndef parse_$(text_$):\n    return yaml.safe_load(text_$)\n",
        "import yaml\n\n\ndef parse_$(text_$):\n    return yaml.load(text_$)\n",
        "return yaml.load(text_$)",
    ),
)
"""Claims that are true."""
