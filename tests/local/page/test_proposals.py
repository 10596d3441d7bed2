"""The tab "Proposals": each proposal with its diff and its history, and what the viewer may do about it."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, get_args

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from kodiai.core.diffs.diff import affected_files
from kodiai.core.diffs.results import Problem
from kodiai.core.proposals.proposal import (
    ActionName,
    Actor,
    Agent,
    Claim,
    Content,
    IntendedChange,
    Intent,
    Origin,
    Proposal,
    ProposalEvent,
    ProposedCommit,
    Status,
    Verdict,
)
from kodiai.core.proposals.protocol import ClaimIt, act, submitted
from local.github import LocalGitHub
from local.github.hosted_repository import REPOSITORY_ID
from local.page import Site
from local.page.proposal_api import ProposalApi
from local.page.proposals import ProposalsTab
from local.server import Server
from tests.git_repository import GitRepository
from tests.local.page.reader import Element, Page, Reader
from tests.proposal_builders import PROPOSAL as NAME
from tests.proposal_builders import a_proposal
from tests.proposal_fakes import Store
from tests.tables import each_row

LATER = 4_000_000_000.0
DIFF = """\
diff --git a/orders.py b/orders.py
--- a/orders.py
+++ b/orders.py
@@ -1,2 +1,2 @@
 def total(prices):
