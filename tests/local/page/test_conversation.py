"""The conversation: comments and events in order, and the forms for them."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from urllib.parse import quote

import pytest

from local.github import LocalGitHub
from tests.git_repository import GitRepository
from tests.local.github.scene import Client
from tests.local.page.reader import Element, Page, Reader
from tests.tables import each_row

PULL = "/acme/widgets/pull/{}"
API = "/repos/acme/widgets"
OLD = "".join(f"line {n}\n" for n in range(1, 21))
HIDE = "mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) { clientMutationId } }"
NEW = OLD.replace("line 10\n", "line ten\nadded\n")


@pytest.fixture
def number(github: LocalGitHub, open_pull: Callable[..., int]) -> int:
    github.set_role("octocat", "write")
    github.set_role("ann", "write")
    github.set_role("rose", "read")
    return open_pull({"src/a.py": OLD}, {"src/a.py": NEW}, message="Say ten\n\nAt length.")


def talk(reader: Reader, number: int) -> Page:
    page = reader.read(PULL.format(number))
    assert page.status == 200
    return page


def entries(page: Page) -> list[Element]:
    """The entries of the time line, in order."""
    return [child for child in page.by_id("entries").children if isinstance(child, Element)]


def heading(entry: Element) -> str:
    """The beginning of an entry, without the time."""
    return re.sub(r" \d{4}-\d\d-.*", "", (entry.all("h2") or entry.all("p"))[0].text)


@dataclass(frozen=True)
class History:
    """A pull request in which a little of everything was written and done, and its page for somebody who only reads."""

    page: Page
    own: Page
    """The page for paula, who has begun a review."""

    number: int
    ids: Mapping[str, int]
    commits: Sequence[str]

    def post(self, name: str) -> Element:
        """A review or a review comment."""
        anchors = (f"{kind}{self.ids[name]}" for kind in ("pullrequestreview-", "discussion_r"))
        return next(self.page.by_id(anchor) for anchor in anchors if anchor in self.page.ids)

    def thread(self, name: str) -> Element:
        return self.page.by_id(f"thread-{self.ids[name]}")


@pytest.fixture(scope="module")
def history(github: LocalGitHub, repository: GitRepository, bot: Client) -> History:
    github.set_role("octocat", "write")
    github.set_role("ann", "write")
    github.set_role("rose", "read")
    base = repository.commit({"src/a.py": OLD}, "refs/heads/main")
    first = repository.commit({"src/a.py": NEW}, base, message="Say ten\n\nAt length.")
    second = repository.commit({"src/a.py": "top\n" + NEW.replace("line ten\n", "10\n")}, first, message="More")
    third = repository.commit({"src/a.py": "top\n" + NEW.replace("line ten\n", "10\n")}, base, message="Other")
    number = github.open_pull_request(first, base, title="A change")
    ids: dict[str, int] = {}

    def comments(review: int) -> list[int]:
        return [each.id for each in github.state.comments.values() if each.review == review]

    github.describe(number, "Says **ten**.\n\n- [x] done :rocket:")
    ids["hello"] = github.comment(number, "Hello.", login="ann")
    for login, content in (("rose", "+1"), ("octocat", "+1"), ("ann", "eyes")):
        github.react("issue comment", ids["hello"], content, login=login)
    ids["asked"] = github.review(number, "COMMENT", "As **said**.", [
        {"path": "src/a.py", "line": 10, "body": "Why?"},
        {"path": "src/a.py", "line": 11, "body": "Why this?"},
        {"path": "src/a.py", "start_line": 8, "line": 13, "body": "All of it?"},
        {"path": "src/a.py", "start_line": 10, "line": 11, "body": "Shorter:\n```suggestion\n10\n```"},
    ], login="ann")  # fmt: skip
    ids |= dict(zip(("gone", "moved", "long", "suggested"), comments(ids["asked"]), strict=True))
    ids["because"] = github.reply(ids["moved"], "Because.")
    ids["ah"] = github.reply(ids["moved"], "**Ah**.", login="ann")
    github.resolve_thread(ids["long"])
    ids["old"] = github.review(number, "APPROVE", login="ann")
    check = bot.post(f"{API}/check-runs", {"name": "Kodiai", "head_sha": first, "status": "in_progress"}).json()["id"]
    for summary in ("One file read.", "All files read."):
        bot.update_check(check, status="IN_PROGRESS", output={"title": "…", "summary": summary})
    bot.update_check(check, conclusion="FAILURE", output={"title": "Two findings", "summary": "Both small."})
    github.push(number, second)
    ids["hidden"] = github.review(number, "COMMENT", "Not any more.", login="ann")
    node = bot.get(f"{API}/pulls/{number}/reviews/{ids['hidden']}").json()["node_id"]
    bot.graphql(HIDE, id=node)
    ids["dismissed"] = github.review(number, "REQUEST_CHANGES", "No.", login="bob")
    bot.dismiss(ids["dismissed"], "It is fixed.")
    ids["approved"] = github.review(number, "APPROVE", login="ann")
    github.review(number, "COMMENT", "By the way.", login="ann")
    ids["refused"] = github.review(number, "REQUEST_CHANGES", "Never.", login="cleo")
    github.request_review(number)
    github.close(number, login="ann")
    github.reopen(number)
    with closing(Client(github, github.token_for("paula", "write"))) as paula:
        thought = {"path": "src/a.py", "line": 11, "body": "A thought."}
        paula.post(f"{API}/pulls/{number}/reviews", {"body": "Not yet.", "comments": [thought]})
    github.push(number, third)
    github.close(number, login="ann", merged=True)
    with Reader(github.url) as reader, Reader(github.url) as own:
        own.become("paula", "write")
        return History(talk(reader, number), talk(own, number), number, ids, (first, second, third))


def test_everything_stands_in_its_order(history: History) -> None:
    """A check has its start and its result, a push its commits; a pending review is for its author alone."""
    first, second, third = history.commits

    shown = entries(history.page)

    assert [heading(entry) for entry in shown] == [
        "↑octocat opened this with 1 commit",
        "▸octocat edited the description",
        "ann commented",
        "ann reviewed",
        "ann approved these changes",
        "▸Kodiai started",
        "▸Kodiai completed: failure",
        "↑octocat pushed 1 commit",
        "ann reviewed",
        "bob reviewed (dismissed)",
        "ann approved these changes",
        "ann reviewed",
        "cleo requested changes",
        "▸octocat requested a review",
        "▸ann closed this",
        "▸octocat reopened this",
        f"↑octocat force-pushed from {second[:7]} to {third[:7]}",
        "▸ann merged this",
    ]
    assert [shown[n].texts("li") for n in (0, 7, 16)] == [
        [f"{first[:7]} Say ten"],
        [f"{second[:7]} More"],
        [f"{third[:7]} Other"],
    ]
    assert heading(entries(history.own)[-1]) == "paula started a review"
    assert "pending" in history.own.by_id("entries").texts("span", "amber")
    assert "paula" not in history.page.by_id("main").text


@each_row(("name", "words", "tone", "commit"), [
    ("asked", "reviewed", "grey", "at {0}, an earlier commit"),
    ("old", "approved these changes", "green", "at {0}, an earlier commit"),
    ("dismissed", "reviewed (dismissed)", "grey", "at {1}, an earlier commit"),
    ("refused", "requested changes", "red", "at {1}, an earlier commit"),
])  # fmt: skip
def test_a_review_has_its_state_in_words_and_colour_and_its_commit(
    history: History, name: str, words: str, tone: str, commit: str
) -> None:
    shown = history.post(name)

    assert (shown.one("span", "verdict").text, shown.one("span", "verdict")["class"]) == (words, f"verdict {tone}")
    assert commit.format(*(sha[:7] for sha in history.commits)) in shown.one("header").text


def test_posts_are_shown_as_markdown_with_their_state(history: History) -> None:
    description, hidden = (
        history.page.by_id(f"issue-{history.number}"),
        history.post("hidden").one("details", "minimized"),
    )

    assert description.one("div", "prose").one("strong").text == "ten"
    assert description.one("div", "prose").one("li").text == "done 🚀"
    assert description.one("header").text.count("edited") == 1
    assert history.post("asked").one("div", "prose").one("strong").text == "said"
    assert history.post("dismissed").one("p", "dismissed").text == "Dismissed: It is fixed."
    assert ("open" in hidden.attributes, hidden.text) == (False, "This comment was marked as outdatedNot any more.")
    up, eyes = history.page.by_id(f"reactions-issuecomment-{history.ids['hello']}").all("button")
    assert (up.text, up["title"], up["aria-pressed"]) == ("👍 2 thumbs up", "thumbs up: rose, octocat", "true")
    assert (eyes.text, eyes["title"], eyes["aria-pressed"]) == ("👀 1 eyes", "eyes: ann", "false")


@each_row(("name", "title", "opens", "rows"), [
    ("gone", "src/a.py line 10 outdated ann: Why?", False,
     [["8", "8", "", "line 8"], ["9", "9", "", "line 9"], ["10", "", "-", "line 10"], ["", "10", "+", "line ten"]]),
    ("moved", "src/a.py line 12 ann: Why this?", True,
     [["9", "9", "", "line 9"], ["10", "", "-", "line 10"], ["", "10", "+", "line ten"], ["", "11", "+", "added"]]),
    ("long", "src/a.py lines 9 to 14 resolved by octocat ann: All of it?", False,
     [["9", "9", "", "line 9"], ["10", "", "-", "line 10"], ["", "10", "+", "line ten"],
      ["", "11", "+", "added"], ["11", "12", "", "line 11"], ["12", "13", "", "line 12"]]),
])  # fmt: skip
def test_a_thread_stands_below_the_end_of_its_hunk(
    history: History, name: str, title: str, opens: bool, rows: list[list[str]]
) -> None:
    """Four lines of it, or all that the comment is about; it is folded where it is outdated or resolved.

    One whose line has only moved is not outdated.
    """
    thread = history.thread(name)

    assert thread.all("summary")[0].text == title
    assert ("open" in thread.attributes) == opens
    assert [row.texts("td") for row in thread.one("tbody").all("tr")][-len(rows) :] == rows
    pressed = thread.one("button", name="resolved")
    assert (pressed.text.partition(":")[0], pressed["value"]) == (
        ("Unresolve conversation", "0") if name == "long" else ("Resolve conversation", "1")
    )


def test_threads_stand_at_the_review_that_began_them_with_all_replies(history: History) -> None:
    """The reviews in which GitHub keeps the replies are not shown. A suggestion is against the lines it replaces."""
    names = ("gone", "moved", "long", "suggested")
    entry = next(each for each in entries(history.page) if each.all("details", "thread"))

    assert [thread["id"] for thread in entry.all("details", "thread")] == [
        f"thread-{history.ids[each]}" for each in names
    ]
    assert [said["id"] for said in history.thread("moved").all("article")] == [
        f"discussion_r{history.ids[each]}" for each in ("moved", "because", "ah")
    ]
    assert history.post("ah").one("strong").text == "Ah"
    assert history.thread("suggested").one("figure", "suggestion").texts("code") == ["line ten", "added", "10"]


def test_beside_it_stand_reviewers_and_participants(history: History) -> None:
    """A comment lifts no approval, and nobody reviews their own pull request."""
    reviewers, participants = history.page.by_id("side").all("section")

    assert reviewers.texts("li") == [
        "● kodiai[bot] review requested", "✓ ann approved", "– bob dismissed", "✕ cleo changes requested",
    ]  # fmt: skip
    assert participants.texts("li")[:2] == ["o octocat write, author", "a ann write"]


def test_without_a_description_it_says_so(reader: Reader, number: int) -> None:
    assert "No description provided." in talk(reader, number).by_id(f"issue-{number}").text


def test_a_disabled_button_names_the_required_right(
    read_as: Callable[..., Reader], github: LocalGitHub, bot: Client, number: int
) -> None:
    """Comments, replies and reactions need no role."""
    bot.post(f"{API}/check-runs", {"name": "Kodiai", "head_sha": github.state.pulls[number].head_sha})
    github.comment_on_line(number, "src/a.py", 10, "Why?", login="ann")
    github.comment(number, "Hm.", login="ann")

    def buttons(login: str, role: str) -> list[Element]:
        reader = read_as(login, role)
        checks = reader.read(f"{PULL.format(number)}/checks")
        return talk(reader, number).by_id("main").all("button") + checks.by_id("main").all("button")

    as_rose, as_will = buttons("rose", "read"), buttons("will", "write")

    writer, admin, triage = "requires write access", "requires admin access", "requires triage access"
    own, pull = ", or to be its author", ", or to be the pull request's author"
    disabled = [button.text for button in as_rose if "disabled" in button.attributes]
    assert sorted(set(disabled)) == sorted([
        f"Edit: {writer}{pull}", f"Edit: {writer}{own}", f"Delete: {writer}{own}",
        f"Resolve conversation: {writer}{pull}", f"Close pull request: {triage}{pull}", f"Review again: {writer}",
        f"Request a review from kodiai[bot]: {triage}", f"Lock conversation: {writer}", f"Re-run: {writer}",
        f"Re-run all checks: {writer}", f"Merge pull request: {writer}", f"Report: {writer}", f"Save: {admin}",
    ])  # fmt: skip
    assert {"Comment", "Reply", "👍"} <= {button.text for button in as_rose if "disabled" not in button.attributes}
    assert [button.text for button in as_will if "disabled" in button.attributes] == [f"Save: {admin}"]


def test_every_form_sends_what_its_act_takes(
    read_as: Callable[..., Reader], github: LocalGitHub, bot: Client, number: int
) -> None:
    """The forms are those of the conversation and of the checks, with their text fields filled in."""
    action = {"label": "Again", "description": "Once more", "identifier": "again"}
    bot.post(f"{API}/check-runs", {
        "name": "Kodiai", "head_sha": github.state.pulls[number].head_sha, "actions": [action],
    })  # fmt: skip
    comment = github.comment(number, "Hm.", login="ann")
    github.comment_on_line(number, "src/a.py", 10, "Why?", login="ann")
    ada, answers = read_as("ada", "admin"), {}
    pages = [talk(ada, number), ada.read(f"{PULL.format(number)}/checks")]
    for form in [form for page in pages for form in page.by_id("main").all("form")]:
        act = form["action"].rpartition("/")[2]
        if act in ("delete", "merge"):
            continue
        written = form.all("input") + form.all("textarea")
        fields = {field["name"]: field.attributes.get("value", "Words.") for field in written}
        fields |= {choice["name"]: choice.all("option")[0]["value"] for choice in form.all("select")}
        pressed = form.all("button")[-1].attributes
        fields |= {pressed["name"]: pressed["value"]} if "name" in pressed else {}
        answers[act] = ada.send(form["action"], **fields).status_code

    acts = "describe react edit reply resolve rules report comment close lock request-review rerequest action rerun-all"
    assert answers == dict.fromkeys(acts.split(), 303)
    assert github.state.issue_comments[comment].body == "Words."


EVIL = (
    "</textarea></title></script><script>alert(1)</script> <img src=x onerror=alert(1)> [x](javascript:alert(1)) "
    '<a href="javascript:alert(1)" onclick="alert(1)">y</a> <svg onload=alert(1)></svg> "\'><b onmouseover=alert(1)>'
)


def test_nothing_that_somebody_wrote_acts(
    reader: Reader, github: LocalGitHub, repository: GitRepository, bot: Client
) -> None:
    """Titles, branches, texts, messages, code, names of checks and files: all of it is text, or sanitized Markdown.

    No page has any code but the one script.
    """
    path = 'a"><script>alert(1)</script>.py'
    base = repository.commit({path: "x\n"})
    head = repository.commit(
        {path: f"{EVIL} \x1b[31m\u202e\n"}, base, message=f"{EVIL}\n\n{EVIL}", branch='b"><script>'
    )
    number = github.open_pull_request('b"><script>', base, title=EVIL, body=EVIL)
    github.comment(number, EVIL, login="ann")
    comments = [{"path": path, "line": 1, "body": EVIL}]
    review = github.review(number, "REQUEST_CHANGES", EVIL, comments, login="ann")
    bot.dismiss(review, EVIL)
    summary = EVIL.replace("<img", "<i")  # GitHub's stand-in takes no picture of an App
    note = {"path": path, "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": EVIL, "title": EVIL}
    output = {"title": EVIL, "summary": summary, "text": summary, "annotations": [note]}
    action = {"label": "<script>", "description": "<b>x</b>", "identifier": '"><script>'}
    bot.post(f"{API}/check-runs", {"name": EVIL, "head_sha": head, "actions": [action], "output": output})
    line, show = f"?path={quote(path)}&line=1&side=RIGHT", "?diff=split&show=%22%3E%3Cscript%3E"
    tabs = [
        PULL.format(number) + tab for tab in ("", "/commits", "/checks", "/files", f"/files{line}", f"/files{show}")
    ]

    pages = {address: reader.read(address) for address in ("/", *tabs, f"/acme/widgets/commit/{head}")}

    for address, page in pages.items():
        everything = list(page.walk())
        assert [each["src"] for each in everything if each.tag == "script"] == ["/-/static/page.js"], address
        assert not {each.tag for each in everything} & {"svg", "iframe", "object", "embed", "style", "base"}
        assert not [name for each in everything for name in each.attributes if name.startswith(("on", "style"))]
        links = [each[name] for each in everything for name in ("href", "src", "action") if name in each.attributes]
        assert not [link for link in links if link.strip().lower().startswith(("javascript:", "data:"))]
    assert pages[tabs[0]].one("h1").text == f"{EVIL} #{number}"
    assert pages[tabs[2]].one("ul", "notes").texts("p")[1:] == [EVIL, EVIL]
    assert {page.one("details", "file").all("code")[-1].text for page in list(pages.values())[-4:]} == {
        f"{EVIL} ␛[31m⟨U+202E⟩"
    }
