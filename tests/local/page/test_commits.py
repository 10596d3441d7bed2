"""The tab of pushes and commits, and the pages of one commit and of one file."""

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


def test_each_push_has_the_commits_that_it_brought_and_dropped(
    reader: Reader, github: LocalGitHub, repository: GitRepository, base: str
) -> None:
    """A force-push tells commits that came again under a new id from those that are gone."""
    first = repository.commit({"a.txt": "b\n"}, base, message="First thing\n\nBecause.")
    second = repository.commit({"b.txt": "c\n"}, first, message="Second thing")
    third = repository.commit({"c.txt": "d\n"}, second, message="Dropped <b>")
    fresh = repository.commit({"new.txt": "c\n"}, second, message="Fresh")
    moved = repository.commit({"d.txt": "c\n"}, base, message="Elsewhere")
    number = github.open_pull_request(second, base)
    github.push(number, third, login="ann")
    github.push(number, fresh)
    github.push(number, rebased(repository, first, base, moved), moved)

    opened, pushed, forced, again = pushes(reader, number).all("li", "push")

    assert opened.one("h3").text.startswith("octocat opened this with 2 commits")
    assert pushed.one("h3").text.startswith("ann pushed 1 commit")
    assert forced.one("h3").text.startswith(f"octocat force-pushed from {third[:7]} to {fresh[:7]}")
    assert [link["href"] for link in opened.one("ul", "commits").all("a")] == [
        f"{REPOSITORY}/commit/{sha}" for sha in (first, second)
    ]
    assert [link.text for link in pushed.one("ul", "commits").all("a")] == [third[:7]]
    assert (opened.one("summary").text, opened.one("pre").text) == ("First thing", "Because.")
    assert "Ann authored 2023-11-14" in pushed.text
    assert forced.one("ul", "commits").texts("p")[0] == "Fresh"
    assert [each.one("p", "forced").text for each in (forced, again)] == [
        f"force-push 1 commit removed: {third[:7]} Dropped <b>",
        f"force-push 1 commit rewritten, 2 commits removed: {second[:7]} Second thing, {fresh[:7]} Fresh",
    ]


def test_the_reviews_of_each_head_are_linked(
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
    assert link.text == "ann requested changes"
    assert link["href"] == f"{REPOSITORY}/pull/{number}#pullrequestreview-{review}"
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


def test_a_file_that_cannot_be_shown_has_a_note(reader: Reader, repository: GitRepository) -> None:
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
