"""The conversation: what was said and done, in order, and what can be done about it."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from local.github import LocalGitHub
from tests.git_repository import GitRepository
from tests.local.github.scene import Client
from tests.local.page.reader import Element, Page, Reader
from tests.tables import each_row

PULL = "/acme/widgets/pull/{}"
API = "/repos/acme/widgets"
OLD = "".join(f"line {n}\n" for n in range(1, 21))
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


def title(page: Page, thread: int) -> str:
    """The beginning of a thread."""
    return page.by_id(f"thread-{thread}").all("summary")[0].text


def gone_line(repository: GitRepository, github: LocalGitHub, number: int) -> None:
    """Push a commit that changes the line on which the others comment."""
    head = github.state.pulls[number].head_sha
    github.push(number, repository.commit({"src/a.py": NEW.replace("line ten\n", "10\n")}, head))


def test_everything_is_told_in_order(
    reader: Reader, github: LocalGitHub, repository: GitRepository, number: int
) -> None:
    head = github.state.pulls[number].head_sha
    second = repository.commit({"b.py": "y\n"}, head, message="More")
    third = repository.commit({"src/a.py": NEW, "c.py": "z\n"}, github.state.pulls[number].base_sha, message="Other")
    first = github.comment(number, "Hello.", login="ann")
    review = github.review(number, "REQUEST_CHANGES", "No.", login="ann")
    github.push(number, second)
    github.push(number, third)
    github.request_review(number)
    last = github.comment(number, "Bye.")
    github.close(number, login="ann")
    github.reopen(number)
    github.close(number, login="ann", merged=True)

    shown = entries(talk(reader, number))

    assert [heading(entry) for entry in shown] == [
        "↑octocat opened this with 1 commit",
        "ann commented",
        "ann requested changes",
        "↑octocat pushed 1 commit",
        f"↑octocat force-pushed from {second[:7]} to {third[:7]}",
        "▸octocat requested a review",
        "octocat commented",
        "▸ann closed this",
        "▸octocat reopened this",
        "▸ann merged this",
    ]
    assert [entry["id"] for entry in shown if entry.tag == "article"] == [f"issuecomment-{n}" for n in (first, last)]
    assert shown[2].one("article", "post")["id"] == f"pullrequestreview-{review}"
    assert [shown[n].texts("li") for n in (0, 3, 4)] == [
        [f"{head[:7]} Say ten"],
        [f"{second[:7]} More"],
        [f"{third[:7]} Other"],
    ]


def test_the_description_is_shown_as_markdown_and_told_when_edited(
    reader: Reader, github: LocalGitHub, number: int
) -> None:
    empty = talk(reader, number).by_id(f"issue-{number}").text
    github.describe(number, "Says **ten**.\n\n- [x] done :rocket:")

    said = talk(reader, number).by_id(f"issue-{number}")

    assert "No description provided." in empty
    assert said.one("div", "prose").one("strong").text == "ten"
    assert said.one("div", "prose").one("li").text == "done 🚀"
    assert said.one("header").text.count("edited") == 1
    assert said.one("textarea").text == "Says **ten**. - [x] done :rocket:"


@each_row(("event", "words", "tone"), [
    ("COMMENT", "reviewed", "grey"),
    ("APPROVE", "approved these changes", "green"),
    ("REQUEST_CHANGES", "requested changes", "red"),
])  # fmt: skip
def test_a_review_is_told_in_words_and_colour(
    reader: Reader, github: LocalGitHub, number: int, event: Any, words: str, tone: str
) -> None:
    review = github.review(number, event, "As **said**.", login="ann")

    shown = talk(reader, number).by_id(f"pullrequestreview-{review}")

    assert shown.one("span", "verdict").text == words
    assert shown.one("span", "verdict")["class"] == f"verdict {tone}"
    assert shown.one("div", "prose").one("strong").text == "said"


def test_a_dismissed_review_tells_with_what_words(
    reader: Reader, github: LocalGitHub, bot: Client, number: int
) -> None:
    review = github.review(number, "REQUEST_CHANGES", "No.", login="ann")
    bot.dismiss(review, "It is fixed.")

    page = talk(reader, number)

    assert page.by_id(f"pullrequestreview-{review}").one("span", "verdict").text == "reviewed (dismissed)"
    assert page.by_id(f"pullrequestreview-{review}").one("p", "dismissed").text == "Dismissed: It is fixed."
    assert "ann dismissed" in page.by_id("side").text


def test_a_review_tells_at_which_head_it_was(
    reader: Reader, github: LocalGitHub, repository: GitRepository, number: int
) -> None:
    head = github.state.pulls[number].head_sha
    before = github.review(number, "APPROVE", login="ann")
    gone_line(repository, github, number)
    after = github.review(number, "APPROVE", login="ann")

    page = talk(reader, number)

    assert page.by_id(f"pullrequestreview-{before}").one("header").text.endswith(f"at {head[:7]}, an earlier commit")
    assert (
        page.by_id(f"pullrequestreview-{after}")
        .one("header")
        .text.endswith(f"at {github.state.pulls[number].head_sha[:7]}")
    )


def test_what_was_hidden_is_folded_with_the_reason(
    reader: Reader, github: LocalGitHub, bot: Client, number: int
) -> None:
    review = github.review(number, "COMMENT", "Not any more.", login="ann")
    node = bot.get(f"{API}/pulls/{number}/reviews/{review}").json()["node_id"]
    hide = "mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) { clientMutationId } }"
    bot.graphql(hide, id=node)

    fold = talk(reader, number).by_id(f"hidden-pullrequestreview-{review}")

    assert (fold.tag, "open" in fold.attributes) == ("details", False)
    assert fold.text == "This comment was marked as outdatedNot any more."


def test_a_thread_stands_at_the_review_that_began_it_with_all_answers(
    reader: Reader, github: LocalGitHub, number: int
) -> None:
    """The reviews in which GitHub keeps the answers are not shown."""
    comments = [{"path": "src/a.py", "line": 10, "body": "Why?"}, {"path": "src/a.py", "line": 11, "body": "Why this?"}]
    review = github.review(number, "COMMENT", "Two questions.", comments, login="ann")
    first, second = (each.id for each in github.state.comments.values() if each.review == review)
    answers = [github.reply(first, "Because."), github.reply(first, "**Ah**.", login="ann")]

    page = talk(reader, number)
    (entry,) = page.all("section", "entry")

    assert [thread["id"] for thread in entry.all("details", "thread")] == [f"thread-{first}", f"thread-{second}"]
    assert [said["id"] for said in page.by_id(f"thread-{first}").all("article")] == [
        f"discussion_r{comment}" for comment in (first, *answers)
    ]
    assert page.by_id(f"discussion_r{answers[1]}").one("strong").text == "Ah"
    assert [heading(each) for each in entries(page)] == ["↑octocat opened this with 1 commit", "ann reviewed"]


def test_above_a_thread_stands_the_end_of_its_hunk(reader: Reader, github: LocalGitHub, number: int) -> None:
    """Four lines of it, or all that the comment is about."""
    one = github.comment_on_line(number, "src/a.py", 11, "Why?")
    long = {"path": "src/a.py", "start_line": 8, "line": 13, "body": "All of it?"}
    review = github.review(number, "COMMENT", "Well.", [long], login="ann")
    six = next(each.id for each in github.state.comments.values() if each.review == review)

    page = talk(reader, number)

    assert title(page, one).startswith("src/a.py line 11")
    assert title(page, six).startswith("src/a.py lines 8 to 13")
    assert [[cell.text for cell in row.all("td")] for row in page.by_id(f"thread-{one}").one("tbody").all("tr")] == [
        ["9", "9", "", "line 9"],
        ["10", "", "-", "line 10"],
        ["", "10", "+", "line ten"],
        ["", "11", "+", "added"],
    ]
    assert [row.all("td")[3].text for row in page.by_id(f"thread-{six}").one("tbody").all("tr")][-2:] == [
        "line 11",
        "line 12",
    ]
    assert len(page.by_id(f"thread-{six}").one("tbody").all("tr")) >= 6


def test_a_suggestion_is_shown_against_the_lines_that_it_replaces(
    reader: Reader, github: LocalGitHub, number: int
) -> None:
    suggested = {"path": "src/a.py", "start_line": 10, "line": 11, "body": "Shorter:\n```suggestion\n10\n```"}
    github.review(number, "COMMENT", "Well.", [suggested], login="ann")

    figure = talk(reader, number).one("figure", "suggestion")

    assert figure.texts("code") == ["line ten", "added", "10"]


def test_a_resolved_thread_is_folded_and_tells_who_did_it(reader: Reader, github: LocalGitHub, number: int) -> None:
    thread = github.comment_on_line(number, "src/a.py", 10, "Why?", login="ann")
    before = talk(reader, number).by_id(f"thread-{thread}")
    github.resolve_thread(thread)

    page = talk(reader, number)
    after = page.by_id(f"thread-{thread}")

    assert "open" in before.attributes
    assert "open" not in after.attributes
    assert title(page, thread) == "src/a.py line 10 resolved by octocat ann: Why?"
    assert (before.one("button", name="resolved").text, before.one("button", name="resolved")["value"]) == (
        "Resolve conversation",
        "1",
    )
    assert (after.one("button", name="resolved").text, after.one("button", name="resolved")["value"]) == (
        "Unresolve conversation",
        "0",
    )


def test_an_outdated_thread_is_told_and_keeps_its_hunk(
    reader: Reader, github: LocalGitHub, repository: GitRepository, number: int
) -> None:
    """One whose line has only moved is not."""
    gone = github.comment_on_line(number, "src/a.py", 10, "Why?", login="ann")
    kept = github.comment_on_line(number, "src/a.py", 11, "And this?", login="ann")
    head = github.state.pulls[number].head_sha
    github.push(number, repository.commit({"src/a.py": "top\n" + NEW.replace("line ten\n", "10\n")}, head))

    page = talk(reader, number)

    assert title(page, gone) == "src/a.py line 10 outdated ann: Why?"
    assert page.by_id(f"thread-{gone}").one("tbody").all("tr")[-1].text.endswith("line ten")
    assert title(page, kept) == "src/a.py line 12 ann: And this?"


def test_a_pending_review_is_shown_to_its_author_only(
    reader: Reader, read_as: Callable[..., Reader], github: LocalGitHub, number: int
) -> None:
    author = Client(github, github.token_for("paula", "write"))
    comments = [{"path": "src/a.py", "line": 10, "body": "A thought."}]
    author.post(f"{API}/pulls/{number}/reviews", {"body": "Not yet.", "comments": comments})
    author.close()

    own = talk(read_as("paula", "write"), number)

    assert heading(entries(own)[-1]) == "paula started a review"
    assert own.one("section", "entry").texts("span", "amber").count("pending") == 2
    assert "paula" not in talk(reader, number).by_id("main").text


def test_reactions_tell_how_many_and_who(reader: Reader, github: LocalGitHub, number: int) -> None:
    comment = github.comment(number, "Good?", login="ann")
    for login in ("rose", "octocat"):
        github.react("issue comment", comment, "+1", login=login)
    github.react("issue comment", comment, "eyes", login="ann")

    up, eyes = talk(reader, number).by_id(f"reactions-issuecomment-{comment}").all("button")

    assert (up.text, up["title"], up["aria-pressed"]) == ("👍 2 thumbs up", "thumbs up: rose, octocat", "true")
    assert (eyes.text, eyes["title"], eyes["aria-pressed"]) == ("👀 1 eyes", "eyes: ann", "false")


def test_checks_are_told_as_they_come(reader: Reader, github: LocalGitHub, bot: Client, number: int) -> None:
    """The conversation shows their start and result; only the merge box shows their progress."""
    told = {"name": "Kodiai", "head_sha": github.state.pulls[number].head_sha, "status": "in_progress"}
    check = bot.post(f"{API}/check-runs", told).json()["id"]
    running = talk(reader, number)
    for summary in ("One file read.", "All files read."):
        bot.update_check(check, status="IN_PROGRESS", output={"title": "…", "summary": summary})
    bot.update_check(check, conclusion="FAILURE", output={"title": "Two findings", "summary": "Both small."})

    ended = talk(reader, number)

    assert running.one("a", "sign").text == "● Check: in progress"
    assert ended.one("a", "sign").text == "✕ Check: failure"
    assert [heading(entry) for entry in entries(ended)[1:]] == ["▸Kodiai started", "▸Kodiai completed: failure"]
    assert ended.by_id(f"merge-check-{check}").one("p").text == "Kodiai Failure — Two findings"


def test_beside_it_stand_reviewers_and_participants(reader: Reader, github: LocalGitHub, number: int) -> None:
    """A comment lifts no approval, and nobody reviews their own pull request."""
    github.review(number, "APPROVE", login="ann")
    github.review(number, "COMMENT", "By the way.", login="ann")
    github.comment_on_line(number, "src/a.py", 10, "Why?")
    github.request_review(number)
    github.comment(number, "Hm.", login="rose")

    reviewers, participants = talk(reader, number).by_id("side").all("section")

    assert reviewers.texts("li") == ["● kodiai[bot] review requested", "✓ ann approved"]
    assert participants.texts("li") == ["o octocat write, author", "a ann write", "r rose read"]


def test_what_the_viewer_may_not_do_is_disabled_with_a_reason(
    read_as: Callable[..., Reader], github: LocalGitHub, bot: Client, number: int
) -> None:
    """To comment, to answer and to react takes no role."""
    bot.post(f"{API}/check-runs", {"name": "Kodiai", "head_sha": github.state.pulls[number].head_sha})
    github.comment_on_line(number, "src/a.py", 10, "Why?", login="ann")
    github.comment(number, "Hm.", login="ann")

    as_rose = talk(read_as("rose", "read"), number).by_id("main").all("button")
    as_will = talk(read_as("will", "write"), number).by_id("main").all("button")

    disabled = {button.text: button["title"] for button in as_rose if "disabled" in button.attributes}
    assert disabled == {
        f"{words}: {why}": why
        for words, why in {
            "Resolve conversation": "requires write access, or to be the pull request's author",
            "Delete": "requires write access, or to be its author",
            "Close pull request": "requires triage access, or to be the pull request's author",
            "Review again": "requires write access",
            "Request a review from kodiai[bot]": "requires triage access",
            "Lock conversation": "requires write access",
            "Merge pull request": "requires write access",
            "Report": "requires write access",
            "Save": "requires admin access",
        }.items()
    } | {
        f"Edit: {why}": why
        for why in (
            "requires write access, or to be the pull request's author",
            "requires write access, or to be its author",
        )
    }
    assert {"Comment", "Reply", "👍"} <= {button.text for button in as_rose if "disabled" not in button.attributes}
    assert [button.text for button in as_will if "disabled" in button.attributes] == ["Save: requires admin access"]


def test_a_form_sends_what_an_act_takes(reader: Reader, github: LocalGitHub, number: int) -> None:
    """Every form of the page is sent as it is, with something written where there is room for it."""
    github.set_role("octocat", "admin")
    comment = github.comment(number, "Hm.", login="ann")
    github.comment_on_line(number, "src/a.py", 10, "Why?", login="ann")
    forms = [
        form
        for form in talk(reader, number).by_id("main").all("form")
        if form["action"].rpartition("/")[2] not in ("delete", "merge")
    ]

    answers = {}
    for form in forms:
        fields = {
            field["name"]: field.attributes.get("value", "Words.") for field in form.all("input") + form.all("textarea")
        } | {choice["name"]: choice.all("option")[0]["value"] for choice in form.all("select")}
        pressed = form.all("button")[-1].attributes
        answer = reader.send(
            form["action"], **fields, **({pressed["name"]: pressed["value"]} if "name" in pressed else {})
        )
        answers[form["action"].rpartition("/")[2]] = answer.status_code

    github.set_role("octocat", "write")
    assert answers == dict.fromkeys(
        [
            "describe",
            "react",
            "edit",
            "reply",
            "resolve",
            "rules",
            "report",
            "comment",
            "close",
            "lock",
            "request-review",
        ],
        303,
    )
    assert github.state.issue_comments[comment].body == "Words."


EVIL = (
    "</textarea></title></script><script>alert(1)</script> <img src=x onerror=alert(1)> [x](javascript:alert(1)) "
    '<a href="javascript:alert(1)" onclick="alert(1)">y</a> <svg onload=alert(1)></svg> "\'><b onmouseover=alert(1)>'
)


def test_nothing_that_somebody_wrote_acts(
    reader: Reader, github: LocalGitHub, repository: GitRepository, bot: Client
) -> None:
    """Titles, branches, texts, messages, names of checks and files: all of it is text, or Markdown that was cleaned.

    No page has any code but the one script.
    """
    path = 'a"><script>alert(1)</script>.py'
    base = repository.commit({path: "x\n"})
    head = repository.commit({path: f"{EVIL}\n"}, base, message=f"{EVIL}\n\n{EVIL}", branch='b"><script>')
    number = github.open_pull_request('b"><script>', base, title=EVIL, body=EVIL)
    github.comment(number, EVIL, login="ann")
    comments = [{"path": path, "line": 1, "body": EVIL}]
    review = github.review(number, "REQUEST_CHANGES", EVIL, comments, login="ann")
    bot.dismiss(review, EVIL)
    output = {"title": EVIL, "summary": EVIL.replace("<img", "<i")}  # GitHub's stand-in takes no picture of an App
    bot.post(f"{API}/check-runs", {"name": EVIL, "head_sha": head, "conclusion": "failure", "output": output})

    for address in ("/", *(PULL.format(number) + tab for tab in ("", "/commits", "/checks", "/files"))):
        everything = list(reader.read(address).walk())

        assert [each["src"] for each in everything if each.tag == "script"] == ["/-/static/page.js"]
        assert not [
            each.tag for each in everything if each.tag in ("svg", "iframe", "object", "embed", "style", "base")
        ]
        assert not [name for each in everything for name in each.attributes if name.startswith(("on", "style"))]
        links = [each[name] for each in everything for name in ("href", "src", "action") if name in each.attributes]
        assert not [link for link in links if link.strip().lower().startswith(("javascript:", "data:"))]
    assert reader.read(PULL.format(number)).one("h1").text == f"{EVIL} #{number}"
