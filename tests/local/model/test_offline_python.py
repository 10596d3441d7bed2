"""The offline reviewer reports defects of Python code in ruff's words, and leaves sound code alone."""

import json
import subprocess
import sys

from local.model.offline.ruff import SYNTAX_ERROR, reasons
from local.model.offline.rules import RULES
from tests.local.model.conftest import Review
from tests.local.model.conversation import titles
from tests.tables import each_row

# name: (code, line, weight, title)
DEFECTS = {
    "an undefined name": (
        "def total(prices):\n    return sum(prices) * vat\n",
        (2, "MAJOR correctness impact", "Undefined name `vat`"),
    ),
    "a syntax error": (
        "def total(prices:\n    return 1\n",
        (1, "CRITICAL correctness impact", "Syntax error: expected `)`, found newline"),
    ),
    "a mutable default": (
        "def add(item, to=[]):\n    to.append(item)\n    return to\n",
        (1, "MEDIUM correctness impact", "Do not use mutable data structures for argument defaults"),
    ),
    "return in finally": (
        "def run(f):\n    try:\n        f()\n    finally:\n        return 1\n",
        (5, "MAJOR reliability impact", "`return` inside `finally` blocks cause exceptions to be silenced"),
    ),
    "a loop variable in a closure": (
        "def all_of(names):\n    made = []\n    for name in names:\n        made += [lambda: name]\n    return made\n",
        (4, "MEDIUM correctness impact", "Function definition does not bind loop variable `name`"),
    ),
    "a second definition": (
        "def load(path):\n    return path\n\n\ndef load(path, strict):\n    return path, strict\n",
        (5, "MEDIUM correctness impact", "Redefinition of unused `load` from line 1: `load` redefined here"),
    ),
    "a shell with values": (
        "import subprocess\n\n\ndef pack(name):\n    subprocess.run(f'tar {name}', shell=True, check=True)\n",
        (5, "MAJOR security impact", "`subprocess` call with `shell=True` identified, security issue"),
    ),
    "pickle, whose title is cut": (
        "import pickle\n\n\ndef read(data):\n    return pickle.loads(data)\n",
        (5, "MEDIUM security impact", "`pickle` and modules that wrap it can be unsafe when used to deserialize…"),
    ),
    "no timeout": (
        "import requests\n\n\ndef get(url):\n    return requests.get(url)\n",
        (5, "MEDIUM reliability impact", "Probable use of `requests` call without timeout"),
    ),
    "sleep in the loop": (
        "import time\n\n\nasync def go():\n    time.sleep(1)\n",
        (5, "MAJOR performance impact", "Async functions should not call `time.sleep`"),
    ),
    "a bare except": (
        "def go(f):\n    try:\n        f()\n    except:\n        return 1\n    return 0\n",
        (4, "MEDIUM reliability preference", "Do not use bare `except`"),
    ),
    "an unused variable": (
        "def go(f):\n    rest = f()\n    return 1\n",
        (2, "MINOR correctness preference", "Local variable `rest` is assigned to but never used"),
    ),
}


@each_row(("code", "expected"), DEFECTS.values(), ids=DEFECTS.keys())
def test_a_planted_defect_is_the_one_finding(findings: Review, code: str, expected: tuple[int, str, str]) -> None:
    """Line, severity, category, kind and title are right, the rule is named, and nothing else is reported."""
    [found] = findings("src/shop.py", code)

    weight = f"{found['severity']} {found['category']} {found['kind']}"
    assert (found["start_line"], weight, found["title"]) == expected
    assert found["explanation"].startswith("Ruff ")
    assert found["quote"] == code.split("\n")[expected[0] - 1]


def test_a_finding_says_why_in_the_words_of_ruff(findings: Review) -> None:
    """The first sentences of what ruff writes of the rule."""
    [found] = findings("src/a.py", DEFECTS["a mutable default"][0])

    assert found["explanation"] == (
        "Ruff B006: Function defaults are evaluated once, when the function is defined. The same mutable object is "
        "then shared across all calls to the function."
    )


FIXES = {
    "ruff's fix": ("def f(a=[]):\n    return a\n", "Replace with `None`; initialize within function."),
    "the last sentence of its message": (
        "import yaml\n\n\ndef f(x):\n    return yaml.load(x)\n",
        "Consider `yaml.safe_load`.",
    ),
    "nothing": ("Y = nope\n", "See ruff's documentation of `undefined-name`."),
    "too many words": ("def f(a):\n    a == 1\n", "See ruff's documentation of `useless-comparison`."),
    "no rule": ("def f(:\n", "Make it valid Python."),
}


@each_row(("code", "fix"), FIXES.values(), ids=FIXES.keys())
def test_a_finding_says_what_to_do(findings: Review, code: str, fix: str) -> None:
    """The fix is ruff's advice if it is short, else the page that shows it."""
    [found] = findings("src/a.py", code)

    assert found["fix"] == fix


