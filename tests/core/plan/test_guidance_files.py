"""Guidance by folder: which files count for a batch, in which order, and what of them is shown."""

from collections import Counter
from collections.abc import Sequence

from kodiai.core.github.pull_request import Guidance
from kodiai.core.plan.guidance import ShownGuidance, shown_guidance
from kodiai.core.plan.guidance_files import glob_problem, imports, nearest_first
from tests.tables import each_row

SECTION = "Functions are short.\n" * 135  # 2,835 characters
MONOREPO = {
    "AGENTS.md": "# Root\nBe kind.\n",
    "CLAUDE.md": "@AGENTS.md\n",
    ".kodiai/guidance.md": "Money is in cents.\n",
    "packages/AGENTS.md": "# Packages\nNo cycles.\n",
    "packages/api/AGENTS.md": "# API\nRoutes have tests.\n",
    "packages/api/CLAUDE.md": "@AGENTS.md",
    "packages/web/CLAUDE.md": "# Web\nNo inline styles.\n",
}


def shown(
    files: dict[str, str], changed: Sequence[str], *patterns: str, left_out: Counter[str] | None = None
) -> list[ShownGuidance]:
    """The guidance for changed files; `patterns` are those of the settings."""
    guidance = [Guidance(*each) for each in files.items()]
    return shown_guidance(nearest_first(guidance, changed, patterns), Counter() if left_out is None else left_out)


def paths(files: dict[str, str], changed: Sequence[str], *patterns: str) -> list[str]:
    return [each.path for each in shown(files, changed, *patterns)]


@each_row(
    ("changed", "expected"),
    [
        (["packages/api/src/a.py"], ["packages/api/AGENTS.md", "packages/AGENTS.md"]),
        (["packages/web/a.ts"], ["packages/web/CLAUDE.md", "packages/AGENTS.md"]),
        (
            ["packages/api/a.py", "packages/web/a.ts"],
            ["packages/api/AGENTS.md", "packages/web/CLAUDE.md", "packages/AGENTS.md"],
        ),
        (["packages/api2/a.py"], ["packages/AGENTS.md"]),
        (["packages/a.py", "packages/web/a.ts"], ["packages/AGENTS.md", "packages/web/CLAUDE.md"]),
        (["setup.py"], []),
        ([], []),
    ],
)
def test_guidance_of_folders_comes_nearest_first_and_the_roots_own_last(
    changed: list[str], expected: list[str]
) -> None:
    """A file's own folder knows better than those above it; what names only another file is not shown."""
    assert paths(MONOREPO, changed) == [*expected, ".kodiai/guidance.md", "AGENTS.md"]


def test_the_nearest_file_of_each_changed_file_is_shown_before_one_has_its_second_section() -> None:
    """A talkative package does not silence another one; what does not fit is named, whole sections only."""
    files = {
        "AGENTS.md": "# Root\nBe kind.\n",
        "a/AGENTS.md": f"# A\n{SECTION}# More of A\n{SECTION}# Even more\n{SECTION}",
        "b/AGENTS.md": f"# B\n{SECTION}# More of B\nShort.\n",
    }
    left_out: Counter[str] = Counter()

    first, second, root = shown(files, ["a/x.py", "b/x.py"], left_out=left_out)

    assert first.row == {
        "path": "a/AGENTS.md",
        "text": f"# A\n{SECTION}",
        "sections_left_out": ["More of A", "Even more"],
    }
    assert second.row == {"path": "b/AGENTS.md", "text": files["b/AGENTS.md"]}
    assert root.row == {"path": "AGENTS.md", "text": "# Root\nBe kind.\n"}
    assert (first.sections, second.sections, root.sections) == (1, 2, 1)
    assert left_out == {"sections of a/AGENTS.md over 8,000 characters (More of A, Even more)": 2}


def test_folders_leave_room_for_the_root() -> None:
    """And none where the root has nothing to say; what is for reviewers has a budget of its own."""
    long = {"a/AGENTS.md": f"# A\n{SECTION}# More\n{SECTION}# Even more\n{'x' * 1_500}\n"}
    general, reviewers = {**long, "AGENTS.md": "# Root\nBe kind.\n"}, {**long, "REVIEW.md": "# Root\nBe kind.\n"}

    assert [each.sections for each in shown(general, ["a/x.py"])] == [2, 1]
    assert [each.sections for each in shown(reviewers, ["a/x.py"])] == [3, 1]


def test_a_text_that_two_folders_share_is_shown_once() -> None:
    """The other one takes no room."""
    files = {"a/AGENTS.md": "Be kind.\n", "b/AGENTS.md": "Be  kind.\n\n# B\nAsk.\n"}

    first, second = shown(files, ["a/x.py", "b/x.py"])

    assert (first.text, second.text) == ("Be kind.\n", "# B\nAsk.\n")


