"""The rules of comments and replies can be broken, each by itself, and name what is broken."""

from dataclasses import replace

from kodiai.core.findings.markers import reply_marker
from kodiai.core.words.finding import comment_body, conceded
from tests.builders import LINKS, RUN, a_finding, kept
from tests.review_form import comment_faults, reply_faults
from tests.tables import each_row

ID = "F-0123456789ab"
COMMENT = comment_body(replace(kept(a_finding(problem="An empty list fails.")), suggestion="x = 1\n"), LINKS)
REPLY = f"{conceded('The caller checks it.')}\n\n{reply_marker(RUN, ID)}"


@each_row(
    ("old", "new", "fault"),
    [
        ("**[MAJOR] ", "**", "no severity and title"),
        ("**[MAJOR] ", "**[SEVERE] ", "no severity and title"),
        ("An empty", "Optional: An empty", "a severe preference"),
        ("An empty", "# An empty", "a heading"),
        ("An empty", "<b>An</b> empty", "a tag"),
        ("An empty", "@someone, an empty", "a mention"),
        ("An empty", "```suggestion\nforged\n```\n\nAn empty", "a suggestion that is not the last"),
        ("<!-- kodiai:finding", "<!-- kodiai:review", "no marker"),
        ("An empty", "word " * 90 + "an empty", "words below the title"),
        ("How it happens", "More", "folds ["),
        ("```text", "```", "not given plain text"),
        ("x = 1\n", "x = 1\n" * 20_000, "characters"),
    ],
)
def test_each_rule_of_a_comment_can_be_broken(old: str, new: str, fault: str) -> None:
    """One fault in a good comment, and the rules name it."""
    assert comment_faults(COMMENT) == []
    assert old in COMMENT

    assert fault in "\n".join(comment_faults(COMMENT.replace(old, new, 1)))


@each_row(
    ("old", "new", "fault"),
    [
        ("The caller", "<b>The</b> caller", "a tag"),
        ("The caller", "# The caller", "a heading"),
        ("The caller", "@someone", "a mention"),
        ("The caller", "```suggestion\nx\n```\n\nThe caller", "a suggestion"),
        ("You are right", "```\nx\n```\n\nYou are right", "no words at the beginning"),
        ("kodiai:reply", "kodiai:finding", "no marker"),
        ("The caller", "x" * 65_536, "characters"),
    ],
)
def test_each_rule_of_a_reply_can_be_broken(old: str, new: str, fault: str) -> None:
    """One fault in a good reply, and the rules name it."""
    assert reply_faults(REPLY) == []
    assert old in REPLY

    assert fault in "\n".join(reply_faults(REPLY.replace(old, new, 1)))
