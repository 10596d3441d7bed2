"""The list of changed files says what git says, in GitHub's words."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from githubkit import GitHub

from local.github import LocalGitHub
from tests.git_repository import EXECUTABLE, SUBMODULE, GitRepository
from tests.local.github.scene import PULL, Client, Scene

SYMLINK = "120000"
LONG = "".join(f"value {n}\n" for n in range(200))
Serve = Callable[..., LocalGitHub]
Connect = Callable[..., Client]


def files_of(serve: Serve, client_of: Connect, repository: GitRepository, head: str, base: str) -> list[dict[str, Any]]:
    github = serve(repository.path)
    github.open_pull_request(head, base)
    listed: list[dict[str, Any]] = client_of(github, github.token_for("ann")).get(f"{PULL}/files").json()
    return listed


def by_git(repository: GitRepository, base: str, head: str, path: str) -> str:
    """The hunks that `git diff` itself prints for a path."""
    command = ["git", "-C", str(repository.path), "diff", "-M", f"{base}...{head}", "--", path]
    text = subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace")
    return text[re.search("^@@ ", text, re.MULTILINE).start() :].removesuffix("\n")  # type: ignore[union-attr]


def test_added_removed_and_changed_files_carry_the_patch_that_git_prints(bot: "GitHub[Any]", scene: Scene) -> None:
    """Patch, counts, status and blob ids are git's own; a removed file shows the blob that it had."""
    listed = bot.request("GET", f"{PULL}/files").json()

    seen = [
        (file["filename"], file["status"], file["additions"], file["deletions"], file["changes"]) for file in listed
    ]
    assert seen == [("gone.py", "removed", 0, 2, 2), ("new.py", "added", 1, 0, 1), ("src/a.py", "modified", 3, 1, 4)]
    for file in listed:
        assert file["patch"] == by_git(scene.repository, scene.base, scene.head, file["filename"])
    ids = [
        git_id(scene.repository, f"{rev}:{f['filename']}")
        for f, rev in zip(listed, (scene.base, "feature", "feature"), strict=True)
    ]
    assert [file["sha"] for file in listed] == ids


def git_id(repository: GitRepository, what: str) -> str:
    command = ["git", "-C", str(repository.path), "rev-parse", what]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()


def test_a_renamed_file_names_its_old_path_and_shows_a_patch_only_where_it_changed(
    serve: Serve, client_of: Connect, repository: GitRepository
) -> None:
    """A pure rename has no patch at all; a changed one has the changed lines only."""
    base = repository.commit({"old.txt": LONG, "moved.txt": LONG.upper()})
    changed = LONG.replace("value 100\n", "value one hundred\n")
    head = repository.commit(
        {"old.txt": None, "new.txt": changed, "moved.txt": None, "to/moved.txt": LONG.upper()}, base
    )

    changed_one, pure = files_of(serve, client_of, repository, head, base)

    assert (changed_one["status"], changed_one["previous_filename"], changed_one["changes"]) == (
        "renamed",
        "old.txt",
        2,
    )
    assert "-value 100\n+value one hundred\n" in changed_one["patch"]
    assert (pure["filename"], pure["previous_filename"], pure["changes"]) == ("to/moved.txt", "moved.txt", 0)
    assert "patch" not in pure


def test_binary_files_empty_files_and_changes_of_mode_have_no_patch(
    serve: Serve, client_of: Connect, repository: GitRepository
) -> None:
    """There is nothing to show, so `patch` is missing, not empty."""
    base = repository.commit({"logo.png": b"\x89PNG\x00\x01", "run.sh": "echo\n"})
    files: dict[str | bytes, str | bytes | None] = {"logo.png": b"\x89PNG\x00\x02", "run.sh": "echo\n", "empty.txt": ""}
    head = repository.commit(files, base, modes={"run.sh": EXECUTABLE})

    listed = files_of(serve, client_of, repository, head, base)

    assert [(f["filename"], f["status"], f["changes"], "patch" in f) for f in listed] == [
        ("empty.txt", "added", 0, False),
        ("logo.png", "modified", 0, False),
        ("run.sh", "modified", 0, False),
    ]


