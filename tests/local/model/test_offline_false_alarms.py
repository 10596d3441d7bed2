"""Sound code that the offline reviewer once took for broken: each case stands for one that public histories have."""

import pytest
from anthropic import Anthropic

from kodiai.core.changes.show import show_file
from local.model.offline.python_problems import keeps_its_blocks
from tests.builders import a_file
from tests.local.model.conftest import Review
from tests.local.model.conversation import Conversation, show

END = "# end\n"

IMPORTS = {
    "from a neighbor": "from .structures import Case, Multi\n\nprint(Case)\n",
    "from the standard library, for others": "from io import BytesIO\nfrom collections.abc import Mapping\n",
    "from another project, for others": "from werkzeug.utils import redirect\n",
    "of a module of another project": "import chardet\n",
    "under its own name": "import json as json\n",
    "named in __all__": "from json import loads\nimport json\n\n__all__ = ['loads', 'json']\n",
    "tried": "try:\n    import json\nexcept ImportError:\n    json = None\n",
    "tried in a branch": "import sys\n\nif sys.version_info > (3,):\n    import json\nelse:\n    json = None\n",
    "for type checkers": "import typing\n\nif typing.TYPE_CHECKING:\n    from decimal import Decimal\n",
    "used in a type comment": "import decimal\n\n\ndef f(a):\n    # type: (decimal.Decimal) -> None\n    return a\n",
    "used in a doctest": 'import math\n\n\ndef f():\n    """Round.\n\n    >>> math.floor(f())\n    """\n',
    "silenced": "import json  # noqa\n",
    "explained": "import json  # tests replace it\n",
    "of a codec": "import encodings.idna\n",
    "for its effect": "import readline\n",
}


@pytest.mark.parametrize("code", IMPORTS.values(), ids=IMPORTS.keys())
def test_an_import_that_somebody_may_want_is_left_alone(findings: Review, code: str) -> None:
    """To remove a name that others import from here breaks them."""
    assert findings("src/pkg/compat.py", code + END) == []


def test_an_import_that_nobody_can_want_is_reported(findings: Review) -> None:
    """A test's imports are for nobody else, and whoever wants `json` imports it from where it is."""
    found = [*findings("tests/test_a.py", "from io import StringIO\n"), *findings("src/a.py", "import json\n")]

    assert [each["title"] for each in found] == [
        "`io.StringIO` is imported and not used",
        "`json` is imported and not used",
    ]


PYTHON_2 = {
    "a handler": "def f(g):\n    try:\n        g()\n    except KeyError, e:\n        print(e)\n        return nope\n",
    "a handler of several": "def f(g):\n    try:\n        g()\n    except (KeyError, OSError), e:\n        raise e\n",
    "print": "def f(a):\n    print 'total', a\n",
    "print to a file": "def f(a, out):\n    print >>out, a, nope\n",
    "print after a colon": "def f(a):\n    if a: print a\n",
    "raise": "def f(a):\n    raise ValueError, 'no'\n",
    "exec": "def f(a):\n    exec a in {}\n",
    "backticks": "def f(a):\n    return `a`\n",
    "unequal": "def f(a):\n    return a <> 1\n",
    "an octal number": "import os\n\nos.chmod('a', 0755)\n",
    "a long number": "SIZE = 10L\n",
    "a raw unicode string": "NAME = ur'a'\n",
    "a parameter that is a tuple": "def f(a, (b, c)):\n    return a\n",
    "tabs between spaces": "def f(a):\n\tif a:\n\t\ta = 1\n\t   \ta = 2\n\treturn a\n",
}


@pytest.mark.parametrize("code", PYTHON_2.values(), ids=PYTHON_2.keys())
def test_python_2_is_not_judged_as_python_3(client: Anthropic, code: str) -> None:
    """Nothing is reported of a file that only Python 2 parses, and the summary says that it was not checked."""
    answer = Conversation(client, {"src/a.py": code}).review(show("src/a.py", code))

    assert answer["findings"] == []
    assert answer["what_changed"].endswith(" Not checked beyond secrets and merge conflicts: Python 2.")


def test_names_that_python_2_has_are_not_missed(findings: Review) -> None:
    """Code for both asks for the version first."""
    code = "import sys\n\nif sys.version_info[0] == 2:\n    text = unicode\n    span = xrange\nelse:\n    text = str\n"

    assert findings("src/compat.py", code) == []


