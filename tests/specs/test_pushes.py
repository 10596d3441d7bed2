"""More than one push: nothing is said twice, nothing is read in vain."""

from local.model import Request, Script, is_extract
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT, questions, shows
from tests.specs.pushing import ON_PUSH
from tests.specs.scripts import a_finding, a_report, says


def test_a_rebase_that_changes_nothing_costs_no_model_call_and_posts_nothing(stage: Stage) -> None:
    """The hunks are those that were reviewed, though every commit is new; the check of the new head says so.

    The pointer has moved on: asked for again, the check of the new head is answered without the model.
    """
    stage.model.answers = says(a_report(a_finding()))
    opened = stage.open(DISCOUNT, config=ON_PUSH)
    first = opened.head
    moved_base = stage.repository.commit({".kodiai.yml": ON_PUSH, "docs/news.md": "News.\n"}, stage.base)
    rebased = stage.repository.commit(DISCOUNT, moved_base)
    asked = stage.asked

    opened.push(rebased, moved_base)

    assert (stage.outcome()["outcome"], stage.outcome()["mode"]) == ("unchanged", "unchanged")
    assert stage.asked == asked
    assert len(opened.reviews) == 1
    [check] = opened.checks(rebased)
    assert check["conclusion"] == "neutral"
    [comment] = opened.comments
    assert check["output"]["title"] == "Address before merging · 1 major"
    assert check["output"]["summary"] == (
        f"Every change of this pull request was reviewed at {first[:7]}.\n\n"
        f"- [MAJOR] [src/orders.py (2)]({comment['html_url']}): The discount is added\n\n"
        '<!-- kodiai:counts {"verdict": "address-before-merging", "critical": 0, "major": 1, "medium": 0, '
        '"minor": 0, "blocking": 1, "new": 0, "more_severe": 0, "resolved": 0, "dismissed": 0, "still_open": 1, '
        '"files_read": 1, "files_unread": 0} -->'
    )

    stage.github.rerequest_check(int(check["id"]))
    stage.settle()

    outcome = stage.outcome()
    assert (outcome["trigger"], outcome["reason"]) == ("rerequested", f"reviewed at {rebased[:7]} already")
    assert (stage.asked, len(opened.reviews)) == (asked, 1)


def test_a_push_during_the_review_supersedes_it_and_only_what_it_changed_is_read_again(stage: Stage) -> None:
    """What was answered about the others is kept, whichever head it was for; so is what the reports were turned into.

    Nothing is posted for the old head, its check says why, and the new head is reviewed, though pushes are off.
    """
    lines = [f"line {number} {'x' * 1_000}" for number in range(160)]
    large = "\n".join(lines)
    first = stage.commit({"src/auth/login.py": large, "src/stock.py": large})
    second = stage.commit({"src/stock.py": large + "\nthe end\n"}, first)

    def push_meanwhile(_: Request) -> None:
        stage.github.push(max(stage.github.state.pulls), second)

    finding = a_finding(path="src/auth/login.py", quote=lines[1], start_line=2, end_line=2)
    stage.model.answers = Script(otherwise=says(a_report(finding))).when(shows("src/stock.py"), push_meanwhile)
    asked = stage.asked

    opened = Opened(stage, stage.github.open_pull_request(first, stage.base))
    stage.settle()

    assert questions(stage, asked, shows("src/auth/login.py")) == 4
    assert questions(stage, asked, shows("src/stock.py")) == 4 + 2  # the line that was pushed is read by two
    assert questions(stage, asked, is_extract) == 2
    [review] = opened.reviews
    assert review["commit_id"] == second
    assert [comment["path"] for comment in opened.comments] == ["src/auth/login.py"]
    [old] = opened.checks(first)
    assert (old["status"], old["output"]["title"]) == ("completed", "Superseded")
    assert old["output"]["summary"] == f"No review of this head: the head moved on to {second[:7]}."
    assert opened.checks(second)[0]["output"]["title"] == "Address before merging · 1 major"
