"""The offline reviewer's findings in files of any kind: leaked secrets, which it does not repeat, and conflicts."""

import base64
import hashlib
import json

from tests.local.model.conftest import Review
from tests.tables import each_row

LETTERS = "".join(
    char for char in base64.b64encode(hashlib.sha512(b"nobody's").digest() * 3).decode() if char.isalnum()
)
# Put together here, so that no secret is in this file.
TOKEN = "ghp_" + LETTERS[:36]
OTHER_TOKEN = "ghp_" + LETTERS[40:76]
GOOGLE = "AIza" + LETTERS[:35]
KEY_TITLE = "-----BEGIN " + "RSA PRIVATE KEY-----"
KEY_LINE = LETTERS[:64]


@each_row("path", ["src/settings.py", "web/app.ts", "docs/setup.md", "Makefile", "a\nb.txt", "ä/`x`.c"])
def test_a_secret_is_found_and_not_repeated(findings: Review, path: str) -> None:
    """The file may have any name; no field has more of the secret than four characters."""
    [found] = findings(path, f'first = 1\nvalue = "{TOKEN}"\n')

    assert (found["start_line"], found["severity"], found["category"]) == (2, "CRITICAL", "security")
    assert (found["title"], found["quote"]) == ("A GitHub token is in the code (`ghp_…`)", 'value = "')
    assert found["explanation"] == (
        "Search for secrets: Everybody who can read the repository, its forks or its history can use it. "
        "Deleting the line is not enough."
    )
    assert found["fix"] == "Revoke it; read the new one from a secret store."
    assert TOKEN[:12] not in json.dumps(found)


def test_the_header_of_a_private_key_is_quoted_and_the_key_is_not(findings: Review) -> None:
    """The key's own lines stay out of the review, also where it is one string."""
    [found] = findings("deploy/site.pem", f"{KEY_TITLE}\n{KEY_LINE}\n{KEY_LINE}\n-----END RSA PRIVATE KEY-----\n")
    [in_code] = findings("src/a.js", f'const key = "{KEY_TITLE}\\n{KEY_LINE}\\n";\n')

    assert (found["start_line"], found["severity"], found["quote"]) == (1, "CRITICAL", KEY_TITLE)
    assert found["title"] == "A private key is in the code"
    assert in_code["quote"] == f'const key = "{KEY_TITLE}'
    assert KEY_LINE not in str([found, in_code])


HARMLESS = {
    "AWS's own example": 'KEY = "AKIAIOSFODNN7' + 'EXAMPLE"\n',
    "a token of crosses": f'TOKEN = "ghp_{"x" * 36}"\n',
    "said to be fake": f'API_KEY = "{TOKEN}"  # fake\n',
    "a password in an address": 'URL = "postgres://app:hT7wq9Zkd3@localhost/x"\n',
    "code that looks for private keys": f'def is_key(text):\n    return text.startswith("{KEY_TITLE}")\n',
}


@each_row("text", HARMLESS.values(), ids=HARMLESS.keys())
def test_a_placeholder_is_no_secret(findings: Review, text: str) -> None:
    """Placeholders, and what is mostly made up."""
    assert findings("src/settings.py", text) == []


@each_row("path", ["tests/test_login.py", "tests/fixtures/a.json"])
def test_a_secret_in_tests_is_reported_as_less_severe(findings: Review, path: str) -> None:
    """It may be made up."""
    [found] = findings(path, f'TOKEN = "{TOKEN}"\n')

    assert found["severity"] == "MEDIUM"
    assert "The file belongs to tests, so this may be made up. If it is not:" in found["explanation"]


def test_a_secret_is_hidden_from_every_other_finding_of_its_line(findings: Review) -> None:
    """The line has another problem, whose quote would have shown the secret; so would a fix."""
    found = findings("src/a.py", f'def go():\n    headers = {{"auth": "{TOKEN}", "escape": "\\d"}}\n    return 1\n')

    assert len(found) == 3
    assert TOKEN not in json.dumps(found)
    assert {each["quote"] for each in found} == {'    headers = {"auth": "'}
    assert [each["replacement"] for each in found] == [None, None, None]


def test_two_secrets_of_one_line_do_not_show_each_other(findings: Review) -> None:
    """Each is quoted from behind the one before it."""
    found = findings("a.txt", f"use {TOKEN} and also {GOOGLE} here\n")

    assert [each["quote"] for each in found] == ["use", " and also"]
    assert not any(secret in str(found) for secret in (TOKEN, GOOGLE))


def test_a_line_that_is_nothing_but_a_secret_is_quoted_by_its_beginning(findings: Review) -> None:
    """A finding must quote something."""
    [found] = findings("token.txt", f"{TOKEN}\n")

    assert found["quote"] == "ghp_"


def test_a_very_long_line_is_searched(findings: Review) -> None:
    """The line has the greatest length that is shown whole."""
    [found] = findings("web/app.js", "a" * 3_900 + f' "{TOKEN}" ' + "b" * 3_900 + "\n")

    assert len(str(found["quote"])) <= 200


def test_a_secret_that_only_moved_is_not_new(brought: Review) -> None:
    """It leaked before; another one in its place is new."""
    before = f'KEY = "{TOKEN}"\n'

    assert brought(before, f"if True:\n    {before}") == []
    assert len(brought(before, before.replace(TOKEN, OTHER_TOKEN))) == 1


CONFLICT = "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\nd\n"


@each_row(("path", "severity"), [("src/a.py", "CRITICAL"), ("web/a.js", "CRITICAL"), ("README.md", "MAJOR")])
def test_a_merge_conflict_is_one_finding(findings: Review, path: str, severity: str) -> None:
    """It is reported at its first marker, and a Python file's syntax errors are not reported besides."""
    [found] = findings(path, CONFLICT)

    assert (found["start_line"], found["severity"], found["quote"]) == (2, severity, "<<<<<<< HEAD")
    assert found["title"] == "A merge conflict is left in the file"
    assert "to line 6" in found["explanation"]


@each_row(
    "words",
    [
        "Title\n=======\ntext\n",
        ">>>>>>> quoted deeply\n",
        "<<<<<<< HEAD\nnever closed\n",
        "  <<<<<<< a\n  =======\n  >>>>>>> b\n",
    ],
)
def test_a_text_that_resembles_a_conflict_is_left_alone(findings: Review, words: str) -> None:
    """A heading's underline, a quotation and an example are none."""
    assert findings("README.md", words) == []


def test_a_conflict_that_was_there_before_is_not_reported(brought: Review) -> None:
    """Its markers are not on changed lines."""
    assert brought(CONFLICT, f"{CONFLICT}e\n", "a.txt") == []