FIXTURES = [
    "tests/data/cases/comments.py",
    "test/unit/data/a.py",
    "pkg/testdata/a.py",
    "tests/fixtures/a.py",
    "golden/a.py",
    "spec/examples/a.py",
    "web/__snapshots__/a.py",
]


@pytest.mark.parametrize("path", FIXTURES)
def test_material_of_tests_is_data(findings: Review, path: str) -> None:
    """It may be as broken as its test needs it."""
    broken = "def f(:\n"
    unknown = "x = nope\n"
    torn = "<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> topic\n"

    assert [findings(path, code) for code in (broken, unknown, torn)] == [[], [], []]


@pytest.mark.parametrize("path", FIXTURES)
def test_a_secret_in_material_of_tests_does_not_block(findings: Review, path: str) -> None:
    """It is reported, as one that may be made up."""
    key = "AKIA" + "Q7RKT2MZXW4VBNYD"

    [found] = findings(path, f"key = '{key}'\n")

    assert found["severity"] == "MEDIUM"


def changed(before: str, after: str, path: str = "src/a.py") -> tuple[str, str]:
    """A change of a whole file: its patch, shown as the request does, and the head."""
    old, new = before.splitlines(), after.splitlines()
    rows = [f"@@ -1,{len(old)} +1,{len(new)} @@", *(f"-{line}" for line in old), *(f"+{line}" for line in new)]
    return show_file(a_file(path, patch="\n".join(rows))), after


def found_in(client: Anthropic, before: str, after: str) -> list[tuple[int, str]]:
    shown, head = changed(before, after)
    asking = Conversation(client, {"src/a.py": head})
    return [(each["start_line"], each["title"]) for each in asking.extract(asking.find(shown))["findings"]]


OLD = "import requests\n\n\ndef get(url, kind, size=[]):\n    return requests.get(url, {'kind': kind})\n"
REFORMATTED = {
    "indented": OLD.replace("    ", "  "),
    "inside something else": OLD.replace("def get", "if True:\n    def get").replace("    return", "        return"),
    "with other quotation marks": OLD.replace("'", '"'),
    "wrapped": (
        "import requests\n\n\ndef get(\n    url,\n    kind,\n    size=[],\n):\n"
        '    return requests.get(\n        url,\n        {"kind": kind},\n    )\n'
    ),
}


@pytest.mark.parametrize("after", REFORMATTED.values(), ids=REFORMATTED.keys())
def test_a_line_that_was_only_formatted_otherwise_is_not_new(client: Anthropic, after: str) -> None:
    """What is wrong with it was wrong before."""
    assert found_in(client, OLD, after) == []
    assert found_in(client, "", after)


def test_a_line_that_lost_something_is_new(client: Anthropic) -> None:
    """Every word of it stood there before, but not in this company."""
    before = "import requests\n\n\ndef get(url):\n    return requests.get(url, timeout=5)\n"
    after = before.replace(", timeout=5", "")

    assert found_in(client, before, after) == [(5, "A network call without timeout")]


def test_a_line_that_stands_there_twice_now_is_new(client: Anthropic) -> None:
    """One line that went away accounts for one that came."""
    before = "SIZES = {\n  'a': 1,\n}\n"
    after = "SIZES = {\n    'a': 1,\n    'b': 2,\n    'a': 1,\n}\n"

    assert found_in(client, before, after) == [(4, "The key `'a'` stands twice in a dict")]


def test_a_block_that_is_indented_wrongly_is_reported(client: Anthropic) -> None:
    """Only white space changed, and the file no longer parses."""
    before = "def f(a):\n    b = a\n    return b\n"
    after = "def f(a):\n    b = a\n      return b\n"

    assert found_in(client, before, after) == [(3, "A syntax error: unexpected indentation")]


def test_a_secret_that_was_only_moved_to_the_right_is_not_new(client: Anthropic) -> None:
    """It leaked before."""
    before = 'KEY = "AKIA' + 'Q7RKT2MZXW4VBNYD"\n'

    assert found_in(client, before, f"if True:\n    {before}") == []


