"""The secrets in a model's material, and its edits of files that hold some."""

import pytest

from kodiai.core.findings.suggestion import offer
from kodiai.core.proposals.draft import Draft, Edit, UnusableDraft, content_of
from kodiai.core.proposals.proposal import IntendedChange
from kodiai.core.text.secrets import masked_for_model, secret_in
from tests.builders import PARSER, a_finding
from tests.tables import each_row

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
FILE = f"import os\n\nTOKEN = '{TOKEN}'\nURL = 'https://a.example'\n"
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n"


def _drafted(old: str, new: str) -> str:
    change = IntendedChange(what="The token.", why="It leaks.")
    draft = Draft(description="Take it out.", changes=(change,), edits=(Edit(path="a.py", old=old, new=new),))
    return content_of(draft, lambda _: FILE.encode()).diff


NUMBERED = "".join(f"+    {at} | {line}\n" for at, line in enumerate(KEY.splitlines(), 12))


@each_row(
    ("text", "shown"),
    [
        (f"{FILE}# {TOKEN}", FILE.replace(TOKEN, "ghp_…") + "# ghp_…"),
        (f"{KEY}x\n", "-----BEGIN RSA PRIVATE KEY-----\n…\n…\nx\n"),
        *((text, text) for text in ("", "x = 1\n", "ghp_…", "A word that is …", "https://a.example/b?c=d")),
    ],
)
def test_secrets_are_masked_and_all_else_stays(text: str, shown: str) -> None:
    """The same one has the same mask; the lines of a key stay lines, also behind the numbers of the material.

    The rest stays to the letter: other prompts would lose their recorded answers.
    """
    assert masked_for_model(text) == shown
    assert masked_for_model(NUMBERED).count("\n") == 3
    assert "VJTUt9Us" not in masked_for_model(NUMBERED)


def test_an_edit_takes_a_masked_secret_out_of_the_file() -> None:
    """It is matched with the file as the model sees it, and made in the file as it is."""
    diff = _drafted("TOKEN = 'ghp_…'\nURL", "TOKEN = os.environ['TOKEN']\nURL")

    assert f"-TOKEN = '{TOKEN}'" in diff
    assert "+TOKEN = os.environ['TOKEN']" in diff


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("TOKEN = 'ghp_…'", "GITHUB_TOKEN = 'ghp_…'"),
        ("URL = 'https://a.example'", "URL = 'https://a.example'\nOTHER = 'ghp_…'"),
    ],
)
def test_no_edit_writes_a_mask_into_the_file(old: str, new: str) -> None:
    """The error tells the model why."""
    with pytest.raises(UnusableDraft, match="holds a secret that you are shown masked"):
        _drafted(old, new)


def test_no_suggestion_writes_a_mask_into_the_file() -> None:
    """One that takes the secret out is offered."""
    lines = FILE.split("\n")
    finding = a_finding(path="a.py", start_line=3, end_line=3, quote=lines[2])

    masked = offer(finding.model_copy(update={"replacement": "TOKEN = 'ghp_…'.strip()"}), lines, PARSER)
    without = offer(finding.model_copy(update={"replacement": "TOKEN = os.environ['TOKEN']"}), lines, PARSER)

    assert masked.refused == "it could write “…” into the file in place of a secret"
    assert without.text == "TOKEN = os.environ['TOKEN']\n"
    assert secret_in(without.text) is None
