"""The reading of guidance from the base branch: one request, a second one for imports, and nothing lost in silence."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, cast

from kodiai.core.changes.changed_file import FileStatus
from kodiai.core.config.keys import Config
from kodiai.core.config.read import read_config
from kodiai.core.errors import Refused
from kodiai.core.github.pull_request import Guidance
from kodiai.core.plan.input import ReviewInput
from kodiai.flows.review.guidance import with_guidance
from tests.builders import FilesTree, added
from tests.core.review_inputs import PULL_REQUEST, SETTINGS, file, loaded


@dataclass
class Site:
    """GitHub with these files at the base; `asked` are the paths of each request. It `refuses` those of a folder."""

    base: Mapping[str, str | bytes]
    refuses: str = "\0"
    asked: list[list[str]] = field(default_factory=list)

    def contents(self, names: Collection[str]) -> Mapping[str, bytes | None]:
        paths = [name.removeprefix(f"{PULL_REQUEST.base}:") for name in names]
        self.asked.append(paths)
        if any(path.startswith(self.refuses) for path in paths):
            raise Refused("not today")
        texts = (self.base.get(path) for path in paths)
        return dict(zip(names, (text.encode() if isinstance(text, str) else text for text in texts), strict=True))


def read(
    site: Site,
    changed: Sequence[str],
    root: Sequence[Guidance] = (),
    *,
    head: Collection[str] = (),
    config: Config | None = None,
    status: FileStatus = "modified",
) -> ReviewInput:
    """The input with the guidance; the head has the files of the base, and `head`."""
    given = loaded([replace(added(path, "x"), status=status) for path in changed], is_first=True)
    given = replace(given, on_github=replace(given.on_github, guidance=tuple(root)), config=config or Config())
    ports = SimpleNamespace(github=site, settings=SETTINGS, deadline=SimpleNamespace(need=lambda _: None))
    return with_guidance(given, FilesTree(dict.fromkeys([*site.base, *head], "")), cast(Any, ports))


def paths(found: ReviewInput) -> list[str]:
    return [each.path for each in found.on_github.guidance]


def test_files_of_folders_settings_and_the_roots_imports_take_one_request() -> None:
    """The root's own came with the snapshot; what others import takes a second one, and goes no deeper."""
    site = Site(
        {
            "AGENTS.md": "Root.",
            "api/AGENTS.md": "See @more.md.",
            "api/more.md": "See @deeper.md.",
            "api/deeper.md": "Deep.",
            "docs/style.md": "See @more.md.",
            "docs/more.md": "More.",
            "docs/rules.md": "Rules.",
            "web/AGENTS.md": "Web.",
        }
    )
    config = read_config(b"review: {guidance: [docs/rules.md]}")

    found = read(site, ["api/a.py"], [Guidance("AGENTS.md", "See @docs/style.md.")], config=config)

    assert site.asked == [["api/AGENTS.md", "docs/rules.md", "docs/style.md"], ["api/more.md"]]
    assert paths(found) == ["AGENTS.md", "api/AGENTS.md", "docs/rules.md", "docs/style.md", "api/more.md"]
    assert found.problems == []


def test_nothing_is_asked_where_nothing_is_to_be_read() -> None:
    """Neither for files of the root alone, nor for what the pull request adds, or what `skipPaths` hides."""
    site = Site({"AGENTS.md": "Root.", "web/AGENTS.md": "Web.", "hidden/AGENTS.md": "Hidden."})
    config = read_config(b"review: {skipPaths: [hidden/]}")

    found = read(site, ["hidden/a.py", "a.py"], [Guidance("AGENTS.md", "Root.")], config=config)
    new = read(site, ["api/AGENTS.md", "api/a.py"], head=["api/AGENTS.md", "api/a.py"], status="added")

    assert (site.asked, paths(found), paths(new), new.problems) == ([], ["AGENTS.md"], [], [])


def test_guidance_that_the_pull_request_removes_still_counts_for_it() -> None:
    """The base branch has it."""
    site = Site({"api/AGENTS.md": "Ask first."})
    gone = file("api/AGENTS.md", status="removed")
    given = loaded([gone, file("api/a.py", "@@ -1 +1 @@\n-a\n+b")], is_first=True)
    ports = SimpleNamespace(github=site, settings=SETTINGS, deadline=SimpleNamespace(need=lambda _: None))

    found = with_guidance(given, FilesTree({"api/a.py": "b\n"}), cast(Any, ports))

    assert found.on_github.guidance == (Guidance("api/AGENTS.md", "Ask first."),)


def test_guidance_that_is_not_seen_is_named_with_the_reason() -> None:
    """The review goes on without it, whatever the reason."""
    instructions = ".github/instructions/a.instructions.md"
    site = Site(
        {
            "api/AGENTS.md": "x" * 100_001,
            "web/AGENTS.md": b"\x89PNG\r\n\x1a\n\0\0\0\0\0\0\0\0\0\0",
            instructions: "---\napplyTo: a**.py\n---\nWrite.",
        }
    )

    found = read(site, ["api/a.py", "web/a.py", "old/a.py"], head=["old/AGENTS.md"])

    assert paths(found) == [instructions]
    assert found.problems == [
        "not seen: guidance: api/AGENTS.md: over 100 KB",
        "not seen: guidance: old/AGENTS.md: the base branch has it no more, or GitHub does not show it",
        "not seen: guidance: web/AGENTS.md: it is no text",
        f"not seen: guidance: {instructions}: the glob a**.py: “**” stands alone between slashes",
    ]


def test_a_refusal_is_named_and_earlier_texts_count() -> None:
    """A refusal of the imports does not take what imports them."""
    site = Site({"api/AGENTS.md": "See @../docs/style.md.", "docs/style.md": "Style."}, refuses="docs/")

    found = read(site, ["api/a.py"])

    assert paths(found) == ["api/AGENTS.md"]
    assert found.problems == ["not seen: guidance: docs/style.md: not today"]


def test_the_nearest_forty_files_are_read() -> None:
    """The others are counted, and not asked for."""
    folders = [f"p{at:02}" for at in range(43)]
    site = Site({f"{folder}/AGENTS.md": f"Part {folder}." for folder in folders} | {"docs/a.md": "A."})
    config = read_config(b"review: {guidance: [docs/]}")

    found = read(site, [f"{folder}/a.py" for folder in folders], config=config)

    assert [len(each) for each in site.asked] == [40]
    assert paths(found) == [f"{folder}/AGENTS.md" for folder in folders[:40]]
    assert found.problems == [
        "not seen: guidance: p40/AGENTS.md, p41/AGENTS.md, p42/AGENTS.md and 1 more: over 40 files"
    ]
