"""The list of changed files says what git says, in GitHub's words."""

from collections.abc import Callable
from pathlib import Path

import pytest

from local.github import LocalGitHub, pulls
from tests.git_repository import EXECUTABLE, SUBMODULE, GitRepository
from tests.local.github.scene import PULL, Client, Scene

SYMLINK = "120000"
Serve = Callable[..., LocalGitHub]
Connect = Callable[..., Client]


LONG = "".join(f"value {n}\n" for n in range(200))
BEFORE: dict[str | bytes, str | bytes | None] = {
    "byte.txt": b"caf\xe9\n",
    "crlf.txt": "a\r\nb\r\n",
    "feed.txt": "a\x0cb\n",
    "gone.txt": "a\nb\n",
    "header.txt": "x\n",
    "lib": "1" * 40,
    "logo.png": b"\x89PNG\x00\x01",
    "moved.txt": LONG.upper(),
    "never.txt": "a",
    "newline.txt": "a\n",
    "old.txt": LONG,
    "run.sh": "echo\n",
    "turned": "one\ntwo\n",
    "turned.after": "b\n",
}
AFTER: dict[str | bytes, str | bytes | None] = {
    "big.txt": "x\n" * 20_001,
    "nul.js": "x\n" * 3_999 + "\0\n",
    "nul_later.js": "x\n" * 4_000 + "\0\n",
    "utf16.ps1": "x\n".encode("utf-16"),
    "byte.txt": b"caf\xe8\n",
    b'caf\xe9\n\t"x".txt': "strange\n",
    "crlf.txt": "a\r\nc\r\n",
    "empty.txt": "",
    "feed.txt": "a\x0cc\n",
    "fits.txt": "x\n" * 10_000,
    "gone.txt": None,
    "header.txt": "diff --git a/x b/x\n",
    "lib": "2" * 40,
    "logo.png": b"\x89PNG\x00\x02",
    "moved.txt": None,
    "never.txt": "a\nb",
    "new.txt": LONG.replace("value 100\n", "value one hundred\n"),
    "newline.txt": "a",
    "old.txt": None,
    "run.sh": "echo\n",
    "to/moved.txt": LONG.upper(),
    "turned": "b",
    "turned.after": "B\n",
}
NO_NEWLINE = "\n\\ No newline at end of file"
SHOWN = {
    "big.txt": ("added", 20_001, None),
    "byte.txt": ("modified", 2, "@@ -1 +1 @@\n-caf\ufffd\n+caf\ufffd"),
    'caf\ufffd\n\t"x".txt': ("added", 1, "@@ -0,0 +1 @@\n+strange"),
    "crlf.txt": ("modified", 2, "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r"),
    "empty.txt": ("added", 0, None),
    "feed.txt": ("modified", 2, "@@ -1 +1 @@\n-a\x0cb\n+a\x0cc"),
    "fits.txt": ("added", 10_000, "@@ -0,0 +1,10000 @@" + "\n+x" * 10_000),
    "gone.txt": ("removed", 2, "@@ -1,2 +0,0 @@\n-a\n-b"),
    "header.txt": ("modified", 2, "@@ -1 +1 @@\n-x\n+diff --git a/x b/x"),
    "lib": ("modified", 2, f"@@ -1 +1 @@\n-Subproject commit {'1' * 40}\n+Subproject commit {'2' * 40}"),
    "logo.png": ("modified", 0, None),
    "never.txt": ("modified", 3, f"@@ -1 +1,2 @@\n-a{NO_NEWLINE}\n+a\n+b{NO_NEWLINE}"),
    "nul.js": ("added", 0, None),
    "nul_later.js": ("added", 4_001, "@@ -0,0 +1,4001 @@" + "\n+x" * 4_000 + "\n+\0"),
    "utf16.ps1": ("added", 0, None),
    "newline.txt": ("modified", 2, f"@@ -1 +1 @@\n-a\n+a{NO_NEWLINE}"),
    "run.sh": ("modified", 0, None),
    "to/moved.txt": ("renamed", 0, None),
    "turned": ("changed", 3, f"@@ -1,2 +0,0 @@\n-one\n-two\n@@ -0,0 +1 @@\n+b{NO_NEWLINE}"),
    "turned.after": ("modified", 2, "@@ -1 +1 @@\n-b\n+B"),
}


