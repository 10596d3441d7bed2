"""The tab of pushes and commits, and the pages of one commit and of one file."""

from collections.abc import Callable
from urllib.parse import quote

import pytest

from local.github import LocalGitHub
from local.page.changed_files import anchor_of
from tests.git_repository import Files, GitRepository
from tests.local.page.reader import Page, Reader
from tests.tables import each_row

REPOSITORY = "/acme/widgets"


def pushes(reader: Reader, number: int) -> Page:
    return reader.read(f"{REPOSITORY}/pull/{number}/commits")


def rebased(repository: GitRepository, sha: str, old: str, new: str) -> str:
    """The same commit on another parent, with the author and the date that it had."""
    commit = repository.git("cat-file", "commit", sha).replace(old.encode(), new.encode())
    return repository.git("hash-object", "-t", "commit", "-w", "--stdin", feed=commit).decode().strip()


@pytest.fixture
def base(repository: GitRepository) -> str:
    return repository.commit({"a.txt": "a\n", "docs/b.md": "# B\n"}, "refs/heads/main", message="Begin")


def test_each_push_is_told_with_the_commits_that_it_brought(
    reader: Reader, github: LocalGitHub, repository: GitRepository, base: str
) -> None:
    first = repository.commit({"a.txt": "b\n"}, base, message="First thing\n\nBecause.")
    second = repository.commit({"a.txt": "c\n"}, first, message="Second thing")
    third = repository.commit({"a.txt": "d\n"}, second, message="Third thing")
    number = github.open_pull_request(second, base)
    github.push(number, third, login="ann")

    page = pushes(reader, number)

    opened, pushed = page.all("li", "push")
    assert opened.one("h3").text.startswith("octocat opened this with 2 commits")
    assert pushed.one("h3").text.startswith("ann pushed 1 commit")
    assert [link["href"] for link in opened.one("ul", "commits").all("a")] == [
        f"{REPOSITORY}/commit/{sha}" for sha in (first, second)
    ]
    assert [link.text for link in pushed.one("ul", "commits").all("a")] == [third[:7]]
    assert (opened.one("summary").text, opened.one("pre").text) == ("First thing", "Because.")
    assert "Ann authored 2023-11-14" in pushed.text


def test_a_force_push_is_told_with_what_it_dropped(
    reader: Reader, github: LocalGitHub, repository: GitRepository, base: str
) -> None:
    """A commit that came again under a new id is not among them."""
    kept = repository.commit({"a.txt": "b\n"}, base, message="Kept")
    dropped = repository.commit({"a.txt": "c\n"}, kept, message="Dropped <b>")
    fresh = repository.commit({"new.txt": "c\n"}, kept, message="Fresh")
    number = github.open_pull_request(dropped, base)
    github.push(number, fresh)

    forced = pushes(reader, number).all("li", "push")[1]

    assert forced.one("h3").text.startswith(f"octocat force-pushed from {dropped[:7]} to {fresh[:7]}")
    assert forced.one("p", "forced").text == f"force-push 1 commit removed: {dropped[:7]} Dropped <b>"
    assert forced.one("ul", "commits").texts("p")[0] == "Fresh"


def test_a_rebase_says_which_commits_came_again(
    reader: Reader, github: LocalGitHub, repository: GitRepository, base: str
) -> None:
    first = repository.commit({"a.txt": "b\n"}, base, message="First")
    second = repository.commit({"b.txt": "b\n"}, first, message="Second")
    moved = repository.commit({"c.txt": "c\n"}, base, message="Elsewhere")
    again = rebased(repository, first, base, moved)
    number = github.open_pull_request(second, base)
    github.push(number, again, moved)

    forced = pushes(reader, number).all("li", "push")[1]

    told = f"force-push 1 commit rewritten, 1 commit removed: {second[:7]} Second"
    assert forced.one("p", "forced").text == told


def test_the_reviews_and_checks_of_each_head_are_linked(
    reader: Reader, github: LocalGitHub, repository: GitRepository, base: str
) -> None:
    """A lone comment on a line, which is a review for GitHub, is none here."""
    head = repository.commit({"a.txt": "b\n"}, base)
    number = github.open_pull_request(head, base)
    review = github.review(number, "REQUEST_CHANGES", "No.", login="ann")
    github.comment_on_line(number, "a.txt", 1, "Why?", login="ann")
    github.push(number, repository.commit({"a.txt": "c\n"}, head))

    first, second = pushes(reader, number).all("li", "push")

    link = first.one("ul", "about").one("a")
    assert (link.text, link["href"]) == (
        "ann requested changes",
        f"{REPOSITORY}/pull/{number}#pullrequestreview-{review}",
    )
    assert second.all("ul", "about") == []


