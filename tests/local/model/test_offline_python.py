"""Which defects of Python code the offline reviewer knows, and which sound code it leaves alone."""

import textwrap

import pytest
from anthropic import Anthropic

from kodiai.core.changes.show import show_file
from tests.builders import a_file
from tests.local.model.conftest import Review
from tests.local.model.conversation import Conversation

# name: (code, line, severity, category, kind, title)
DEFECTS = {
    "an undefined name": (
        "def total(prices):\n    return sum(prices) * vat\n",
        (2, "MAJOR", "correctness", "impact", "`vat` is not defined"),
    ),
    "an undefined name in a quoted annotation": (
        'def total(prices: "Prices") -> int:\n    return sum(prices)\n',
        (1, "MEDIUM", "correctness", "impact", "`Prices` is not defined"),
    ),
    "an undefined name in a postponed annotation": (
        "from __future__ import annotations\n\n\ndef total(prices: Prices) -> int:\n    return sum(prices)\n",
        (4, "MEDIUM", "correctness", "impact", "`Prices` is not defined"),
    ),
    "a syntax error": (
        "def total(prices:\n    return 1\n",
        (1, "CRITICAL", "correctness", "impact", "A syntax error: expected `)`, found newline"),
    ),
    "return outside a function": (
        "x = 1\nreturn x\n",
        (2, "CRITICAL", "correctness", "impact", "`return` outside a function"),
    ),
    "a local read too early": (
        "n = 0\n\n\ndef count():\n    print(n)\n    n = 1\n    return n\n",
        (5, "MAJOR", "correctness", "impact", "`n` is read before it is assigned"),
    ),
    "a missing value for a format": (
        "def say(a):\n    return '%s and %s' % (a,)\n",
        (2, "MAJOR", "correctness", "impact", "The number of % values does not match the placeholders"),
    ),
    "an assert on a tuple": (
        "def check(a):\n    assert (a == 1, 'no')\n",
        (2, "MAJOR", "correctness", "impact", "An assert on a tuple always passes"),
    ),
    "identity of literals": (
        "def paid(state):\n    return state is 'paid'\n",
        (2, "MEDIUM", "correctness", "impact", "A literal is compared with `is`"),
    ),
    "a mutable default": (
        "def add(item, to=[]):\n    to.append(item)\n    return to\n",
        (1, "MEDIUM", "correctness", "impact", "A mutable default argument"),
    ),
    "a clock in a default": (
        "import datetime\n\n\ndef since(at=datetime.datetime.now()):\n    return at\n",
        (4, "MEDIUM", "correctness", "impact", "`datetime.datetime.now` is called once, for the default argument"),
    ),
    "return in finally": (
        "def run(f):\n    try:\n        f()\n    finally:\n        return 1\n",
        (5, "MAJOR", "reliability", "impact", "`return` in `finally` swallows the exception"),
    ),
    "a comparison thrown away": (
        "def set_it(a, b):\n    a == b\n    return a\n",
        (2, "MEDIUM", "correctness", "impact", "A comparison whose result is thrown away"),
    ),
    "a loop variable in a closure": (
        "def all_of(names):\n    made = []\n    for name in names:\n        made += [lambda: name]\n    return made\n",
        (4, "MEDIUM", "correctness", "impact", "A function made in a loop uses the loop variable `name`"),
    ),
    "an exception that is not raised": (
        "def check(a):\n    if a < 0:\n        ValueError('negative')\n    return a\n",
        (3, "MAJOR", "correctness", "impact", "An exception is made and not raised"),
    ),
    "except A or B": (
        "def read(f):\n    try:\n        return f()\n    except KeyError or ValueError:\n        return None\n",
        (4, "MAJOR", "correctness", "impact", "`except A or B` catches only one of them"),
    ),
    "a method with a wrong signature": (
        "class Box:\n    def __len__(self, deep):\n        return 1\n",
        (2, "MAJOR", "correctness", "impact", "`__len__` takes the wrong number of parameters"),
    ),
    "a second definition": (
        "def load(path):\n    return path\n\n\ndef load(path, strict):\n    return path, strict\n",
        (5, "MEDIUM", "correctness", "impact", "`load` is defined again"),
    ),
    "a key twice": (
        "SIZES = {'a': 1, 'b': 2, 'a': 3}\n",
        (1, "MEDIUM", "correctness", "impact", "The key `'a'` stands twice in a dict"),
    ),
    "a missing comma": (
        "NAMES = [\n    'left'\n    'right',\n    'up',\n]\n",
        (2, "MEDIUM", "correctness", "impact", "Two strings in a collection without a comma between"),
    ),
    "strip of a word": (
        "def stem(name):\n    return name.rstrip('.tar.gz')\n",
        (2, "MEDIUM", "correctness", "impact", "`strip` takes a set of characters, not a word"),
    ),
    "an unsafe YAML loader": (
        "import yaml\n\n\ndef read(text):\n    return yaml.load(text, Loader=yaml.Loader)\n",
        (5, "MAJOR", "security", "impact", "YAML is loaded with an unsafe loader"),
    ),
    "a shell with values": (
        "import subprocess\n\n\ndef pack(name):\n    subprocess.run(f'tar {name}', shell=True, check=True)\n",
        (5, "MAJOR", "security", "impact", "A shell command is built from values"),
    ),
    "os.system with values": (
        "import os\n\n\ndef pack(name):\n    os.system('tar ' + name)\n",
        (5, "MAJOR", "security", "impact", "A shell command is built from values"),
    ),
    "SQL with values": (
        "def find(db, name):\n    return db.execute(f\"select * from t where n = '{name}'\")\n",
        (2, "MAJOR", "security", "impact", "SQL is built from values"),
    ),
    "eval": (
        "def read(text):\n    return eval(text)\n",
        (2, "MEDIUM", "security", "impact", "`eval` runs text as code"),
    ),
    "pickle": (
        "import pickle\n\n\ndef read(data):\n    return pickle.loads(data)\n",
        (5, "MEDIUM", "security", "impact", "Unpickling can run code"),
    ),
    "no certificate check": (
        "import requests\n\n\ndef get(url):\n    return requests.get(url, verify=False, timeout=5)\n",
        (5, "MAJOR", "security", "impact", "TLS certificates are not checked"),
    ),
    "text that runs backwards": (
        "ROLE = 'user\u202e'\n",
        (1, "MAJOR", "security", "impact", "Invisible characters that change the direction of text"),
    ),
    "no timeout": (
        "import requests\n\n\ndef get(url):\n    return requests.get(url)\n",
        (5, "MEDIUM", "reliability", "impact", "A network call without timeout"),
    ),
    "a task that nobody holds": (
        "import asyncio\n\n\nasync def go(work):\n    asyncio.create_task(work())\n",
        (5, "MEDIUM", "reliability", "impact", "A task that nobody holds"),
    ),
    "sleep in the loop": (
        "import time\n\n\nasync def go():\n    time.sleep(1)\n",
        (5, "MAJOR", "performance", "impact", "`time.sleep` blocks the event loop"),
    ),
    "a debugger": (
        "def go(a):\n    breakpoint()\n    return a\n",
        (2, "MAJOR", "reliability", "impact", "A debugger is left in the code"),
    ),
    "a bare except": (
        "def go(f):\n    try:\n        f()\n    except:\n        return 1\n    return 0\n",
        (4, "MEDIUM", "reliability", "preference", "A bare `except`"),
    ),
    "an unused import": (
        "import json\n\nX = 1\n",
        (1, "MINOR", "style", "preference", "`json` is imported and not used"),
    ),
    "an unused variable": (
        "def go(f):\n    rest = f()\n    return 1\n",
        (2, "MINOR", "correctness", "preference", "`rest` is assigned and never used"),
    ),
}