def test_every_kind_of_change_is_shown_as_githubs_list_shows_it(
    serve: Serve, client_of: Connect, repository: GitRepository
) -> None:
    """Every byte that can be shown stays; what has no lines, or more than 20,000, has no `patch` at all.

    A submodule's line is a commit; a file that becomes a symbolic link has two patches and keeps the next file's
    own in its place; a renamed file names its old path and shows changed lines only. A removed file has its old blob.
    """
    base = repository.commit(BEFORE, modes={"lib": SUBMODULE})
    head = repository.commit(AFTER, base, modes={"lib": SUBMODULE, "run.sh": EXECUTABLE, "turned": SYMLINK})
    github = serve(repository.path)
    github.open_pull_request(head, base)

    listed = client_of(github, github.token_for("ann")).get(f"{PULL}/files").json()

    files = {file["filename"]: file for file in listed}
    shown = {name: (file["status"], file["changes"], file.get("patch")) for name, file in files.items()}
    status, changes, patch = shown.pop("new.txt")
    assert shown == SHOWN
    assert (status, changes) == ("renamed", 2)
    assert "-value 100\n+value one hundred\n" in patch
    assert [files[name]["previous_filename"] for name in ("new.txt", "to/moved.txt")] == ["old.txt", "moved.txt"]
    assert files["lib"]["sha"] == "2" * 40
    old_blob = repository.git("rev-parse", f"{base}:gone.txt").decode().strip()
    assert files["gone.txt"]["sha"] == old_blob


ATTRIBUTES = {
    ".gitattributes": "*.js -diff\n*.bin diff\n*.md diff=markdown\n*.cs binary\n",
    "deep/.gitattributes": "*.py -diff\n",
    "deep/er/.gitattributes": "kept.py diff\n",
}


def test_attributes_of_the_head_hide_and_force_a_patch(
    serve: Serve, client_of: Connect, repository: GitRepository
) -> None:
    """The nearest file of attributes counts; lines that are hidden are not counted either, and a NUL may be shown."""
    texts = {
        "a.js": "1\n",
        "a.cs": "1\n",
        "a.md": "1\n",
        "a.bin": "\0 1\n",
        "deep/a.py": "1\n",
        "deep/er/kept.py": "1\n",
    }
    base = repository.commit(texts)
    head = repository.commit({name: text.replace("1", "2") for name, text in texts.items()} | ATTRIBUTES, base)
    github = serve(repository.path)
    github.open_pull_request(head, base)

    listed = client_of(github, github.token_for("ann")).get(f"{PULL}/files").json()

    shown = {file["filename"]: (file["changes"], file.get("patch")) for file in listed}
    lines = (2, "@@ -1 +1 @@\n-1\n+2")
    assert {name: shown[name] for name in texts} == {
        "a.js": (0, None),
        "a.cs": (0, None),
        "a.md": lines,
        "a.bin": (2, "@@ -1 +1 @@\n-\0 1\n+\0 2"),
        "deep/a.py": (0, None),
        "deep/er/kept.py": lines,
    }


def test_3_000_files_are_listed_and_no_more(ann: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pull request counts all of them."""
    assert pulls.MOST_FILES == 3_000
    monkeypatch.setattr(pulls, "MOST_FILES", 2)

    assert [file["filename"] for file in ann.get(f"{PULL}/files").json()] == ["gone.py", "new.py"]
    assert ann.get(PULL).json()["changed_files"] == 3


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
