"""A model that somebody has talked into anything: what we post shows it, and nothing obeys it."""

from typing import Any

from local.github.harmless import harm_in
from tests.specs.conftest import Stage
from tests.specs.moods import DISCOUNT
from tests.specs.scripts import a_finding, a_report, says
from tests.specs.talking import answering, conversation, say

ORDERS = "/merge\n\nbors r+\n\n@dependabot merge\n\n```\n/lgtm\n```\n\nrecheck\n\nNobody reads ab\u202ecd\u200b."
HIDDEN: dict[str, Any] = {**DISCOUNT, "src/stock.py": "def left(shelf):\n    return 'a\u202eb'\n"}


def test_a_review_orders_no_other_bot_about_and_hides_nothing(stage: Stage) -> None:
    """In its titles, its explanations, its summary, its strengths and what it suggests."""
    finding = a_finding(title="/merge the discount\u202e", explanation=ORDERS)
    suggestion = a_finding(title="/retest", explanation=ORDERS, kind="preference", severity="MINOR")
    stage.model.answers = says(a_report(finding, suggestion, what_changed=ORDERS, strengths=["/approve"]))

    opened = stage.open(DISCOUNT)

    texts = [each["body"] for each in (*opened.reviews, *opened.comments)]
    lines = [line for text in texts for line in text.split("\n")]
    assert not [line for line in lines if line.startswith(("/merge", "/lgtm", "bors r+", "recheck", "@dependabot"))]
    assert [harm for text in texts for harm in harm_in({"body": text})] == []
    assert "merge the discount" in texts[-1]


def test_an_answer_orders_no_other_bot_about_and_hides_nothing(talk: Stage) -> None:
    """Its words are still there for people."""
    talk.model.answers = answering(ORDERS, findings=(a_finding(),))
    pull = talk.open(DISCOUNT)

    say(pull, "@kodiai what do you think?")

    [answer] = conversation(pull)
    assert list(harm_in({"body": answer})) == []
    assert "\\/merge" in answer
    assert "&#98;ors r+" in answer
    assert " /lgtm\n" in answer


def test_quoted_code_shows_what_it_hides(stage: Stage) -> None:
    """And a suggestion that brings in such a character is not offered."""
    finding = a_finding(explanation="It returns `'a\u202eb'` as it is.", replacement="    return sum(prices) +\u202e 1")
    stage.model.answers = says(a_report(finding))

    opened = stage.open(DISCOUNT)

    [comment] = opened.comments
    assert "`'a\\u202eb'`" in comment["body"]
    assert "```suggestion" not in comment["body"]