SOUND = {
    "an empty file": ("src/a.py", ""),
    "an unquoted forward reference": ("src/a.py", "class Node:\n    def next(self) -> Node:\n        return self\n"),
    "the newest syntax": (
        "src/a.py",
        "type Pair[T] = tuple[T, T]\n\ntry:\n    pass\nexcept KeyError, ValueError:\n    raise\n",
    ),
    "imports that others may want": ("src/pkg/compat.py", "from io import BytesIO\n\nimport chardet\nimport json\n"),
    "gettext": ("src/a.py", "TITLE = _('Title')\n"),
    "names of Python 2 in code for both": (
        "src/compat.py",
        "import sys\n\nif sys.version_info[0] == 2:\n    text = unicode\nelse:\n    text = str\n",
    ),
    "a shell with a constant": ("src/a.py", "import os\n\nos.system('ls | wc')\n"),
    "a command from elsewhere": (
        "src/a.py",
        "import subprocess\n\n\ndef f(command):\n    subprocess.run(command, shell=True, check=True)\n",
    ),
    "a handler that raises again": (
        "src/a.py",
        "def f(g):\n    try:\n        g()\n    except:\n        g(1)\n        raise\n",
    ),
    "unsafe things in a test": (
        "tests/test_a.py",
        "import pickle\n\n\ndef test_it(data):\n    assert pickle.loads(data) == eval('1')\n",
    ),
    "a fixture that is imported": (
        "tests/test_a.py",
        "from tests.fixtures import box\n\n\ndef test_it(box):\n    assert box\n",
    ),
    "a D-Bus signature": ("src/a.py", "def name(self) -> 's':\n    return self\n"),
    "a function that is called at once": (
        "src/a.py",
        "def f(names):\n    for name in names:\n        def g():\n            return name\n        g()\n",
    ),
    "functions that are registered": (
        "src/a.py",
        "from app import on\n\n\n@on('a')\ndef handle():\n    return 1\n\n\n@on('b')\ndef handle():\n    return 2\n",
    ),
    "an error that is named and not used": (
        "src/a.py",
        "def f(g):\n    try:\n        g()\n    except ValueError as error:\n        return 1\n",
    ),
    "a stub": ("src/a.pyi", "import json\n\ndef f(a: list = []) -> int: ...\n"),
}


@each_row(("path", "code"), SOUND.values(), ids=SOUND.keys())
def test_sound_code_is_left_alone(findings: Review, path: str, code: str) -> None:
    """No finding is better than a wrong one."""
    assert findings(path, code + "# end\n") == []


FIXTURES = ["tests/data/cases/comments.py", "pkg/testdata/a.py", "golden/a.py", "spec/examples/a.py"]


@each_row("path", FIXTURES)
def test_material_of_tests_is_data(findings: Review, path: str) -> None:
    """It may be as broken as its test needs it."""
    torn = "<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> topic\n"

    assert [findings(path, code) for code in ("def f(:\n", "x = nope\n", torn)] == [[], [], []]


def test_more_than_three_of_a_kind_are_one_finding(findings: Review) -> None:
    """A file full of one thing is reported once, with the other places named; three can be answered one by one."""
    calls = [f"def f{n}(url):\n    return requests.get(url)\n" for n in range(5)]

    several = findings("src/a.py", "import requests\n\n\n" + "\n\n".join(calls[:3]))
    [found] = findings("src/a.py", "import requests\n\n\n" + "\n\n".join(calls))

    assert [each["start_line"] for each in several] == [5, 9, 13]
    assert found["start_line"] == 5
    assert found["explanation"].endswith(" The same in 4 more places of this file: lines 9, 13, 17, 21.")


def test_a_safe_fix_is_offered_and_another_one_is_not(findings: Review) -> None:
    """The replacement is what the line should read, whatever else is on it; ruff calls the other one unsafe."""
    found = findings("src/a.py", "import re\r\n\r\nX = re.compile('日本🎉\\d')  # ä\r\n\r\ndef f(a=[]): pass\r\n")

    assert [each["replacement"] for each in found] == [None, "X = re.compile(r'日本🎉\\d')  # ä"]


ODD = {
    "no newline at the end": ("X = 1\nY = nope", 2),
    "a form feed in an empty line": ("X = 1\n\x0c\nY = nope\n", 3),
    "letters beyond ASCII": ("Größe = '日本語 🎉'\nY = Größe + nope\n", 2),
    "a byte order mark": ("\ufeffY = nope\n", 1),
    "half of a surrogate pair": ("X = '\ufffd'\nY = '\ufffd' + nope\n", 2),
}


@each_row(("code", "line"), ODD.values(), ids=ODD.keys())
def test_a_finding_is_on_the_right_line(findings: Review, code: str, line: int) -> None:
    """The line is git's, for any line ends and characters in the file."""
    assert titles(findings("src/a.py", code)) == [(line, "Undefined name `nope`")]