@pytest.mark.parametrize(
    ("before", "after", "patch"),
    [
        ("a\r\nb\r\n", "a\r\nc\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r"),
        ("a\n", "a", "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file"),
        ("a", "a\nb", "@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n\\ No newline at end of file"),
        (b"caf\xe9\n", b"caf\xe8\n", "@@ -1 +1 @@\n-caf\ufffd\n+caf\ufffd"),
        ("a\x0cb\n", "a\x0cc\n", "@@ -1 +1 @@\n-a\x0cb\n+a\x0cc"),
        ("x\n", "diff --git a/x b/x\n", "@@ -1 +1 @@\n-x\n+diff --git a/x b/x"),
    ],
    ids=["CRLF", "newline removed", "never a newline", "Latin-1", "form feed", "a line that looks like a header"],
)
def test_a_patch_keeps_every_byte_that_can_be_shown(
    serve: Serve, client_of: Connect, repository: GitRepository, before: str, after: str, patch: str
) -> None:
    """Line ends stay as they are; only what is not UTF-8 is replaced."""
    base = repository.commit({"f.txt": before})
    head = repository.commit({"f.txt": after}, base)

    (file,) = files_of(serve, client_of, repository, head, base)

    assert file["patch"] == patch


def test_a_submodule_is_a_file_whose_line_is_a_commit(
    serve: Serve, client_of: Connect, repository: GitRepository
) -> None:
    """Its `sha` is the commit that it points to, and the patch shows one line against another."""
    modes: dict[str | bytes, str] = {"lib": SUBMODULE}
    base = repository.commit({"lib": "1" * 40}, modes=modes)
    head = repository.commit({"lib": "2" * 40}, base, modes=modes)

    (file,) = files_of(serve, client_of, repository, head, base)

    assert (file["filename"], file["sha"], file["changes"]) == ("lib", "2" * 40, 2)
    assert file["patch"] == f"@@ -1 +1 @@\n-Subproject commit {'1' * 40}\n+Subproject commit {'2' * 40}"


def test_a_file_that_becomes_a_symbolic_link_keeps_the_files_after_it_in_order(
    serve: Serve, client_of: Connect, repository: GitRepository
) -> None:
    """Git prints two patches for the one file; the next file still gets its own."""
    base = repository.commit({"a": "one\ntwo\n", "b": "b\n"})
    head = repository.commit({"a": "b", "b": "B\n"}, base, modes={"a": SYMLINK})

    first, second = files_of(serve, client_of, repository, head, base)

    assert (first["status"], first["additions"], first["deletions"]) == ("changed", 1, 2)
    assert first["patch"] == "@@ -1,2 +0,0 @@\n-one\n-two\n@@ -0,0 +1 @@\n+b\n\\ No newline at end of file"
    assert second["patch"] == "@@ -1 +1 @@\n-b\n+B"


def test_a_path_that_is_not_utf_8_is_shown_replaced(
    serve: Serve, client_of: Connect, repository: GitRepository
) -> None:
    """JSON has no other way to show it."""
    base = repository.commit({"plain": "x"})
    head = repository.commit({b'caf\xe9\n\t"x".txt': "strange\n"}, base)

    (file,) = files_of(serve, client_of, repository, head, base)

    assert file["filename"] == 'caf\ufffd\n\t"x".txt'


def test_a_very_large_patch_is_left_out_and_its_lines_still_counted(
    serve: Serve, client_of: Connect, repository: GitRepository
) -> None:
    """Over 20,000 lines GitHub shows no patch, without a word."""
    base = repository.commit({"big.txt": ""})
    head = repository.commit({"big.txt": "x\n" * 20_001, "fits.txt": "x\n" * 10_000}, base)

    big, fits = files_of(serve, client_of, repository, head, base)

    assert (big["additions"], "patch" in big) == (20_001, False)
    assert fits["patch"].count("\n+x") == 10_000


