"""Links between the project's Markdown files lead somewhere, and the files that they name are there."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
# The cases of the evals are repositories of their own, and what is built is nobody's text.
_SKIPPED = {ROOT / "evals" / "cases", ROOT / "out"}


def markdown_files(folder: Path) -> Iterator[Path]:
    """The Markdown files of the project, without hidden folders but for GitHub's."""
    for path in sorted(folder.iterdir()):
        if path.is_dir() and path not in _SKIPPED and (path.name == ".github" or not path.name.startswith(".")):
            yield from markdown_files(path)
        elif path.suffix == ".md":
            yield path


FILES = list(markdown_files(ROOT))
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
# The pages that send a reader into the code; what they name is below the root or the package.
GUIDES = [ROOT / "docs" / name for name in ("how-it-works.md", "recipes.md")]
_BELOW = (ROOT, ROOT / "layers" / "common" / "kodiai")
_FILE = re.compile(r"[\w./-]+\.(?:py|md|yaml|json|in|txt|toml)|[\w.-]+(?:/[\w.-]+)*/")
_PARSER = MarkdownIt("commonmark").enable("table")
_STATUS = re.compile(
    r"Status: (accepted|superseded by \[decision \d+\]\((?P<by>\d{4}-[a-z0-9-]+\.md)\))\. Date: 20\d\d-\d\d-\d\d\."
)


def tokens(text: str) -> Iterator[Token]:
    """Every token of a Markdown text, those within lines too."""
    for token in _PARSER.parse(text):
        yield token
        yield from token.children or ()


def targets(text: str) -> list[str]:
    """Return the targets of links and pictures within the repository."""
    found = [str(token.attrs.get("href") or token.attrs.get("src") or "") for token in tokens(text)]
    return [unquote(target) for target in found if target and not re.match(r"[a-z]+:", target)]


def anchors(text: str) -> set[str]:
    """The anchors that GitHub gives to headings: small letters, hyphens for spaces, numbers for repeats."""
    parsed = _PARSER.parse(text)
    headings = [parsed[at + 1].children or [] for at, token in enumerate(parsed) if token.type == "heading_open"]
    seen: Counter[str] = Counter()
    found = set()
    for heading in headings:
        words = "".join(part.content for part in heading if part.type in ("text", "code_inline")).lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return found


def broken(file: Path, root: Path = ROOT) -> list[str]:
    """The links of a file that lead nowhere, or out of the root."""
    wrong = []
    for target in targets(file.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        to = (file.parent / path).resolve() if path else file
        is_there = to.exists() and to.is_relative_to(root)
        if not is_there or (anchor and to.suffix == ".md" and anchor not in anchors(to.read_text(encoding="utf-8"))):
            wrong.append(target)
    return wrong


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading(file: Path) -> None:
    """A page that was moved or renamed takes its links along."""
    assert broken(file) == []


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    """Files, headings and pictures count, with spaces and repeats; code, addresses and everything else does not."""
    text = "# Here, `it` is: a-b\n\n# Here, `it` is: a-b\n"
    (tmp_path / "a page.md").write_text(text, encoding="utf-8")
    file = tmp_path / "page.md"
    right = "[a](a%20page.md#here-it-is-a-b-1) [b](.) [c](https://example.com) `[d](gone.md)`\n"
    wrong = "[e](#here) ![f](gone.png) [g](a%20page.md#here-it-is-a-b-2) [h](../)\n"
    file.write_text(right + wrong, encoding="utf-8")

    assert broken(file, tmp_path) == ["#here", "gone.png", "a page.md#here-it-is-a-b-2", "../"]


def missing(text: str) -> list[str]:
    """The files and folders that a text names in code spans and that are not there.

    A name without a folder is looked for in the folder of the file before it.
    """
    wrong, folders = [], list(_BELOW)
    for token in tokens(text):
        name = token.content
        if token.type != "code_inline" or not _FILE.fullmatch(name):
            continue
        found = [folder / name for folder in folders if (folder / name).exists()]
        if not found:
            wrong.append(name)
        elif "/" in name:
            folders = [*_BELOW, found[0].parent]
    return wrong


@pytest.mark.parametrize("file", GUIDES, ids=lambda file: file.name)
def test_every_file_that_a_guide_names_is_there(file: Path) -> None:
    """A file that was moved or renamed takes its name in the guides along."""
    assert missing(file.read_text(encoding="utf-8")) == []


def test_a_missing_file_is_found() -> None:
    """In the package, next to the file before it, and in the root."""
    text = "`flows/review/load.py`, `hear.py`, `gone.py`; `Makefile`, `template.yaml`, `core/gone/`, `make run`\n"

    assert missing(text) == ["gone.py", "core/gone/"]


@pytest.mark.parametrize("file", DECISIONS, ids=lambda file: file.stem)
def test_every_decision_has_its_number_a_status_and_a_date(file: Path) -> None:
    """A reader sees on the first lines whether a record still applies, and what replaced it."""
    title, empty, status, *_ = file.read_text(encoding="utf-8").splitlines()

    assert title.startswith(f"# {int(file.name[:4])}. ")
    assert empty == ""
    found = _STATUS.fullmatch(status)
    assert found is not None
    assert found["by"] is None or (file.parent / found["by"]).exists()