OLD = "import requests\n\n\ndef get(url, kind, size=[]):\n    return requests.get(url, {'kind': kind})\n"
REFORMATTED = {
    "indented": OLD.replace("    ", "  "),
    "inside something else": OLD.replace("def get", "if True:\n    def get").replace("    return", "        return"),
    "with other quotation marks": OLD.replace("'", '"'),
    "moved": f"{OLD.partition('def')[0]}def first():\n    return 1\n\n\ndef{OLD.partition('def')[2]}",
    "wrapped": (
        "import requests\n\n\ndef get(\n    url,\n    kind,\n    size=[],\n):\n"
        '    return requests.get(\n        url,\n        {"kind": kind},\n    )\n'
    ),
}


@each_row("after", REFORMATTED.values(), ids=REFORMATTED.keys())
def test_an_old_problem_is_not_reported(brought: Review, after: str) -> None:
    """Reformatted lines make no difference."""
    assert brought(OLD, after) == []
    assert brought("", after)


def test_the_one_of_several_alike_on_a_changed_line_is_new(brought: Review) -> None:
    """Each old problem accounts for one present one."""
    call = "def {}(url):\n    return requests.get(url)\n\n\n"
    before, after = (f"import requests\n\n\n{call.format('old')}", f"import requests\n\n\n{call.format('old')}")

    found = brought(before, after.replace("import requests\n\n\n", f"import requests\n\n\n{call.format('new')}"))

    assert [each["start_line"] for each in found] == [5]


def test_a_line_that_lost_something_is_new(brought: Review) -> None:
    """Every word of it was there before."""
    before = "import requests\n\n\ndef get(url):\n    return requests.get(url, timeout=5)\n"

    assert titles(brought(before, before.replace(", timeout=5", ""))) == [
        (5, "Probable use of `requests` call without timeout")
    ]


def test_a_name_that_the_change_takes_away_is_missed_where_it_is_used(brought: Review) -> None:
    """The use may be on an unchanged line; a name that was unknown before is not reported."""
    after = "X = 1\n\n\ndef name():\n    return os.name + unknown\n"

    assert titles(brought(f"import os\n{after}", after)) == [(5, "Undefined name `os`")]


def test_a_syntax_error_that_shows_later_belongs_to_the_changed_line(brought: Review) -> None:
    """An opened bracket is noticed at the next statement, which nobody touched."""
    after = "a = 1\nb = (a\n\ndef c():\n    return 2\n"

    [found] = brought(after.replace("(a", "a"), after)

    assert (found["start_line"], found["severity"], found["quote"]) == (2, "CRITICAL", "b = (a")
    assert found["explanation"].endswith(" The parser notices it at line 4.")


def test_a_file_that_never_parsed_is_not_held_against_the_change(brought: Review) -> None:
    """It may be a template; what is wrong once it parses is reported where lines are new."""
    assert brought("def f(:\n", "def f(:\nx = 1\n") == []
    assert titles(brought("def f(:\n    return a\n", "def f():\n    return a\n\n\nx = b\n")) == [
        (5, "Undefined name `b`")
    ]


PYTHON_2 = {
    "a handler": "def f(g):\n    try:\n        g()\n    except KeyError, e:\n        print(e)\n        return nope\n",
    "a handler of several": "def f(g):\n    try:\n        g()\n    except (KeyError, OSError), e:\n        raise e\n",
    "print": "def f(a):\n    print 'total', a\n",
    "print to a file": "def f(a, out):\n    print >>out, a, nope\n",
    "raise": "def f(a):\n    raise ValueError, 'no'\n",
    "backticks": "def f(a):\n    return `a`\n",
    "unequal": "def f(a):\n    return a <> 1\n",
    "an octal number": "import os\n\nos.chmod('a', 0755)\n",
    "a parameter that is a tuple": "def f(a, (b, c)):\n    return a\n",
    "tabs between spaces": "def f(a):\n\tif a:\n\t\ta = 1\n\t   \ta = 2\n\treturn a\n",
}


@each_row("code", PYTHON_2.values(), ids=PYTHON_2.keys())
def test_python_2_is_not_judged_as_python_3(findings: Review, code: str) -> None:
    """Nothing is reported of a file that only Python 2 parses."""
    assert findings("src/a.py", code) == []


def test_python_3_that_looks_like_python_2_is_checked(findings: Review) -> None:
    """Marks of Python 2 in a line with an unknown name say nothing: they may be in a text."""
    code = "def f(a):\n    g(f'`{nope}`', '<>')\n    return a >> nope2\n"

    assert titles(findings("src/a.py", f"{code}\n\ndef g(*a):\n    return a\n")) == [
        (2, "Undefined name `nope`"),
        (3, "Undefined name `nope2`"),
    ]


def test_every_rule_is_a_stable_rule_of_ruff_that_says_why() -> None:
    """A rule that ruff drops or renames shows here, not as a review that lacks findings."""
    told = subprocess.run(
        [sys.executable, "-m", "ruff", "rule", "--all", "--output-format", "json"], check=True, capture_output=True
    )
    stable = {rule["code"] for rule in json.loads(told.stdout) if not rule["preview"]}

    assert set(RULES) - stable == {SYNTAX_ERROR}
    assert set(RULES) - set(reasons()) == {SYNTAX_ERROR}
    assert [code for code, rule in RULES.items() if rule.kind == "preference" and rule.severity == "MAJOR"] == []
