"""Drafts: the edits that a model writes become a diff, or complaints that the model can act on."""

import json

import pytest

from kodiai.core.proposals.draft import Draft, UnusableDraft, content_of, read_draft
from tests.tables import each_row

FILES = {
    "src/orders.py": b"def total(prices, discount):\n    return sum(prices) + discount\n",
    "src/crlf.py": b"a = 1\r\nb = 2\r\n",
    "logo.png": b"\x89PNG\xff\x00",
}
EXACTLY = "Copy it exactly, with its indentation."
TWICE = "is in the file 2 times: give more lines around it."
CHANGE = {"what": "The discount is subtracted", "why": "It was added"}


def draft(*edits: tuple[str, str, str], **more: object) -> Draft:
    """A draft with these edits: path, old, new."""
    written = [dict(zip(("path", "old", "new"), edit, strict=True)) for edit in edits]
    answer = {"description": "Subtract the discount", "changes": [CHANGE], "edits": written, **more}
    return read_draft(json.dumps(answer))


def test_edits_become_a_diff_with_the_intent() -> None:
    """Also those of a new file, of a file that goes, and several of one file, one after the other."""
    written = draft(
        ("src/orders.py", "+ discount", "- discount"),
        ("src/orders.py", "- discount", "- max(discount, 0)"),
        ("tests/test_orders.py", "", "def test():\n    pass\n"),
        deleted=["src/crlf.py"],
    )

    content = content_of(written, FILES.get)

    assert content.intent.description == "Subtract the discount"
    assert [change.what for change in content.intent.changes] == ["The discount is subtracted"]
    assert "-    return sum(prices) + discount\n+    return sum(prices) - max(discount, 0)\n" in content.diff
    assert "--- /dev/null\n+++ b/tests/test_orders.py\n" in content.diff
    assert "+++ /dev/null\n" in content.diff


def test_line_ends_of_a_file_are_kept() -> None:
    """A model writes line feeds; in a file with carriage returns they become what the file has."""
    content = content_of(draft(("src/crlf.py", "a = 1\nb = 2", "a = 1\nb = 3")), FILES.get)

    assert "-b = 2\r\n+b = 3\r\n" in content.diff


@each_row(
    ("edit", "complaint"),
    [
        (
            ("src/orders.py", "return sum(price)", "x"),
            f"src/orders.py: the `old` that begins with `return sum(price)` is not in the file. {EXACTLY}",
        ),
        (
            ("src/orders.py", "discount", "rebate"),
            f"src/orders.py: the `old` that begins with `discount` {TWICE} {EXACTLY}",
        ),
        (("src/orders.py", "", "x"), "src/orders.py: the file exists, so `old` has to be text of it."),
        (("none.py", "a", "b"), "none.py: there is no such file. Leave `old` empty to create it."),
        (("logo.png", "PNG", "GIF"), "logo.png: the file is not UTF-8 text."),
        (("src/orders.py", "+ discount", "+ discount"), "The edits change nothing."),
    ],
)
def test_an_edit_that_does_not_fit_is_a_complaint(edit: tuple[str, str, str], complaint: str) -> None:
    """Nothing is guessed: the text has to be in the file exactly once."""
    with pytest.raises(UnusableDraft) as raised:
        content_of(draft(edit), FILES.get)

    assert raised.value.complaints == (complaint,)


def test_every_complaint_is_told_at_once() -> None:
    """A model has one more try."""
    with pytest.raises(UnusableDraft) as raised:
        content_of(draft(("none.py", "a", "b"), deleted=["gone.py"]), FILES.get)

    assert raised.value.complaints == (
        "none.py: there is no such file. Leave `old` empty to create it.",
        "gone.py: there is no such file to delete.",
    )


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ("I cannot.", "The answer cannot be read: the model's answer is not JSON."),
        ('{"edits": [{"path": "a"}]}', "The answer is not as described: edits.0.new, edits.0.old."),
        ('{"edits": []}', "The answer lacks description and changes."),
    ],
)
def test_an_answer_that_is_no_draft_is_a_complaint(answer: str, complaint: str) -> None:
    """The missing members are named."""
    with pytest.raises(UnusableDraft) as raised:
        read_draft(answer)

    assert raised.value.complaints == (complaint,)


def test_a_model_may_say_that_it_cannot_be_done_with_words_around_the_object() -> None:
    """Then nothing else is required."""
    written = read_draft('Here it is:\n```json\n{"edits": [], "impossible": "Which currency?"}\n```')

    assert written.impossible == "Which currency?"