-    return sum(prices)
+    return round(sum(prices), 2)
diff --git a/new.py b/new.py
new file mode 100644
--- /dev/null
+++ b/new.py
@@ -0,0 +1 @@
+x = 1
\\ No newline at end of file
diff --git a/old.py b/moved.py
similarity index 100%
rename from old.py
rename to moved.py
"""


@dataclass
class Api:
    """An API that does nothing and remembers what it was asked for."""

    status: int = 200
    body: Any = None
    asked: list[tuple[str, str, Any]] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        self.asked.append((request.url.path, request.headers["authorization"], json.loads(await request.body())))
        await JSONResponse(self.body, self.status)(scope, receive, send)


@dataclass
class Scene:
    """A pull request, its proposals, and the API that the pages ask."""

    github: LocalGitHub
    number: int
    api: Api = field(default_factory=Api)
    store: Store = field(default_factory=Store)

    def forget(self) -> None:
        """Forget what was proposed and what the API was asked."""
        self.store = Store()
        self.api.asked.clear()
        self.api.status, self.api.body = 200, None

    def propose(self, diff: str = DIFF, **given: Any) -> Proposal:
        """Have somebody propose a change to the pull request, by a program."""
        intent = Intent(
            description="Round totals\n\nCents are **enough**.",
            changes=(IntendedChange(what="total() rounds", why="0.1 + 0.2 has 17 digits"),),
        )
        content = Content(intent=intent, diff=diff)
        plain: dict[str, Any] = {
            "repository_id": REPOSITORY_ID,
            "number": self.number,
            "reviewed_by": "kodiai",
            "proposer": Actor(login="bob", agent=Agent(agent_type="codex", role="implementer")),
            "files": affected_files(diff),
        }
        new = a_proposal(content, **plain | given)
        return self.store.create(new, submitted(new).events[0], content)


@pytest.fixture(scope="module")
def site(repository: GitRepository) -> Iterator[Scene]:
    """A site of its own, with a pull request to which nothing is proposed."""
    with LocalGitHub(repository.path) as github:
        base = repository.commit({"orders.py": "def total(prices):\n    return sum(prices)\n"}, "refs/heads/main")
        scene = Scene(github, github.open_pull_request(repository.commit({"b.py": "b\n"}, base), base, author="ann"))
        server = Server(scene.api)
        server.start()
        api = ProposalApi(lambda: server.url, lambda login: f"token-of-{login}")
        github.show(Site(github.repository, github, proposals=ProposalsTab(lambda: scene.store, api)))
        yield scene
        server.stop()
        assert github.violations == []


@pytest.fixture
def scene(site: Scene) -> Iterator[Scene]:
    """The site, empty again at the end."""
    yield site
    site.forget()


@pytest.fixture
def as_person(scene: Scene) -> Iterator[Callable[[str, str], Reader]]:
    """Makes readers who look as somebody with a role."""
    opened: list[Reader] = []

    def look(login: str, role: str) -> Reader:
        opened.append(Reader(scene.github.url))
        opened[-1].become(login, role)
        return opened[-1]

    yield look
    for one in opened:
        one.close()


def tab(reader: Reader, scene: Scene) -> Page:
    return reader.read(f"/acme/widgets/pull/{scene.number}/proposals")


def card(reader: Reader, scene: Scene) -> Element:
    return tab(reader, scene).by_id(NAME)


def buttons(element: Element) -> dict[str, str]:
    """Each button of the card by its words, with why it cannot be used."""
    return {
        each.text.partition(":")[0]: each.attributes.get("title", "") for each in element.all("button", class_="button")
    }


Look = Callable[[str, str], Reader]


def test_a_proposal_says_what_it_does_and_why_file_by_file(scene: Scene, as_person: Look) -> None:
    """The intent, who proposes it, the status, and the diff with line numbers, also where no line changes."""
    scene.propose()

    shown = card(as_person("ann", "write"), scene)

    assert shown.one("span", "state").text == "● Pending"
    assert shown.one("h3").text == "Round totals"
    assert (
        shown.one("header").one("p").text == f"bob codex, role implementer proposed this 1970-01-01 00:16:40 UTC {NAME}"
    )
    assert shown.one("div", "prose").text == "Cents are enough."
    assert shown.one("ul", "intent").text == "total() rounds 0.1 + 0.2 has 17 digits"
    files = shown.all("details", class_="file")
    assert [each.one("summary").text for each in files] == [
        "orders.py +1 −1",
        "new.py create +1 −0",
        "old.py →renamed to moved.py rename +0 −0",
    ]
    assert [each.texts("td") for each in files[0].all("tr", "line")] == [
        ["1", "1", "", "def total(prices):"],
        ["2", "", "-", "return sum(prices)"],
        ["", "2", "+", "return round(sum(prices), 2)"],
    ]
    assert files[1].one("tr", "line").texts("td") == ["", "1", "+", "x = 1No newline at end of file"]
    assert files[2].one("p", "note").text == "No line is changed."


@each_row(
    ("diff", "note"),
    [
        (
            "diff --git a/x.bin b/x.bin\nindex 1111111..2222222 100644\nBinary files a/x.bin and b/x.bin differ\n",
            "Binary file not shown.",
        ),
        ("--- a/a.py\n+++ b/a.py\n@@ -1,9 +1 @@\n-a\n", "The diff of this file cannot be read."),
        (
            "--- a/a.py\n+++ b/a.py\n@@ -0,0 +1 @@\n+" + "a" * 80_001 + "\n",
            "The diff of this file is too long to be shown here.",
        ),
        (None, "This diff was replaced a moment ago."),
    ],
)
def test_a_diff_that_cannot_be_shown_says_why(scene: Scene, as_person: Look, diff: str | None, note: str) -> None:
    """The text does not look like an empty change."""
    scene.forget()
    scene.propose(diff or DIFF)
    if diff is None:
        scene.store.contents.clear()

    assert card(as_person("ann", "write"), scene).one("p", "note").text == note


def test_a_rejection_shows_expected_and_found_lines(scene: Scene, as_person: Look) -> None:
    """Each file and hunk has its own."""
    problem = Problem(
        message="The hunk does not apply.",
        path="orders.py",
        hunk=1,
        line=1,
        expected=("def total(prices):", "    return sum(prices)"),
        found=("def total(items):",),
    )
    scene.propose(status="rejected", problems=(problem, Problem(message="The diff is cut off.")))

    shown = card(as_person("ann", "write"), scene)

    assert shown.one("span", "state").text == "✕ Does not apply"
    problems = shown.one("section", "problems")
    assert [each.text for each in problems.all("figcaption")] == ["Expected", "Found, from line 1"]
    assert [each.text for each in problems.all("pre")] == [
        "def total(prices): return sum(prices)",
        "def total(items):",
    ]
    assert problems.all("li")[0].text.startswith("orders.py hunk 1: The hunk does not apply.")
    assert problems.all("li")[1].text == "The diff is cut off."


BY_ANN = Actor(login="ann")
CLAIM = Claim(by=BY_ANN, generation=3, until=LATER, seconds=60)
COMMIT = ProposedCommit(sha="c" * 40, parent="d" * 40, branch="change-1", by=BY_ANN)
NOTES = Verdict(decision="request_changes", notes="Negative totals round **up**.", by=BY_ANN, generation=1, at=2_000)


@each_row(
    ("given", "state", "text"),
    [
        ({}, "● Pending", "Kodiai reviews this."),
        ({"reviewed_by": "anyone"}, "● Pending", "The person who claims it reviews this."),
        ({"status": "claimed", "claim": CLAIM}, "● In review",
         "ann reviews this. The claim ends 2096-10-02 07:06:40 UTC."),
        ({"status": "changes_requested", "verdict": NOTES}, "✕ Changes requested",
         "ann requested changes 1970-01-01 00:33:20 UTC Negative totals round up."),
        ({"status": "applied", "commit": COMMIT}, "✓ Applied", "ann applied this as ccccccc."),
    ],
)  # fmt: skip
def test_each_status_says_who_does_or_did_what(
    scene: Scene, as_person: Look, given: dict[str, Any], state: str, text: str
) -> None:
    """Notes are Markdown. An applied proposal leads to its commit, and its files are folded."""
    scene.forget()
    scene.propose(**given)

    shown = card(as_person("rita", "read"), scene)

    assert shown.one("span", "state").text == state
    assert text in shown.text
    is_applied = given.get("status") == "applied"
    assert (f"/acme/widgets/commit/{'c' * 40}" in shown.values("a", "href")) == is_applied
    assert ["open" in each.attributes for each in shown.all("details", class_="file")] == [not is_applied] * 3


def test_the_history_says_who_did_what(scene: Scene, as_person: Look) -> None:
    """Oldest first, with the notes and the status from then on."""
    proposal = scene.propose()
    claimed = act(proposal, ClaimIt(BY_ANN, 60), 2_000)
    scene.store.write(proposal, claimed)

    history = card(as_person("ann", "write"), scene).one("details", "past").texts("li")

    assert history == [
        "1970-01-01 00:16:40 UTC bob codex, role implementer submitted it (pending)",
        "1970-01-01 00:33:20 UTC ann claimed it: generation 1 (claimed)",
    ]


def test_every_action_and_every_status_has_words(scene: Scene, as_person: Look) -> None:
    """A proposal in any state with any history can be shown."""
    actions = get_args(ActionName)
    statuses = get_args(Status)
    for at, status in enumerate(statuses):
        name = f"P-{at:020}"
        scene.propose(id=name, status=status, claim=CLAIM)
        scene.store.histories[name] = tuple(
            ProposalEvent(number=number, at=1_000, by=Actor(login="bob"), action=action, status=status)
            for number, action in enumerate(actions, 1)
        )

    cards = tab(as_person("ann", "write"), scene).all("article", class_="proposal")

    assert len({each.one("span", "state").text for each in cards}) == len(statuses)
    assert all(len(set(each.one("details", "past").texts("li"))) == len(actions) for each in cards)


NO_ACCESS = "requires write access"


@each_row(
    ("given", "login", "role", "offered"),
    [
        ({}, "ann", "write", {"Claim for review": "", "Close": ""}),
        ({}, "bob", "write", {"Claim for review": "you proposed it", "Close": ""}),
        ({}, "bob", "read", {"Claim for review": NO_ACCESS, "Close": ""}),
        ({}, "rita", "read", {"Claim for review": NO_ACCESS, "Close": NO_ACCESS}),
        (
            {"status": "claimed", "claim": CLAIM},
            "ann",
            "write",
            {"Approve": "", "Request changes": "", "Comment": "", "Close": ""},
        ),
        ({"status": "claimed", "claim": CLAIM}, "eve", "write", {"Close": ""}),
        ({"status": "claimed", "claim": CLAIM.model_copy(update={"until": 1.0})}, "eve", "write",
         {"Claim for review": "", "Close": ""}),
        ({"status": "approved"}, "bob", "write", {"Apply as one commit": "", "Close": ""}),
        ({"status": "approved"}, "rita", "triage", {"Apply as one commit": NO_ACCESS, "Close": NO_ACCESS}),
        ({"status": "rejected"}, "ann", "admin", {"Close": ""}),
        ({"status": "closed"}, "ann", "admin", {}),
    ],
)  # fmt: skip
def test_everybody_is_offered_what_they_may_do(
    scene: Scene, as_person: Look, given: dict[str, Any], login: str, role: str, offered: dict[str, str]
) -> None:
    """A button that somebody may not use says why."""
    scene.forget()
    scene.propose(**given)

    assert buttons(card(as_person(login, role), scene)) == offered


def test_only_proposals_for_this_pull_request_are_shown(scene: Scene, as_person: Look) -> None:
    """Newest first; one that was asked for in a thread leads there. Without any the tab says how they come about."""
    reader = as_person("ann", "write")
    nothing = tab(reader, scene).by_id("no-proposals").text
    for name, number, thread in (("1", scene.number, 5), ("2", 99, None), ("3", scene.number, None)):
        origin = Origin(key="comment-5", thread=thread, at=900.0)
        scene.propose(id=f"P-{name * 20}", number=number, origin=origin)

    shown = tab(reader, scene).all("article", class_="proposal")

    assert nothing == "No proposals yet. @kodiai propose … asks for one, and agents submit them by the API."
    of_thread = f"/acme/widgets/pull/{scene.number}#discussion_r5"
    assert [(each["id"], each.values("a", "href")) for each in shown] == [
        (f"P-{'3' * 20}", []),
        (f"P-{'1' * 20}", [of_thread]),
    ]


@each_row(
    ("verb", "form", "body"),
    [
        ("claim", {}, {}),
        ("apply", {}, {}),
        ("close", {}, {"note": ""}),
        (
            "verdict",
            {"decision": "request_changes", "notes": "a\r\nb", "generation": "3"},
            {"decision": "request_changes", "notes": "a\nb", "generation": 3},
        ),
    ],
)
def test_the_acts_of_the_viewer_go_through_the_api_in_their_name(
    scene: Scene, as_person: Look, verb: str, form: dict[str, str], body: dict[str, Any]
) -> None:
    """The token is theirs; the answer leads back to the proposal."""
    scene.forget()
    scene.propose()

    answer = as_person("ann", "write").send(f"/acme/widgets/pull/{scene.number}/proposals/{NAME}/{verb}", **form)

    assert (answer.status_code, answer.headers["location"]) == (
        303,
        f"/acme/widgets/pull/{scene.number}/proposals#{NAME}",
    )
    assert scene.api.asked == [(f"/proposals/{NAME}/{verb}", "Bearer token-of-ann", body)]


@each_row(
    ("status", "body", "text"),
    [
        (422, {"detail": "See `errors`.", "errors": [{"detail": "The notes are missing."}]},
         "See `errors`. The notes are missing."),
        (500, ["?"], "The API answered with 500."),
    ],
)  # fmt: skip
def test_a_refusal_of_the_api_is_shown_in_its_words(
    scene: Scene, as_person: Look, status: int, body: Any, text: str
) -> None:
    """Its status too, and every member that is not as it should be; a failure whatever it sends."""
    scene.api.status, scene.api.body = status, body

    answer = as_person("ann", "write").send(f"/acme/widgets/pull/{scene.number}/proposals/{NAME}/claim")

    assert answer.status_code == status
    assert text in Page(answer).text


@each_row(
    ("address", "status"),
    [(f"{NAME}/revise", 404), ("P-1/claim", 404), (f"{NAME}/verdict", 422)],
)
def test_a_request_that_no_form_sends_reaches_no_api(scene: Scene, as_person: Look, address: str, status: int) -> None:
    """An unknown verb, an odd id, a verdict without its claim."""
    answer = as_person("ann", "write").send(f"/acme/widgets/pull/{scene.number}/proposals/{address}")

    assert (answer.status_code, scene.api.asked) == (status, [])


def test_a_stranger_does_nothing(scene: Scene, as_person: Look) -> None:
    """The tab is not found, like every other one."""
    reader = as_person("mallory", "none")

    assert reader.get(f"/acme/widgets/pull/{scene.number}/proposals").status_code == 404
    assert reader.send(f"/acme/widgets/pull/{scene.number}/proposals/{NAME}/claim").status_code == 404
    assert scene.api.asked == []


def test_the_tab_is_missing_without_a_bot(reader: Reader, open_pull: Callable[..., int]) -> None:
    """The pages of a GitHub alone have no proposals."""
    number = open_pull({"a.txt": "a\n"}, {"a.txt": "b\n"})

    assert "Proposals" not in reader.read(f"/acme/widgets/pull/{number}").by_id("tabs").text
    assert reader.get(f"/acme/widgets/pull/{number}/proposals").status_code == 404
    assert reader.send(f"/acme/widgets/pull/{number}/proposals/{NAME}/claim").status_code == 404