def test_a_text_that_gets_its_names_from_elsewhere_is_left_alone(findings: Review) -> None:
    """More than three unknown names are no slip: it is an example, or is run inside something else."""
    assert findings("docs/conf.py", "a = one\nb = two\nc = three\n" + END) != []
    assert findings("docs/conf.py", "a = one\nb = two\nc = three\nd = four\n" + END) == []


def test_however_many_names_a_change_takes_away_they_are_missed(client: Anthropic) -> None:
    """A file that knew all of its names gets them from nowhere else."""
    before = "from math import ceil, cos, floor, sin\n\nX = [\n    ceil,\n    cos,\n    floor,\n    sin,\n]\n"
    after = before.partition("\n\n")[2]
    patch = "@@ -1,3 +1,1 @@\n-from math import ceil, cos, floor, sin\n-\n X = ["

    asking = Conversation(client, {"src/a.py": after})
    found = asking.extract(asking.find(show_file(a_file("src/a.py", patch=patch))))["findings"]

    assert [each["title"] for each in found] == ["`ceil` is not defined"]
    assert "The same in 3 more places of this file" in found[0]["explanation"]


MEANT = {
    "an attribute that is read for its effect": "def f(response):\n    response.content\n    return response\n",
    "a handler that raises again": "def f(g):\n    try:\n        g()\n    except:\n        g(1)\n        raise\n",
    "a handler that explains itself": "def f(g):\n    try:\n        g()\n    except:  # plug-ins may\n        g(1)\n",
    "an error that is made": "def f():\n    1 // 0\n",
    "a name of Python for every version": "import sys\n\nif sys.version_info > (3,):\n    sorted = sorted\n",
    "a name that is defined in a string": "exec('def f(a): return a')\n\n\ndef g():\n    return f(1)\n",
    "a function that is called at once": (
        "def f(names):\n    for name in names:\n        def g():\n            return name\n        g()\n"
    ),
    "a loop that reuses its name": "def f(item):\n    for item in item.parts:\n        print(item)\n",
    "a call that is awaited": "import httpx\n\n\nasync def f(a: httpx.Client):\n    return await a.get('/')\n",
    "a command from elsewhere": (
        "import subprocess\n\n\ndef f(command):\n    subprocess.run(command, shell=True, check=True)\n"
    ),
    "functions that are registered": (
        "from app import on\n\n\n@on('a')\ndef handle():\n    return 1\n\n\n@on('b')\ndef handle():\n    return 2\n"
    ),
    "a module that makes its names": "__all__ = ['late']\n\n\ndef __getattr__(name):\n    return name\n",
    "a fallback that is imported again": "C = None\n\ntry:\n    from ssl import C\nexcept ImportError:\n    pass\n",
}


@pytest.mark.parametrize("code", MEANT.values(), ids=MEANT.keys())
def test_what_may_well_be_meant_is_left_alone(findings: Review, code: str) -> None:
    """A doubtful remark costs more than it brings."""
    assert findings("src/a.py", code + END) == []


@pytest.mark.parametrize(
    ("before", "after", "keeps"),
    [
        (
            "try:\n    import a\nexcept ImportError:\n    a = 1\n",
            "try:\n    pass\nexcept ImportError:\n    a = 1\n",
            False,
        ),
        ("if a:\n    b = 1\n", "if a:\n", False),
        ("import a, b\n", "import a\n", True),
        ("if a:\n    pass\nb = '\\d'\n", "if a:\n    pass\nb = r'\\d'\n", True),
    ],
)
def test_a_suggestion_never_empties_a_block(before: str, after: str, *, keeps: bool) -> None:
    """With it the file parses, and every block still does something."""
    assert keeps_its_blocks(before, after) is keeps


def test_languages_that_no_check_knows_are_named(client: Anthropic) -> None:
    """Texts for people and material of tests are not waited for."""
    files = {
        "a.go": "x\n",
        "b.js": "y\n",
        "c.py": "z = 1\n",
        "d.md": "w\n",
        "tests/data/e.rs": "v\n",
        "f.py": "u = 1\n",
    }

    answer = Conversation(client, files).review("".join(show(path, text) for path, text in files.items()))

    assert answer["what_changed"].endswith(" Not checked beyond secrets and merge conflicts: Go, JavaScript.")
