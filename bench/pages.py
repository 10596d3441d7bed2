"""How long a page takes to open, cold and warm, next to GitHub's own JSON: `python -m bench.pages`."""

import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import httpx

from local.github import LocalGitHub
from local.page import Site

SIZES = {"small": (3, 12), "93 files": (93, 60), "400 files": (400, 60)}
"""Changed files, and the lines that each adds and changes."""

VIEWS = ("", "/files", "/commits", "/checks")


def pull_request(folder: Path, files: int, lines: int) -> tuple[str, str]:
    """A repository with a change of that many files, each with added and changed lines."""
    before = {
        f"src/part_{number // 10}/module_{number}.py": "".join(
            f"def price_{line}(items, rate={line}):\n    return sum(items) * rate\n\n" for line in range(lines)
        )
        for number in range(files)
    }
    after = {
        path: text.replace("sum(items) * rate\n\ndef price_1", "round(sum(items) * rate, 2)\n\ndef price_1")
        + "".join(f"def added_{line}(name: str) -> str:\n    return f'{{name}}-{line}'\n" for line in range(lines // 2))
        for path, text in before.items()
    }
    git(folder, "init", "--quiet", "--initial-branch=main")
    return commit(folder, before), commit(folder, after)


def commit(folder: Path, files: Mapping[str, str]) -> str:
    """Commit files; the commit's id."""
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    git(folder, "add", ".")
    git(folder, "-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit", "--quiet", "-m", "A change")
    return git(folder, "rev-parse", "HEAD")


def git(folder: Path, *arguments: str) -> str:
    """What git prints."""
    done = subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def opened(client: httpx.Client, address: str) -> tuple[float, int]:
    """Milliseconds until a page is there whole, and its bytes."""
    start = time.perf_counter()
    answer = client.get(address).raise_for_status()
    return (time.perf_counter() - start) * 1000, len(answer.content)


def main() -> None:
    """Print each view's time at the first look and at the next, its size, and the ratio to the JSON of the files."""
    print(f"{'':<12}{'view':<16}{'cold ms':>9}{'again ms':>10}{'KB':>8}{'of the JSON':>13}")
    for name, (files, lines) in SIZES.items():
        with tempfile.TemporaryDirectory() as folder:
            repository = Path(folder)
            base, head = pull_request(repository, files, lines)
            for view in VIEWS:
                with LocalGitHub(repository) as github, httpx.Client(timeout=60) as client:
                    github.show(Site(github.repository, github))
                    number = github.open_pull_request(head, base)
                    client.headers["authorization"] = f"Bearer {github.token_for('reader', 'read')}"
                    address = f"{github.url}/{github.full_name}/pull/{number}{view}"
                    cold, size = opened(client, address)
                    again, _ = opened(client, address)
                    api = f"{github.url}/repos/{github.full_name}/pulls/{number}/files?per_page=100"
                    opened(client, api)
                    json, _ = opened(client, api)
                shown = view.removeprefix("/") or "conversation"
                print(f"{name:<12}{shown:<16}{cold:>9.0f}{again:>10.0f}{size / 1024:>8.0f}{again / json:>12.2f}x")


if __name__ == "__main__":
    main()
