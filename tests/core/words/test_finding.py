"""The texts of a finding: its inline comment, and what is said in its thread."""

import pytest

from kodiai.core.words import finding as words
from kodiai.core.words.finding import BODY_LIMIT, comment_body
from kodiai.core.words.markers import finding_marker, reply_marker
from tests.builders import HEAD, RUN, a_finding, kept
from tests.review_form import comment_faults, reply_faults

ID = "F-0123456789ab"


def test_an_inline_comment_with_a_suggestion() -> None:
    """Severity and title, the mechanism, the change for one click, the marker."""
    told = kept(a_finding())

    body = comment_body(told.finding, told.id, "    total = 0\n    return total\n")

    assert (
        body
        == f"""\
**[MAJOR] The total is read before it is set**

An empty list leaves `total` unset, so the first report fails.

```suggestion
    total = 0
    return total
```

<!-- kodiai:finding id={told.id} severity=MAJOR category=correctness kind=impact -->"""
    )
    assert comment_faults(body) == []


def test_an_inline_comment_without_a_suggestion() -> None:
    """A preference says that it is one."""
    told = kept(a_finding(kind="preference", severity="MINOR"))

    body = comment_body(told.finding, told.id, None)

    assert (
        body
        == f"""\
**[MINOR] The total is read before it is set**

Optional: An empty list leaves `total` unset, so the first report fails.

<!-- kodiai:finding id={told.id} severity=MINOR category=correctness kind=preference -->"""
    )
    assert comment_faults(body) == []


def test_a_suggestion_that_takes_lines_away_is_an_empty_block() -> None:
    """With an empty line in it GitHub would put an empty line there instead."""
    taken_away = comment_body(a_finding(), ID, "")
    emptied = comment_body(a_finding(), ID, "\n")

    assert "\n\n```suggestion\n```\n\n" in taken_away
    assert "\n\n```suggestion\n\n```\n\n" in emptied


def test_a_comment_that_would_be_too_long_goes_without_its_suggestion() -> None:
    """GitHub refuses the whole review for one comment that is too long."""
    told = kept(a_finding(title="<" * 9_000, explanation="<" * 90_000))

    body = comment_body(told.finding, told.id, "x = 1\n" * 9_000)

    assert len(body) <= BODY_LIMIT
    assert "suggestion" not in body
    assert body.endswith(f"…\n\n{finding_marker(told.id, told.finding)}")
    assert comment_faults(body) == []


def test_a_mechanism_says_that_it_is_optional_where_it_is_and_only_there() -> None:
    """Once, though the model says so itself; of what blocks it is not said."""
    said = "Optional: It is lazy."

    preference = words.explanation(a_finding(kind="preference", severity="MINOR", explanation=said))
    impact = words.explanation(a_finding(explanation=said))

    assert preference == said
    assert impact == "Optional\\: It is lazy."


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (words.fixed(HEAD), "Fixed in a1b2c3d."),
        (words.conceded("The caller checks it."), "You are right, and this is settled.\n\nThe caller checks it."),
        (words.conceded(""), "You are right, and this is settled."),
        (
            words.disputed("`load` is called with no values, too."),
            "It still stands, as far as the code shows:\n\n`load` is called with no values, too.",
        ),
        (
            words.worse(a_finding(severity="CRITICAL"), "It is logged now:\n\n- once in `load`\n- once in `save`"),
            "This is **CRITICAL** now.\n\nIt is logged now:\n\n- once in `load`\n- once in `save`",
        ),
        (words.worse(a_finding(), ""), "This is **MAJOR** now."),
        (words.disputed("x" * 9_000), f"It still stands, as far as the code shows:\n\n{'x' * 4_000}…"),
    ],
)  # fmt: skip
def test_what_is_said_in_a_thread(said: str, text: str) -> None:
    """One sentence of ours, then the reason, cut where it is too long."""
    assert said == text
    assert reply_faults(f"{said}\n\n{reply_marker(RUN, ID)}") == []


def test_a_reason_is_disarmed_like_any_text() -> None:
    """What people said in the thread can come back in it."""
    said = words.conceded("@ann: see <b>https://example.com</b>")

    assert said == "You are right, and this is settled.\n\n@\u2060ann: see &lt;b>https:\\//example.com&lt;/b>"
