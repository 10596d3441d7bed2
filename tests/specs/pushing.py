"""Helpers of the specs about more than one push: a pull request with a finding, and the next push."""

from collections.abc import Iterator
from contextlib import contextmanager

from local.model import is_find
from tests.git_repository import Content, Files
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT
from tests.specs.scripts import Json, Readings, Ruling, a_finding, a_report, says, texts

ON_PUSH = "review:\n  triggers:\n    onSynchronize: true\n"
FIXED: dict[str, Content] = {"src/orders.py": "def total(prices, discount):\n    return sum(prices) - discount\n"}
EDITED: dict[str, Content] = {
    "src/orders.py": "def total(prices, discount):\n    return sum(prices) + discount\n\n\nLIMIT = 5\n"
}
TILL = a_finding(
    path="src/till.py",
    start_line=5,
    end_line=5,
    title="The till gives no discount",
    explanation="Every sale raises TypeError.",
    quote="return total(prices)",
    cause={"path": "src/orders.py", "quote": "def total(prices, discount):"},
)
"""A finding outside the diff; a line of DISCOUNT causes it."""
NOTES: dict[str, Content] = {"src/notes.py": "x = 1\n"}


def opened_with_finding(stage: Stage, *findings: Json, config: str = ON_PUSH, files: Files = DISCOUNT) -> Opened:
    """A reviewed pull request with these findings, one that blocks unless told otherwise."""
    stage.model.answers = says(a_report(*(findings or (a_finding(),))))
    return stage.open(files, config=config)


def opened_at_cause(stage: Stage) -> Opened:
    """A reviewed pull request with TILL, whose file it does not change."""
    till = "from orders import total\n\n\ndef charge(prices):\n    return total(prices)\n"
    stage.model.answers = says(a_report(TILL))
    return stage.open(DISCOUNT, base={"src/till.py": till, ".kodiai.yml": ON_PUSH})


def push(
    opened: Opened,
    files: Files,
    report: Json | None = None,
    *rulings: Ruling,
    resolves: bool = True,
    readings: Readings | None = None,
) -> None:
    """Push files on top of the head, with what the model says of it: nothing, unless told otherwise.

    `readings` are what it reads in replies.
    """
    opened.stage.model.answers = says(report or a_report(), *rulings, resolves=resolves, readings=readings)
    opened.push(opened.stage.commit(files, opened.head))


def the_finding(opened: Opened) -> str:
    """The id of the only finding that was told."""
    [known] = opened.ledger.findings()
    return known.id


def statuses(opened: Opened) -> list[str]:
    """The status of each finding."""
    return [known.status for known in opened.ledger.findings()]


def shown(opened: Opened, since: int) -> str:
    """The texts that a reader was shown first after that number of questions."""
    return texts(next(filter(is_find, opened.stage.questions[since:])))


@contextmanager
def on_default_branch(stage: Stage, settings: str) -> Iterator[None]:
    """Within, the default branch has this settings file."""
    copy = stage.github.repository.copy
    tip = copy.tip("refs/heads/main")
    assert tip is not None
    copy.set_ref("refs/heads/main", stage.commit({".kodiai.yml": settings}))
    try:
        yield
    finally:
        copy.set_ref("refs/heads/main", tip)
