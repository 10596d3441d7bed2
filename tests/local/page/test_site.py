"""The site around the tabs: who looks, what is refused and how, and that no other site can act here."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from local.github import LocalGitHub
from local.page import Site
from tests.git_repository import GitRepository
from tests.local.page.reader import Page, Reader
from tests.tables import each_row

PULL = "/acme/widgets/pull/{}"
TABS = ("", "/commits", "/checks", "/files")


@pytest.fixture
def number(github: LocalGitHub, open_pull: Callable[..., int]) -> int:
    github.set_role("octocat", "write")
    return open_pull({"a.py": "x = 1\n"}, {"a.py": "x = 2\n"}, title="Count to two")


def looks_as(page: Page) -> str:
    return page.by_id("viewer").one("summary").text


def test_the_front_page_lists_pull_requests_with_the_newest_first(
    reader: Reader, github: LocalGitHub, number: int, open_pull: Callable[..., int]
) -> None:
    newer = open_pull({"a.py": "x = 1\n"}, {"a.py": "x = 3\n"}, title="Count to three")
    github.comment(newer, "One.")
    github.close(number)

    first, *rest = reader.read("/").one("ul", "pulls").all("li")
    older = next(item for item in rest if f"#{number} " in item.text)

    assert first.one("a").text == "Count to three"
    assert first.text.startswith(f"● Open Count to three #{newer} by octocat, ")
    assert first.text.endswith("· 1 comment")
    assert older.text.startswith(f"✕ Closed Count to two #{number} by octocat, ")


def test_above_every_tab_stands_which_pull_request_it_is(reader: Reader, github: LocalGitHub, number: int) -> None:
    github.comment(number, "One.")

    for tab in TABS:
        page = reader.read(PULL.format(number) + tab)
        chosen = [link["href"] for link in page.by_id("tabs").all("a", **{"aria-current": "page"})]

        assert page.one("title").text == f"Count to two · #{number} · acme/widgets"
        assert page.one("h1").text == f"Count to two #{number}"
        assert page.one("p", "facts").text.startswith("● Open octocat wants to merge change-")
        assert page.by_id("tabs").texts("a") == ["Conversation 1", "Commits 1", "Checks 0", "Files changed 1"]
        assert chosen == [PULL.format(number) + tab]


@each_row(("properties", "words"), [
    ({}, "● Open"),
    ({"draft": True}, "○ Draft"),
    ({"state": "closed"}, "✕ Closed"),
    ({"state": "closed", "merged_at": 1.0}, "✓ Merged"),
])  # fmt: skip
def test_the_state_is_shown_in_words(
    reader: Reader, github: LocalGitHub, number: int, properties: dict[str, Any], words: str
) -> None:
    """A visitor without a cookie is taken for the author."""
    for name, value in properties.items():
        setattr(github.state.pulls[number], name, value)

    page = reader.read(PULL.format(number))

    assert page.one("span", "state").text == words
    assert looks_as(page) == "Signed in as octocat write"


def test_anybody_can_be_looked_as_in_any_role(reader: Reader, github: LocalGitHub, number: int) -> None:
    """A role is theirs from then on; without one they keep what they have, and who is new reads."""
    back = f"{PULL.format(number)}/files?diff=split"

    answer = reader.send("/-/viewer", login="tess", role="triage", back=back)
    as_tess = looks_as(reader.read("/"))
    reader.send("/-/viewer", login="TESS")
    again = looks_as(reader.read("/"))
    reader.send("/-/viewer", login="newcomer")

    assert (answer.status_code, answer.headers["location"]) == (303, back)
    assert [as_tess, again] == ["Signed in as tess triage"] * 2
    assert looks_as(reader.read("/")) == "Signed in as newcomer read"
    assert github.state.users["tess"].role == "triage"
    assert "TESS" not in github.state.users


@each_row("back", ["https://example.org/", "//example.org/", "/\\example.org/", "javascript:alert(1)", ""])
def test_nobody_is_led_to_another_site(reader: Reader, back: str) -> None:
    answer = reader.send("/-/viewer", login="octocat", back=back)

    assert (answer.status_code, answer.headers["location"]) == (303, "/")


@each_row(("login", "role"), [
    ("kodiai[bot]", ""),
    ("<script>", "read"),
    ("a b", "read"),
    ("", "read"),
    ("-a", "read"),
    ("a" * 40, "read"),
    ("octocat", "owner"),
])  # fmt: skip
def test_an_invalid_login_or_role_is_refused(reader: Reader, github: LocalGitHub, login: str, role: str) -> None:
    known = set(github.state.users)

    answer = reader.send("/-/viewer", login=login, role=role)

    assert answer.status_code == 422
    assert "viewer" not in answer.cookies
    assert set(github.state.users) == known


@each_row("login", ["kodiai[bot]", "nobody-knows-them", '"><script>'])
def test_a_cookie_makes_nobody_of_whom_the_site_does_not_know(github: LocalGitHub, number: int, login: str) -> None:
    """Cookies are shared by all ports of a machine; the bot is nobody that a person can be."""
    with httpx.Client(base_url=github.url, trust_env=False) as browser:
        page = Page(browser.get(PULL.format(number), headers={"Cookie": f"viewer={login}"}))

    assert looks_as(page) == "Signed in as octocat write"
    assert login == "kodiai[bot]" or login not in github.state.users


def test_a_private_repository_is_not_found_without_a_role(
    reader: Reader, read_as: Callable[..., Reader], github: LocalGitHub, number: int
) -> None:
    stranger, head = read_as("stranger", "none"), github.state.pulls[number].head_sha
    run = github.report_check(head, "build", "success")
    addresses = ["/", *(PULL.format(number) + tab for tab in (*TABS, "/live"))]
    addresses += [f"/acme/widgets/{page}" for page in (f"commit/{head}", f"blob/{head}/a.py", f"runs/{run}")]

    pages = [stranger.read(address) for address in addresses]
    act = stranger.send(f"{PULL.format(number)}/comment", body="Hello?")

    assert [page.status for page in pages] == [404] * len(pages)
    assert not any(word in page.text for page in pages for word in ("Count to two", "x = 2"))
    assert act.status_code == 404
    assert "x = 2" in reader.read(f"/acme/widgets/blob/{head}/a.py").text


@each_row(("path", "status", "words"), [
    *((path, 404, "404 Not Found It does not exist, or you have no access to it.")
      for path in ("/999999", "/0", "/x", "/999999/files", "/999999/live")),
    ("/{}/close", 405, "405 Method Not Allowed"),
])  # fmt: skip
def test_a_wrong_address_is_refused_with_a_way_back(
    reader: Reader, github: LocalGitHub, number: int, path: str, status: int, words: str
) -> None:
    """No act is done by following a link."""
    page = reader.read(f"/acme/widgets/pull{path.format(number)}")

    assert page.status == status
    assert page.one("main").text.startswith(words)
    assert page.one("main").one("a")["href"] == (PULL.format(number) if "{}" in path else "/")
    assert github.state.pulls[number].state == "open"


def test_a_refusal_tells_what_to_do_and_leads_back(read_as: Callable[..., Reader], number: int) -> None:
    refused = Page(read_as("rose", "read").send(f"{PULL.format(number)}/close"))

    assert refused.status == 403
    assert refused.by_id("refusal").text == (
        "Only the pull request's author and people with triage access or more can close it."
    )
    assert "Switch to a user with another role, in the menu at the top" in refused.one("main").text
    assert refused.one("main").one("a")["href"] == PULL.format(number)
    assert {field["value"] for field in refused.by_id("viewer").all("input", name="back")} == {PULL.format(number)}


@each_row("origin", [None, "null", "https://example.org", "http://127.0.0.1:1", "http://localhost"])
def test_a_request_from_another_site_is_refused(github: LocalGitHub, number: int, origin: str | None) -> None:
    headers = {"Origin": origin} if origin else {}
    said = len(github.state.issue_comments)

    answers = [
        httpx.post(
            github.url + path, data={"body": "x", "login": "eve", "role": "admin"}, headers=headers, trust_env=False
        )
        for path in (f"{PULL.format(number)}/comment", "/-/viewer")
    ]

    assert [answer.status_code for answer in answers] == [403, 403]
    assert len(github.state.issue_comments) == said
    assert "eve" not in github.state.users


def test_a_name_that_leads_here_from_elsewhere_is_not_answered(github: LocalGitHub, number: int) -> None:
    """Otherwise a foreign host name that points to this machine could read its pages."""
    headers = {"Host": "example.org", "Origin": "http://example.org"}

    read = httpx.get(github.url + PULL.format(number), headers=headers, trust_env=False)
    sent = httpx.post(f"{github.url}/-/viewer", data={"login": "octocat"}, headers=headers, trust_env=False)

    assert (read.status_code, sent.status_code) == (421, 421)
    assert "Count to two" not in read.text


def test_every_answer_forbids_what_is_not_our_own(reader: Reader, github: LocalGitHub, number: int) -> None:
    pull = PULL.format(number)
    addresses = ["/", *(pull + tab for tab in TABS), "/acme/widgets/pull/999999", "/-/static/page.js", "/-/nothing"]

    answers = [reader.get(address) for address in addresses]
    answers += [reader.send(f"{pull}/comment"), httpx.post(f"{github.url}{pull}/close", trust_env=False)]

    for answer in answers:
        policy = answer.headers["content-security-policy"].split("; ")
        assert {"default-src 'none'", "script-src 'self'", "style-src 'self'", "form-action 'self'"} <= set(policy)
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_part_that_changes_by_itself_has_an_id(reader: Reader, github: LocalGitHub, number: int) -> None:
    """The script looks for parts of the page, and for the children of lists, by their ids."""
    github.comment(number, "One.")
    github.comment_on_line(number, "a.py", 1, "Two.")

    for tab in (*TABS, "/files?diff=split", "/files?path=a.py&line=1&side=LEFT"):
        page = reader.read(PULL.format(number) + tab)
        parts = [each for each in page.walk() if "data-live" in each.attributes]
        lists = [each for each in parts if each["data-live"] == "list"]
        items = [child for each in lists for child in each.children if not isinstance(child, str)]

        assert parts
        assert all("id" in each.attributes for each in parts + items)
        assert len(page.ids) == len(set(page.ids))


@pytest.fixture
def own(repository: GitRepository) -> Iterator[tuple[LocalGitHub, Site]]:
    """A stand-in of its own, which a test may stop."""
    base = repository.commit({"a.py": "x = 1\n"})
    with LocalGitHub(repository.path) as github:
        site = Site(github.repository, github)
        github.show(site)
        github.open_pull_request(repository.commit({"a.py": "x = 2\n"}, base), base)
        yield github, site


def numbers(events: httpx.Response) -> Iterator[int]:
    """The numbers of a stream, as they come."""
    for line in events.iter_lines():
        if line.startswith("data: "):
            yield int(line.removeprefix("data: "))


def test_an_open_page_receives_changes(own: tuple[LocalGitHub, Site]) -> None:
    """The stream begins with the revision of the page. A closed page receives nothing."""
    github, site = own
    shown = Page(httpx.get(github.url + PULL.format(1), trust_env=False)).by_id("live")

    with httpx.stream("GET", github.url + shown["data-address"], trust_env=False, timeout=5) as events:
        told = numbers(events)
        first = next(told)
        github.comment(1, "Look!")
        second = next(told)
        listening = site.listeners
    until = time.monotonic() + 5
    while site.listeners and time.monotonic() < until:
        time.sleep(0.005)

    assert events.headers["content-type"].startswith("text/event-stream")
    assert (first, second > first) == (int(shown["data-revision"]), True)
    assert (listening, site.listeners) == (1, 0)


def test_open_pages_do_not_keep_the_server_from_stopping(
    own: tuple[LocalGitHub, Site], capfd: pytest.CaptureFixture[str]
) -> None:
    """Their streams break off, and nothing is logged."""
    github, site = own
    with httpx.stream("GET", f"{github.url}{PULL.format(1)}/live", trust_env=False, timeout=5) as events:
        told = numbers(events)
        next(told)
        began = time.monotonic()

        github.stop()

        assert time.monotonic() - began < 1
        with pytest.raises(httpx.RemoteProtocolError):
            next(told)
    assert site.listeners == 0
    assert capfd.readouterr().err == ""


def test_every_page_says_what_a_model_would_add_where_there_is_none(repository: GitRepository) -> None:
    """And how to give the key; where a model reads, no page does."""
    base = repository.commit({"a.py": "x = 1\n"})
    with LocalGitHub(repository.path) as github:
        github.open_pull_request(repository.commit({"a.py": "x = 2\n"}, base), base)

        for is_offline in (True, False):
            github.show(Site(github.repository, github, is_offline=lambda: is_offline))  # noqa: B023 - asked at once
            for path in ("/", PULL.format(1), f"{PULL.format(1)}/files"):
                shown = httpx.get(github.url + path, trust_env=False).text
                assert ("export ANTHROPIC_API_KEY=…" in shown) is is_offline