def test_a_commit_has_a_page_with_its_message_and_its_diff(
    reader: Reader, github: LocalGitHub, repository: GitRepository, base: str
) -> None:
    head = repository.commit({"a.txt": "<script>\n"}, base, message="Set <script>\n\nIt is <b>needed</b>.")
    number = github.open_pull_request(head, base, title="Needed")

    page = reader.read(f"{REPOSITORY}/commit/{head}")

    assert (page.status, page.one("h1").text) == (200, "Set <script>")
    assert page.one("pre", "message").text == "It is <b>needed</b>."
    assert page.one("p", "facts").text.startswith("Ann authored this 2023-11-14")
    assert page.by_id(anchor_of("a.txt")).texts("tr", "line") == ["1-a", "1+<script>"]
    assert [link.text for link in page.one("p", "facts").all("a")] == [base[:7], f"#{number} Needed"]
    assert [script["src"] for script in page.all("script")] == ["/-/static/page.js"]


def test_the_first_commit_is_shown_against_nothing(reader: Reader, repository: GitRepository) -> None:
    first = repository.commit({"a.txt": "a\n"})

    assert reader.read(f"{REPOSITORY}/commit/{first[:10]}").by_id(anchor_of("a.txt")).texts("tr", "line") == ["1+a"]


@each_row("name", ["0" * 40, "main", "HEAD", "--all", "0123", "%00", "main%5E%7B/a%7D"])
def test_a_commit_that_is_not_there_is_not_found(reader: Reader, name: str) -> None:
    assert reader.read(f"{REPOSITORY}/commit/{name}").status == 404


def test_a_file_has_a_page_at_a_commit_and_at_a_branch(
    reader: Reader, github: LocalGitHub, repository: GitRepository, base: str
) -> None:
    """A branch's name may hold slashes, and a path any bytes."""
    path = "docs/ä <script>.py".encode() + b"\xff"
    sha = repository.commit({path: "x = 1\ny = '<script>'\n"}, base, branch="topic/slashes")
    github.open_pull_request("topic/slashes", base)

    for ref in (sha, "topic/slashes"):
        page = reader.read(f"{REPOSITORY}/blob/{ref}/{quote(path)}")

        assert (page.status, page.one("h1").text) == (200, "docs/ä <script>.py\ufffd")
        assert page.by_id("L1").texts("td") == ["1", "x = 1"]
        assert page.by_id("L2").texts("td") == ["2", "y = '<script>'"]
        assert page.by_id("L2").one("a")["href"] == "#L2"


def test_what_cannot_be_shown_of_a_file_is_told(reader: Reader, repository: GitRepository) -> None:
    long: Files = {"long.txt": "a\n" * 20_001, "huge.txt": "a" * 1_000_001}
    contents: Files = {"logo.png": b"\0\1", "empty": "", "to": "/etc/passwd", **long}
    sha = repository.commit(contents, modes={"to": "120000"})

    told = {path: reader.read(f"{REPOSITORY}/blob/{sha}/{path}") for path in contents}

    assert {path: page.one("p", "note").text for path, page in told.items()} == {
        "logo.png": "Binary file not shown.",
        "empty": "Empty file.",
        "long.txt": "This file has too many lines to be shown: 20,001.",
        "huge.txt": "This file is too large to be shown.",
        "to": "Symbolic link to:",
    }
    assert told["to"].by_id("L1").texts("code") == ["/etc/passwd"]


@each_row(
    "address",
    [
        "main",
        "main/",
        "main/no.txt",
        "main/docs",
        "main//etc/passwd",
        "main/%2e%2e/%2e%2e/etc/passwd",
        "main/docs%2f..%2f..%2fetc/passwd",
        "--help/a.txt",
        "main%00/a.txt",
        "main/a%00.txt",
        "main:a.txt/a.txt",
        "main%5E%7B/a%7D/a.txt",
        "/etc/passwd",
        "nowhere/a/b/c/d/e/f/g/h/i/j/k",
    ],
)
def test_nothing_outside_the_repository_is_ever_read(reader: Reader, repository: GitRepository, address: str) -> None:
    repository.commit({"a.txt": "a\n", "docs/b.md": "b\n"}, branch="main")

    assert reader.read(f"{REPOSITORY}/blob/{address}").status == 404


@each_row("page", ["commit/{}", "blob/{}/a.txt", "pull/{}/files"])
def test_who_may_not_see_the_repository_is_shown_nothing_of_it(
    read_as: Callable[..., Reader], github: LocalGitHub, repository: GitRepository, base: str, page: str
) -> None:
    head = repository.commit({"a.txt": "secret\n"}, base)
    number = github.open_pull_request(head, base)
    address = f"{REPOSITORY}/{page.format(number if page.startswith('pull') else head)}"

    stranger, guest = read_as("mallory", "none").read(address), read_as("gus", "read").read(address)

    assert (stranger.status, guest.status) == (404, 200)
    assert "secret" in guest.text
    assert "secret" not in stranger.text
