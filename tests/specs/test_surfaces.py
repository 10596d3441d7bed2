"""The same review on the page, in its check run, in the terminal and for agents: what is open, why, and what to do."""

import io
from collections.abc import Callable

import pytest
from rich.console import Console

from cli.brief_output import print_push_briefly
from cli.stored_runs import read_runs
from tests.mcp_agent import McpAgent, text_of
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT
from tests.specs.scripts import a_finding, a_report, rules, says

TOTALS = str(DISCOUNT["src/orders.py"])
CHANGED = {"src/orders.py": f"{TOTALS}\n\ndef charged(fee):\n    return fee - 1\n", "src/tax.py": "RATE = 19\n"}
FEE = {"quote": "return fee - 1", "start_line": 6, "end_line": 6}
TAX = {"path": "src/tax.py", "quote": "RATE = 19", "start_line": 1, "end_line": 1}
FINDINGS = (
    a_finding(title="A fee is one short", explanation="A fee of 5 charges 4.", fix="Charge it whole.", **FEE),
    a_finding(title="Discounts raise prices", explanation="5 makes 105 of 100.", fix="Subtract it.", older=True),
    a_finding(title="Cents are lost", explanation="0.5 gives 0.", severity="MINOR", depends_on=1, **FEE),
    a_finding(title="Name the rate", explanation="19 may be a sum.", severity="MINOR", kind="preference", **TAX),
)  # fmt: skip
TEXTS = {
    "A fee is one short": ("A fee of 5 charges 4.", "Charge it whole."),
    "Discounts raise prices": ("Older problem, does not block: 5 makes 105 of 100.", "Subtract it."),
    "Cents are lost": ("Once “A fee is one short” is fixed: 0.5 gives 0.", "Round up."),
    "Name the rate": ("Optional: 19 may be a sum.", "Call it VAT."),
}
LABELS = {", not from this change,": "Older problem, does not block: ", ", optional,": "Optional: "}
HEADLINE = "Address before merging · 1 major · not blocking: 2 minor · 1 older MAJOR, not from this change"


def on_the_page(opened: Opened) -> str:
    """The review's body and comments."""
    return "\n".join(each["body"] for each in (*opened.reviews, *opened.comments))


def in_the_check_run(opened: Opened) -> str:
    """The check run's title and summary."""
    return "{title}\n{summary}".format_map(opened.check["output"])


def in_the_terminal(opened: Opened) -> str:
    """The output of `kodiai review`."""
    stage = opened.stage
    written = io.StringIO()
    pushes = read_runs(stage.table, stage.github.repository.ref, opened.number).pushes
    print_push_briefly(pushes, Console(file=written, width=200), "Review", list_open=True)
    return written.getvalue()


def for_agents(opened: Opened) -> str:
    """The text of the tool for open findings, which has the labels before the problem."""
    stage = opened.stage
    agent = McpAgent(f"{stage.machine.system.api_url}/mcp", stage.github.token_for("ann"))
    text = text_of(agent.call("list_open_findings", repository=stage.github.full_name, pull_request=opened.number))
    return "\n".join(
        part.replace("Problem: ", "Problem: " + "".join(label for word, label in LABELS.items() if word in part))
        for part in text.split("\n\n")
    )


@pytest.fixture
def opened(stage: Stage) -> Opened:
    """A pull request with a blocker, an older problem, a minor one that depends on the blocker, and a suggestion."""
    older = rules("Discounts raise prices", pre_existing=True, fix="Subtract it.")
    fixes = [rules(title, fix=fix) for title, (_, fix) in TEXTS.items() if title != "Discounts raise prices"]
    stage.model.answers = says(a_report(*FINDINGS), older, *fixes)
    return stage.open(CHANGED, base={"src/orders.py": TOTALS})


@pytest.mark.parametrize("shown", [on_the_page, in_the_check_run, in_the_terminal, for_agents])
def test_every_open_finding_has_its_title_problem_and_fix(opened: Opened, shown: Callable[[Opened], str]) -> None:
    """In one order of words: older problems, dependencies and suggestions are called so everywhere."""
    text = " ".join(shown(opened).split())

    missing = [part for title, parts in TEXTS.items() for part in (title, *parts) if part not in text]
    assert missing == []


@pytest.mark.parametrize("shown", [on_the_page, in_the_check_run, in_the_terminal])
def test_the_headline_is_the_same(opened: Opened, shown: Callable[[Opened], str]) -> None:
    """The verdict and the counts, on one line."""
    assert HEADLINE in shown(opened).replace("**", "")
