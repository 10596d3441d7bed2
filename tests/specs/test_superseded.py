"""A push while the model works: what was read and judged is not paid for again, and not posted for the old head."""

import pytest

from local.model import Request, Script, is_find, is_judge
from tests.git_repository import Files
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import questions, shows
from tests.specs.pushing import ON_PUSH, shown, statuses, the_finding
from tests.specs.scripts import Json, a_finding, a_report, an_answer, says

GAP = "\n# nothing is here" * 12 + "\n\n\n"
TOTAL = "def total(prices, discount):\n    return sum(prices) + discount\n"
FIXED = TOTAL.replace("+", "-")
COUNT = "def count(shelf):\n    return len(shelf)\n"
FOUND = "**[MAJOR] The discount is added**"


def orders(first: str = "# total\n", second: str = "# second\n") -> Files:
    """A file with two places that are far apart."""
    return {"src/orders.py": first + GAP + second}


def opened_during(stage: Stage, first: Files, then: Files) -> Opened:
    """A pull request whose first review is being judged when a push comes, about which the model has nothing to say."""
    base = stage.commit({**orders(), ".kodiai.yml": ON_PUSH})
    head = stage.commit(first, base)
    pushed_while_judged(stage, head, then, a_report(a_finding()))
    return stage.open_at(head, base)


def pushed_while_judged(stage: Stage, head: str, then: Files, report: Json) -> None:
    """Have the next review report this, and a push come while that is judged."""
    later = stage.commit(then, head)

    def push_meanwhile(_: Request) -> None:
        stage.model.answers = says(a_report())
        stage.github.push(max(stage.github.state.pulls), later)

    stage.model.answers = Script(otherwise=says(report)).when(is_judge, push_meanwhile)


def fixed_during(stage: Stage, then: Files) -> Opened:
    """A pull request with a finding; that a push has fixed it is being judged when the next push comes."""
    stage.model.answers = says(a_report(a_finding()))
    opened = stage.open(orders(TOTAL), base={**orders(), ".kodiai.yml": ON_PUSH})
    head = stage.commit(orders(FIXED), opened.head)
    pushed_while_judged(stage, head, then, a_report(earlier=[an_answer(the_finding(opened))]))
    opened.push(head)
    return opened


def posted(opened: Opened) -> list[str]:
    """The first lines of our comments, all of them in one review of the new head."""
    [review] = opened.reviews
    assert review["commit_id"] == opened.head
    return [comment["body"].partition("\n")[0] for comment in opened.comments]


def asked(stage: Stage, since: int = 0) -> tuple[int, int]:
    """The numbers of questions to readers and to the judge."""
    return questions(stage, is_find, since), questions(stage, is_judge, since)


def test_only_the_new_hunk_is_read_and_the_finding_is_posted_once(stage: Stage) -> None:
    """Both hunks are of one file, and would be shown in one question; nobody judges the finding a second time."""
    opened = opened_during(stage, orders(TOTAL), orders(TOTAL, COUNT))

    assert posted(opened) == [FOUND]
    assert [each.finding.title for each in opened.ledger.findings()] == ["The discount is added"]
    assert asked(stage) == (2, 1)
    changes = shown(opened, 2).partition("# Code around the changes")[0]
    assert "def count(shelf):" in changes
    assert "sum(prices)" not in changes


def test_a_rebase_meanwhile_asks_nothing(stage: Stage) -> None:
    """The commit is another one and every hunk was read: the review of the old head is posted on the new one."""
    opened = opened_during(stage, orders(TOTAL), {**orders(TOTAL), "src/__init__.py": ""})

    assert posted(opened) == [FOUND]
    assert asked(stage) == (1, 1)
    assert opened.check["output"]["title"] == "Address before merging · 1 major"


def test_a_hunk_that_changed_is_read_again_and_its_finding_is_not_carried(stage: Stage) -> None:
    """The push mends what was found: nothing is posted about it."""
    opened = opened_during(stage, orders(TOTAL), orders(TOTAL.replace("+", "-")))

    assert posted(opened) == []
    assert asked(stage) == (2, 1)


def test_a_finding_whose_names_the_push_mentions_is_judged_again(stage: Stage) -> None:
    """A guard elsewhere may have fixed it."""
    opened = opened_during(
        stage, orders(TOTAL), orders(TOTAL, "def bill(prices, discount):\n    return total(prices, -discount)\n")
    )

    assert posted(opened) == [FOUND]
    assert asked(stage) == (2, 2)


def test_a_resolution_is_not_asked_for_again_where_its_code_is_as_it_was(stage: Stage) -> None:
    """The judge agreed before the push came: the next review says so, and reads the new hunk alone."""
    opened = fixed_during(stage, orders(FIXED, COUNT))

    assert statuses(opened) == ["fixed"]
    assert ":white_check_mark: [MAJOR]" in opened.reviews[-1]["body"]
    assert opened.comments[-1]["body"].startswith(f"Fixed in {opened.head[:7]}.")
    assert asked(stage, 2) == (2, 1)  # the first review reads and judges
    assert "Findings of earlier reviews" not in shown(opened, 4)


@pytest.mark.parametrize(
    "then",
    [
        orders("# totals\n" + FIXED),
        orders(FIXED, "def bill(prices, discount):\n    return total(prices, -discount)\n"),
        orders(TOTAL),
    ],
)
def test_a_resolution_is_asked_for_again_where_the_push_may_have_changed_it(stage: Stage, then: Files) -> None:
    """Its evidence was edited, its names are mentioned, or its code is back: silence resolves nothing."""
    opened = fixed_during(stage, then)

    assert statuses(opened) == ["open"]


def test_a_push_during_the_review_supersedes_it_and_only_what_it_changed_is_read_again(stage: Stage) -> None:
    """Answers about the others are kept, whichever head they were for.

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

    opened = stage.open_at(first)

    assert questions(stage, shows("src/auth/login.py")) == 3
    assert questions(stage, shows("src/stock.py")) == 2 + 1  # the line that was pushed is read by one
    [review] = opened.reviews
    assert review["commit_id"] == second
    assert [comment["path"] for comment in opened.comments] == ["src/auth/login.py"]
    [old] = opened.checks(first)
    assert (old["status"], old["output"]["title"]) == ("completed", "Superseded")
    assert old["output"]["summary"] == f"No review of this head: the head moved on to {second[:7]}."
    assert opened.checks(second)[0]["output"]["title"] == "Address before merging · 1 major"
