"""A key that restricts counts on the default branch too, whatever branch a pull request goes into."""

import pytest

from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT
from tests.specs.pushing import on_default_branch
from tests.specs.scripts import a_finding, a_report, says
from tests.specs.talking import conversation, opened, say


def open_into_another(stage: Stage, settings: str = "") -> Opened:
    """A pull request into a branch that is not the default one, and has these settings."""
    stage.model.answers = says(a_report(a_finding()))
    return stage.open(DISCOUNT, config=settings)


@pytest.mark.parametrize(
    ("settings", "outcome", "reason"),
    [
        ("review: {enabled: false}", "skipped", "reviews are turned off in .kodiai.yml"),
        ("review: {skipAuthors: [octocat]}", "skipped", "skipAuthors names octocat"),
        ("review: {baseBranches: [main]}", "skipped", "baseBranches does not name "),
        (
            "budget: {perPullRequest: 0}",
            "refused",
            "The budget `budget.perPullRequest` is used up: $0.00 of $0.00 were spent.",
        ),
        ("review: {skipPaths: 7}", "refused", "`.kodiai.yml` on the default branch `main` cannot be followed"),
    ],
)
def test_another_base_branch_does_not_get_around_a_restriction(
    stage: Stage, settings: str, outcome: str, reason: str
) -> None:
    """The author chooses the base branch, so an old one without the restriction must not lift it.

    The model is asked nothing. The base's own settings allow everything.
    """
    asked = stage.asked

    with on_default_branch(stage, settings):
        opened = open_into_another(
            stage, "review: {enabled: true, baseBranches: ['**']}\nbudget: {perPullRequest: 9}\n"
        )

    assert stage.outcome()["outcome"] == outcome
    assert stage.outcome()["reason"].startswith(reason)
    assert (opened.reviews, stage.asked) == ([], asked)


def test_the_default_branch_lifts_no_restriction_of_the_base(stage: Stage) -> None:
    """Both are followed: what the base excludes stays excluded."""
    with on_default_branch(stage, "review: {enabled: true, skipPaths: ['docs/']}\n"):
        opened = open_into_another(stage, "review: {skipPaths: ['src/']}\n")

    assert "skipPaths" in opened.reviews[0]["body"]
    assert opened.comments == []


def test_keys_that_restrict_nothing_are_the_base_branchs_own(stage: Stage) -> None:
    """A release branch may show less, and a mistake elsewhere is not its own."""
    with on_default_branch(stage, "review: {maxComments: 0, drafts: many, event: verdict}\n"):
        opened = open_into_another(stage, "review: {maxComments: 3}\n")

    [review] = opened.reviews
    assert (len(opened.comments), review["state"]) == (1, "COMMENTED")
    assert "drafts" not in review["body"]


def test_mentions_are_answered_by_the_stricter_settings(talk: Stage) -> None:
    """`config` shows the settings as they are followed; with mentions off on the default branch nobody is answered."""
    on_release = opened(talk, config="mention: {allowedUsers: [ann, ben], conversation: {maxTurnsPerPr: 90}}\n")

    with on_default_branch(talk, "mention: {allowedUsers: [Ann]}\n"):
        say(on_release, "@kodiai config", "ann")
        say(on_release, "@kodiai config", "ben")
    with on_default_branch(talk, "mention: {enabled: false}\n"):
        say(on_release, "@kodiai config", "ann")

    shown, refused = (text.replace("\n ", "\n") for text in conversation(on_release))
    assert "allowedUsers:\n  - ann\n" in shown
    assert "maxTurnsPerPr: 10\n" in shown
    assert refused == "`mention.allowedUsers` in `.kodiai.yml` does not name ben, so I may not answer."
