"""Replies that say all by themselves: the table of whole replies, and what is never in it."""

from kodiai.core.conversation.mention import comment_lines, handles
from kodiai.core.conversation.replies import Meaning, is_courtesy, whole_reply
from tests.tables import each_row

OURS = handles("kodiai[bot]", ())
TABLE: list[tuple[str, Meaning]] = [
    ("won't fix", "wont_fix"),
    ("WONTFIX", "wont_fix"),
    ("ｗｏｎ＇ｔ　ｆｉｘ", "wont_fix"),
    ("w\u200bon't\u00a0fix \U0001f645\u200d\u2642\ufe0f", "wont_fix"),
    ("won&#39;t fix", "wont_fix"),
    ("**Won't fix**", "wont_fix"),
    ("- won't fix", "wont_fix"),
    (":no_entry_sign: wontfix", "wont_fix"),
    ("Works as intended, thanks", "by_design"),
    ("Won't fix, by design.", "by_design"),
    ("Ack, thank you!", "acknowledged"),
    ("Known issue", "acknowledged"),
    ("False positive", "false_positive"),
    ("Done ✅", "done"),
    ("good catch, fixed", "done"),
    ("Reopen", "reopen"),
    ("please re-open", "reopen"),
    ("> This leaks the handle.\n\nWon't fix.", "wont_fix"),
    ("Won't fix\n\nSent from my iPhone", "wont_fix"),
    ("On Mon, 3 Feb 2025, kodiai <n@github.com> wrote:\n> is it by design?\n\nFixed.", "done"),
]
NOT_IN_IT = [
    "",
    "Won't fix?",
    "Fixed, I think",
    "This won't fix it",
    "I'd rather not merge with this bug",
    "It now works as intended",
    "known bug, the fix is coming in this PR",
    '"by design"',
    "`won't fix`",
    "```\nby design\n```",
    "~~Won't fix~~",
    "~~not~~ fixed",
    "- [ ] done",
    "<!-- by design -->",
    "Fixed the first, won't fix the second",
    "仕様です",
]


@each_row(("text", "says"), TABLE)
def test_a_whole_reply_of_the_table_is_understood(text: str, says: Meaning) -> None:
    """However it is typed, with courtesy around it, and below a quote of what it answers."""
    assert whole_reply(comment_lines(text, OURS)) == says


@each_row("text", NOT_IN_IT)
def test_a_reply_that_says_more_is_not_in_the_table(text: str) -> None:
    """Nor is a question, quoted speech, code, or what is struck out or ticked off."""
    assert whole_reply(comment_lines(text, OURS)) is None


@each_row("text", ["thanks", "Thank you so much 🎉", "+1", ":)", "Great catch, thanks for the review.", ""])
def test_courtesy_says_nothing(text: str) -> None:
    """Nobody has to read it."""
    assert is_courtesy(text)
    assert not is_courtesy(f"{text} and the tests")
    assert not is_courtesy(f"{text}?")