def test_the_comparison_starts_at_the_merge_base(serve: Serve, client_of: Connect, scene: Scene) -> None:
    """Commits of the base branch in the meantime are no part of the pull request, nor are later ones."""
    moved_on = scene.repository.commit({"elsewhere.py": "y = 2\n"}, scene.base, branch="main")
    github = serve(scene.repository.path)
    number = github.open_pull_request("feature", "main")
    client = client_of(github, github.token_for("ann"))
    before = client.get(f"{PULL}/files").json()

    set_by = github.set_base_file(number, ".kodiai.yml", b"review:\n  enabled: true\n")

    assert [file["filename"] for file in before] == ["gone.py", "new.py", "src/a.py"]
    assert client.get(f"{PULL}/files").json() == before
    assert client.get(PULL).json()["base"]["sha"] == set_by != moved_on
    config = client.get(f"/repos/acme/widgets/contents/.kodiai.yml?ref={set_by}").json()
    assert config["content"] == "cmV2aWV3OgogIGVuYWJsZWQ6IHRydWUK\n"


def test_3_000_files_are_listed_and_no_more(serve: Serve, client_of: Connect, repository: GitRepository) -> None:
    """A hundred a page; the Link header leads through all pages and ends."""
    base = repository.commit({"README": "x\n"})
    head = repository.commit({f"src/f{n:04}.py": f"x = {n}\n" for n in range(3010)}, base)
    github = serve(repository.path)
    github.open_pull_request(head, base)
    client = client_of(github, github.token_for("ann"))

    address, names = f"{PULL}/files?per_page=100", list[str]()
    while address:
        page = client.get(address)
        names += [file["filename"] for file in page.json()]
        address = page.links.get("next", {}).get("url", "")

    assert names == [f"src/f{n:04}.py" for n in range(3000)]
    assert client.get(PULL).json()["changed_files"] == 3010


def test_a_page_links_to_its_neighbors(ann: Client) -> None:
    """First, previous, next and last, as far as they exist; a page size over 100 is cut to 100."""
    second = ann.get(f"{PULL}/files", per_page=1, page=2)

    pages = {rel: link["url"].partition("?")[2] for rel, link in second.links.items()}
    assert [file["filename"] for file in second.json()] == ["new.py"]
    assert pages == {
        "first": "per_page=1&page=1",
        "prev": "per_page=1&page=1",
        "next": "per_page=1&page=3",
        "last": "per_page=1&page=3",
    }
    assert len(ann.get(f"{PULL}/files", per_page=1000).json()) == 3
    assert "link" not in ann.get(f"{PULL}/files").headers


def test_a_pull_request_may_change_no_file(serve: Serve, client_of: Connect, repository: GitRepository) -> None:
    """A commit without changes can be proposed like any other."""
    base = repository.commit({"README": "x\n"})
    head = repository.commit({}, base, message="Nothing")

    assert files_of(serve, client_of, repository, head, base) == []


def test_a_force_push_may_lead_anywhere(github: LocalGitHub, ann: Client, scene: Scene) -> None:
    """The new head need not descend from the old one; the files and the head follow."""
    other = scene.repository.commit({"src/a.py": OLD_WITH_ONE_CHANGE}, scene.base, message="Start again")

    github.push(1, other)

    assert ann.get(PULL).json()["head"]["sha"] == other
    assert [file["filename"] for file in ann.get(f"{PULL}/files").json()] == ["src/a.py"]
    assert ann.get(PULL).json()["commits"] == 1


OLD_WITH_ONE_CHANGE = "line one\n" + "".join(f"line {n}\n" for n in range(2, 41))


def test_nothing_is_ever_written_to_the_persons_repository(serve: Serve, client_of: Connect, scene: Scene) -> None:
    """Opening, pushing, committing to the base and reviewing leave every byte and every file as it was."""
    before = snapshot(scene.repository.path)
    github = serve(scene.repository.path)

    github.open_pull_request("feature")
    github.set_base_file(1, "x.txt", b"x")
    github.push(1, scene.base, scene.base)
    client_of(github, github.token_for("ann")).get(f"{PULL}/files")

    assert snapshot(scene.repository.path) == before


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}
