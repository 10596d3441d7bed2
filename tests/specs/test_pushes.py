"""More than one push: nothing is said twice, nothing is read in vain."""

from local.model import Request, Script, is_extract, is_find, text
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import questions, shows
from tests.specs.scripts import a_finding, a_report, says

ON_PUSH = "review:\n  triggers:\n    onSynchronize: true\n"
DISCOUNT = {"src/orders.py": "def total(prices, discount):\n    return sum(prices) + discount\n"}


def opened_with_pushes(stage: Stage) -> Opened:
    return stage.open(DISCOUNT, config=ON_PUSH)


def test_a_push_is_not_reviewed_where_the_repository_says_so(stage: Stage) -> None:
    """The switch is in the settings; without it every push is."""
    stage.model.answers = says(a_report(a_finding()))
    opened = stage.open(DISCOUNT, config="review:\n  triggers:\n    onSynchronize: false\n")

    opened.push(stage.commit({"src/more.py": "x = 1\n"}, opened.head))

    assert stage.outcome()["reason"] == "onSynchronize is off"
    assert len(opened.reviews) == 1


def test_a_rebase_that_changes_nothing_costs_no_model_call_and_posts_nothing(stage: Stage) -> None:
    """The hunks are those that were reviewed, though every commit is new; the check of the new head says so."""
    stage.model.answers = says(a_report(a_finding()))
    opened = opened_with_pushes(stage)
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
    assert check["output"]["title"] == "Nothing new to review"
    assert check["output"]["summary"] == (
        f"Every change of this pull request was reviewed at {first[:7]}.\n\n"
        f"- [MAJOR] [src/orders.py (2)]({comment['html_url']}): The discount is added\n\n"
        '<!-- kodiai:counts {"verdict": "address-before-merging", "critical": 0, "major": 1, "medium": 0, '
        '"minor": 0, "blocking": 1, "new": 0, "more_severe": 0, "resolved": 0, "dismissed": 0, "still_open": 1, '
        '"files_read": 1, "files_unread": 0} -->'
    )


def test_after_a_rebase_that_changed_nothing_the_new_head_counts_as_reviewed(stage: Stage) -> None:
    """The pointer has moved on."""
    stage.model.answers = says(a_report(a_finding()))
    opened = opened_with_pushes(stage)
    opened.push(stage.repository.commit(DISCOUNT, opened.stage.base, message="Again"))

    stage.github.request_review(opened.number)
    stage.settle()

    assert stage.outcome()["reason"] == f"reviewed at {opened.head[:7]} already"


def test_a_push_during_the_review_supersedes_it(stage: Stage) -> None:
    """Nothing is posted for the old head, its check is closed, and the new head is reviewed, though pushes are off."""
    pushed: list[str] = []

    def push_meanwhile(_: Request) -> None:
        pushed.append(stage.commit({"src/more.py": "x = 1\n"}, first))
        stage.github.push(max(stage.github.state.pulls), pushed[0])

    first = stage.commit(DISCOUNT)
    stage.model.answers = Script(otherwise=says(a_report(a_finding()))).when(is_find, push_meanwhile)

    number = stage.github.open_pull_request(first, stage.base)
    stage.settle()

    opened = Opened(stage, number)
    [review] = opened.reviews
    assert review["commit_id"] == pushed[0]
    [check] = opened.checks(first)
    assert (check["status"], check["output"]["title"]) == ("completed", "Superseded")
    assert opened.checks(pushed[0])[0]["conclusion"] == "neutral"


def test_a_review_again_of_the_check_is_answered_without_the_model(stage: Stage) -> None:
    """The head is reviewed already."""
    stage.model.answers = Script(otherwise=says(a_report())).when(is_find, text("Nothing to say."))
    opened = stage.open(DISCOUNT)
    asked = stage.asked

    stage.github.rerequest_check(int(opened.checks(opened.head)[0]["id"]))
    stage.settle()

    assert stage.outcome()["trigger"] == "rerequested"
    assert stage.outcome()["reason"] == f"reviewed at {opened.head[:7]} already"
    assert stage.asked == asked


def test_after_a_push_only_the_batches_that_it_changed_are_read_again(stage: Stage) -> None:
    """What was answered about the others is kept, whichever head it was for; so is what the reports were turned into.

    Nothing is posted for the old head, and its check says why.
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
    assert questions(stage, asked, shows("src/stock.py")) == 8
    assert questions(stage, asked, is_extract) == 2
    [review] = opened.reviews
    assert review["commit_id"] == second
    assert [comment["path"] for comment in opened.comments] == ["src/auth/login.py"]
    [old] = opened.checks(first)
    assert (old["status"], old["output"]["title"]) == ("completed", "Superseded")
    assert old["output"]["summary"] == f"No review of this head: the head moved on to {second[:7]}."
    assert opened.checks(second)[0]["output"]["title"] == "Address before merging · 1 major"