@pytest.mark.parametrize(("code", "expected"), DEFECTS.values(), ids=DEFECTS.keys())
def test_a_planted_defect_is_the_one_finding(
    findings: Review, code: str, expected: tuple[int, str, str, str, str]
) -> None:
    """Line, severity, category, kind and title are right, and nothing else is said."""
    found = findings("src/shop.py", code)

    fields = ("start_line", "severity", "category", "kind", "title")
    assert [tuple(each[name] for name in fields) for each in found] == [expected]
    assert found[0]["explanation"]


SOUND = {
    "an empty file": ("src/a.py", ""),
    "a plain function": ("src/a.py", "def add(a: int, b: int) -> int:\n    return a + b\n"),
    "a forward reference": ("src/a.py", "class Node:\n    def next(self) -> 'Node':\n        return self\n"),
    "an unquoted forward reference": ("src/a.py", "class Node:\n    def next(self) -> Node:\n        return self\n"),
    "the newest syntax": (
        "src/a.py",
        "type Pair[T] = tuple[T, T]\n\ntry:\n    pass\nexcept KeyError, ValueError:\n    raise\n",
    ),
    "imports of a package": ("src/pkg/__init__.py", "from pkg.inner import thing\n"),
    "an import to test for": ("src/a.py", "try:\n    import orjson\nexcept ImportError:\n    FAST = False\n"),
    "gettext": ("src/a.py", "TITLE = _('Title')\n"),
    "a shell with a constant": (
        "src/a.py",
        "import subprocess\n\nsubprocess.run('ls | wc', shell=True, check=True)\n",
    ),
    "a joined sentence": ("src/a.py", "LINES = [\n    'one sentence that '\n    'goes on',\n]\n"),
    "a dependency as default": (
        "src/a.py",
        "from fastapi import Depends\n\n\ndef read(db=Depends(object)):\n    return db\n",
    ),
    "dice in a game": ("src/a.py", "import random\n\n\ndef roll():\n    return random.randint(1, 6)\n"),
    "a swallowed exception that is explained": (
        "src/a.py",
        "def go(f):\n    try:\n        f()\n    except Exception:\n        pass  # the caller asks again\n",
    ),
    "what the author has silenced": ("src/a.py", "import json  # noqa: F401\n"),
    "an expression that is to fail": (
        "tests/test_a.py",
        "import pytest\n\n\ndef test_it(box):\n    with pytest.raises(KeyError):\n        box['x']\n",
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
    "overloads": (
        "src/a.py",
        (
            "from typing import overload\n\n\n@overload\ndef f(a: int) -> int: ...\n@overload\n"
            "def f(a: str) -> str: ...\ndef f(a):\n    return a\n"
        ),
    ),
    "a stub": ("src/a.pyi", "import json\n\ndef f(a: int = ...) -> int: ...\n"),
}


@pytest.mark.parametrize(("path", "code"), SOUND.values(), ids=SOUND.keys())
def test_sound_code_is_left_alone(findings: Review, path: str, code: str) -> None:
    """No finding is better than a wrong one."""
    assert findings(path, code + "# end\n") == []


def test_more_than_three_of_a_kind_are_one_finding(findings: Review) -> None:
    """A file full of one thing is told once, with the other places named."""
    code = "import requests\n\n\n" + "\n\n".join(f"def f{n}(url):\n    return requests.get(url)\n" for n in range(5))

    (found,) = findings("src/a.py", code)

    assert (found["start_line"], found["title"]) == (5, "A network call without timeout")
    assert str(found["explanation"]).endswith("The same in 4 more places of this file: lines 9, 13, 17, 21.")


def test_three_of_a_kind_are_three_findings(findings: Review) -> None:
    """So many can be answered one by one."""
    code = "import requests\n\n\n" + "\n\n".join(f"def f{n}(url):\n    return requests.get(url)\n" for n in range(3))

    assert [found["start_line"] for found in findings("src/a.py", code)] == [5, 9, 13]


def test_unchanged_lines_are_not_judged(findings: Review) -> None:
    """A file may be full of old problems: only those on changed lines are told."""
    old, new = (f"def {name}(url):\n    return requests.get(url)\n" for name in ("old", "new"))
    code = f"import requests\n\n\n{old}\n\n{new}"

    assert [found["start_line"] for found in findings("src/a.py", code, {8, 9})] == [9]


def test_an_argument_that_makes_an_old_call_unsafe_is_found(findings: Review) -> None:
    """The call began on an unchanged line, the line that makes it unsafe was added."""
    code = textwrap.dedent(
        """\
        import subprocess


        def pack(name):
            subprocess.run(
                f"tar {name}",
                check=True,
                shell=True,
            )
        """
    )

    assert [(found["start_line"], found["quote"]) for found in findings("src/a.py", code, {8})] == [
        (8, "        shell=True,")
    ]
    assert findings("src/a.py", code, {7}) == []


def test_a_safe_fix_is_offered_for_the_whole_line(findings: Review) -> None:
    """The replacement is what exactly those lines should read."""
    found = findings("src/a.py", 'import re\n\nDIGITS = re.compile("\\d+")\n')

    assert [(each["quote"], each["replacement"]) for each in found] == [
        ('DIGITS = re.compile("\\d+")', 'DIGITS = re.compile(r"\\d+")')
    ]


def test_a_fix_that_may_change_the_meaning_is_not_offered(findings: Review) -> None:
    """Ruff calls it unsafe, so nobody should apply it with one click."""
    (found,) = findings("src/a.py", "def add(item, to=[]):\n    return [*to, item]\n")

    assert found["replacement"] is None


def test_a_syntax_error_that_shows_later_belongs_to_the_changed_line(findings: Review) -> None:
    """An opened bracket is noticed at the next statement, which nobody touched."""
    code = "a = 1\nb = (a\n\ndef c():\n    return 2\n"

    (found,) = findings("src/a.py", code, {2})

    assert (found["start_line"], found["severity"], found["quote"]) == (2, "CRITICAL", "b = (a")
    assert "The parser notices at line 4." in str(found["explanation"])


def test_a_file_that_never_parsed_is_not_held_against_the_change(findings: Review) -> None:
    """Python 2 stays Python 2."""
    code = 'print "hello"\nx = 1\n'

    assert findings("src/a.py", code, {2}) == []


def test_a_name_that_the_change_takes_away_is_missed_where_it_is_used(client: Anthropic) -> None:
    """On a line that it did not touch; a name that was unknown before is somebody else's."""
    patch = "@@ -1,2 +1 @@\n-import os\n X = 1"
    head = "X = 1\n\n\ndef name():\n    return os.name + unknown\n"
    shown = show_file(a_file("src/a.py", patch=patch))

    asking = Conversation(client, {"src/a.py": head})
    found = asking.extract(asking.find(shown))["findings"]

    assert [(each["start_line"], each["title"]) for each in found] == [(5, "`os` is not defined")]