def test_imports_come_behind_the_file_that_has_them() -> None:
    """One level deep, once, and not where it counts by itself."""
    files = {
        "AGENTS.md": "Be kind.\n",
        "api/CLAUDE.md": "See @../docs/style.md, @../AGENTS.md and @rules.md.\n",
        "api/rules.md": "Rules: @more.md\n",
        "api/more.md": "More.\n",
        "docs/style.md": "Style.\n",
        "web/CLAUDE.md": "Web: @../docs/style.md\n",
    }

    assert paths(files, ["api/a.py"]) == ["api/CLAUDE.md", "docs/style.md", "api/rules.md", "AGENTS.md"]
    assert paths(files, ["web/a.ts"]) == ["web/CLAUDE.md", "docs/style.md", "AGENTS.md"]
    assert paths(files, ["a.py"]) == ["AGENTS.md"]


@each_row(
    ("text", "expected"),
    [
        ("See @style.md and\n@../docs/a_b.md.", ["api/style.md", "docs/a_b.md"]),
        ("- **@./style.md**", []),
        ("- @./style.md\n\n> (see) @style.md!", ["api/style.md"]),
        ("`@style.md`\n\n```\n@style.md\n```\n\n    @style.md\n\n<!-- @style.md -->", []),
        ("me@style.md, @~/style.md, @/api/style.md, @../../api/style.md, @missing.md", []),
        ("@CLAUDE.md", []),
    ],
)
def test_an_import_names_a_file_of_the_repository_outside_of_code(text: str, expected: list[str]) -> None:
    """As Claude Code reads them, without those that leave the repository."""
    there = {"api/style.md", "docs/a_b.md", "api/CLAUDE.md"}

    assert imports(Guidance("api/CLAUDE.md", text), there) == expected


INSTRUCTIONS = ".github/instructions/deep/py.instructions.md"


@each_row(
    ("front", "meant", "not_meant"),
    [
        ('applyTo: "**"', ["a.py", "src/a.py"], []),
        ("applyTo: '*'", ["a.py"], ["src/a.py"]),
        ('applyTo: "*.py"', ["a.py"], ["src/a.py"]),
        ("applyTo: **/*.py", ["a.py", "src/b/a.py"], ["a.pyi"]),
        ('applyTo: "src/*.py, /docs/**"', ["src/a.py", "docs/b/c.md"], ["src/b/a.py", "x/docs/c.md"]),
        ("applyTo:\n  - 'src/**/*.py'\n  - web/**", ["src/a.py", "src/b/a.py", "web/a.ts"], ["lib/a.py"]),
        ('applyTo: "**/*.{ts, tsx}"', ["a.ts", "web/a.tsx"], ["a.js"]),
        ('applyTo: ["**/sub/**/*.py"]', ["sub/a.py", "a/sub/b/c.py"], ["a.py"]),
        ('applyTo: "**"\nexcludeAgent: "coding-agent"', ["a.py"], []),
        ('applyTo: "**"\nexcludeAgent: "code-review"', [], ["a.py"]),
        ('applyTo: "**"\nexcludeAgent:\n  - coding-agent\n  - code-review', [], ["a.py"]),
        ("description: Of nothing", [], ["a.py"]),
    ],
)
def test_instructions_are_for_the_files_that_their_globs_match_from_the_root(
    front: str, meant: list[str], not_meant: list[str]
) -> None:
    """As GitHub Copilot documents them; those that are not for code review are left out."""
    files = {INSTRUCTIONS: f"---\n{front}\n---\n\nTypes everywhere.\n", "AGENTS.md": "Be kind.\n"}

    for path in meant:
        first, _ = shown(files, [path])
        assert (first.path, first.text) == (INSTRUCTIONS, "\nTypes everywhere.\n"), path
    for path in not_meant:
        assert paths(files, [path]) == ["AGENTS.md"], path


def test_a_glob_that_cannot_be_followed_is_named_and_the_others_count() -> None:
    """A group of alternatives with ever more groups makes no more than fifty globs."""
    files = {INSTRUCTIONS: '---\napplyTo: "src/**.py,docs/**"\n---\nWrite.\n'}

    assert paths(files, ["docs/a.md"]) == [INSTRUCTIONS]
    assert glob_problem(Guidance(*next(iter(files.items())))) == (
        "the glob src/**.py: “**” stands alone between slashes"
    )
    assert glob_problem(Guidance("AGENTS.md", files[INSTRUCTIONS])) is None
    assert glob_problem(Guidance(INSTRUCTIONS, f'---\napplyTo: "{"{a,b}" * 100}"\n---\n')) is None


def test_files_that_the_settings_name_come_before_those_of_the_root() -> None:
    """The patterns are those of gitignore files; a file that counts for a folder keeps its place."""
    files = {**MONOREPO, "docs/conventions.md": "Names are nouns.\n", INSTRUCTIONS: '---\napplyTo: "**"\n---\nType.\n'}

    found = paths(files, ["packages/api/a.py"], "docs/*.md", "packages/*/AGENTS.md")

    assert found == [
        "packages/api/AGENTS.md",
        "packages/AGENTS.md",
        INSTRUCTIONS,
        "docs/conventions.md",
        ".kodiai/guidance.md",
        "AGENTS.md",
    ]
