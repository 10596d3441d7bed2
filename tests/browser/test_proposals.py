"""People review a proposed change on the pages, in a real browser, through the system's own API."""

from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import BrowserContext, expect

from local.github import LocalGitHub
from local.machine import LocalMachine
from tests.browser.conftest import CHANGE, look_at
from tests.browser.test_pages import become, opened
from tests.git_repository import GitRepository

System = tuple[LocalGitHub, LocalMachine]
DESCRIPTION = "Give every order a list of its own\n\nThe default list is shared by **all** calls."
DIFF = """\
--- a/harbour/orders.py
+++ b/harbour/orders.py
@@ -4,4 +4,5 @@
-def add(order, orders=[]):
+def add(order, orders=None):
     \"\"\"Remember an order.\"\"\"
+    orders = [] if orders is None else orders
     orders.append(order)
     return json.dumps(orders)
"""


@pytest.fixture
def number(github: LocalGitHub, repository: GitRepository) -> int:
    """A pull request that nobody reviews by itself."""
    base = repository.commit({"harbour/orders.py": "import json\n"})
    return github.open_pull_request(repository.commit(CHANGE, base), base, title="Remember orders", draft=True)


@pytest.fixture
def propose(system: System, number: int) -> Callable[[str], str]:
    """Submits a diff by the API as somebody, by their program; its id."""
    github, machine = system
    machine.ledger(github.repository.ref, number).spend(0.01)  # proposals are taken where something was reviewed

    def submit(diff: str) -> str:
        token = github.token_for("proposer")
        body = {
            "repository": github.full_name,
            "pull_request": number,
            "description": DESCRIPTION,
            "changes": [{"what": "add() makes a new list", "why": "Orders of one call appeared in the next"}],
            "diff": diff,
            "reviewed_by": "anyone",
            "agent": {"agent_type": "claude-code", "role": "implementer"},
        }
        headers = {"Authorization": f"Bearer {token}"}
        url = f"{machine.system.api_url}/proposals"
        answer = httpx.post(url, json=body, headers=headers, timeout=60, trust_env=False)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    return submit


def test_a_proposal_is_claimed_approved_and_applied_without_reloading(
    context: BrowserContext, github: LocalGitHub, number: int, propose: Callable[[str], str]
) -> None:
    """Each act is the person's own; the commit is theirs too. What does not apply is next to what there is."""
    head = github.state.pulls[number].head_sha
    name, stale = propose(DIFF), propose(DIFF.replace("Remember an order", "Forget an order"))
    page = opened(context.new_page(), github, number, "/proposals")
    become(page, "judge", "write")
    page.evaluate("window.notReloaded = true")
    card = page.locator(f"#{name}")

    rejected = page.locator(f"#{stale}")
    rejected.get_by_role("button", name="Claim for review").click()
    expect(rejected).to_contain_text("Does not apply", timeout=60_000)
    expect(rejected.locator(".sides")).to_contain_text("Forget an order")
    expect(rejected.locator(".sides")).to_contain_text("Remember an order")

    # A verdict without a claim is not offered; a comment without notes is refused in the API's words.
    expect(card.get_by_role("button", name="Approve")).to_have_count(0)
    card.get_by_role("button", name="Claim for review").click()
    expect(card).to_contain_text("In review", timeout=60_000)
    card.get_by_role("button", name="Comment").click()
    expect(card.get_by_role("alert")).to_contain_text("notes")
    look_at(page, "proposal-claimed")

    card.get_by_label("Notes (Markdown)").fill("Good. **Ship it.**")
    card.get_by_role("button", name="Approve").click()
    expect(card.locator("section.verdict")).to_contain_text("judge approved", timeout=60_000)
    card.get_by_role("button", name="Apply as one commit").click()
    expect(card).to_contain_text("judge applied this as", timeout=60_000)
    look_at(page, "proposal-applied")

    copy, after = github.repository.copy, github.state.pulls[number].head_sha
    assert page.evaluate("window.notReloaded")
    assert copy.git("log", "-1", "--format=%P %an %s", after).decode() == (
        f"{head} judge Give every order a list of its own\n"
    )
    assert "def add(order, orders=None):" in copy.git("show", f"{after}:harbour/orders.py").decode()
