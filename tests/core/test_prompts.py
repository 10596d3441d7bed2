"""The prompts, their strict loader, and the pitfalls of each file."""

from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest

import kodiai
from kodiai.core.findings.finding import SEVERITIES, ReportedCategory
from kodiai.core.findings.report import EarlierAnswer, EarlierVerdict, ReportedFinding, Summary
from kodiai.core.judge.ruling import Resolution, Ruling
from kodiai.core.plan.candidate import Fate
from kodiai.core.plan.reviewers import Reviewer
from kodiai.flows.model.look_up_tools import LOOK_UPS
from kodiai.prompts.load import load
from kodiai.prompts.pitfalls import pitfalls
from tests.tables import each_row

REVIEWERS = get_args(Reviewer)
NAMES = sorted(
    path.removesuffix(".md")
    for folder in ("", "reviewers/", "pitfalls/")
    for file in files("kodiai.prompts").joinpath(folder).iterdir()
    if (path := folder + file.name).endswith(".md")
)
WITH_SLOTS = {"draft_again", "proposal_again", "wishes", "language"}
LANGUAGES = [name.removeprefix("pitfalls/") for name in NAMES if name.startswith("pitfalls/")]


@each_row("name", [name for name in NAMES if name not in WITH_SLOTS])
def test_a_prompt_without_slots_is_its_file(name: str) -> None:
    """Nothing is added and nothing is lost."""
    text = files("kodiai.prompts").joinpath(f"{name}.md").read_text("utf-8")

    assert load(name) == text
    assert text.strip()


def test_a_slot_is_filled_and_the_rest_of_the_prompt_stays_as_it_is() -> None:
    """A slot may have any name; one that is missing, or that the prompt does not have, is an error."""
    text = files("kodiai.prompts").joinpath("language.md").read_text("utf-8")

    assert load("language", language="de, $why") == text.replace("$language", "de, $why")
    with pytest.raises(ValueError, match=r"^prompt language has the slots \['language'\], given were \[\]$"):
        load("language")
    with pytest.raises(ValueError, match=r"^prompt shared has the slots \[\], given were \['name', 'repository'\]$"):
        load("shared", repository="a/b", name="x")


def test_every_reviewer_has_a_prompt_and_no_prompt_is_left_over() -> None:
    """One for each reviewer; every other one, but for the pitfalls, is named in the program."""
    sources = [path.read_text("utf-8") for path in Path(kodiai.__path__[0]).rglob("*.py")]
    reviewing = {name for name in NAMES if name.startswith("reviewers/")}
    named = {name for name in NAMES if any(f'"{name}"' in source for source in sources)}

    assert reviewing == {f"reviewers/{name}" for name in REVIEWERS}
    assert set(NAMES) == reviewing | named | {f"pitfalls/{name}" for name in LANGUAGES}


def test_the_prompts_of_reviewers_have_their_parts() -> None:
    """The question, and nothing of any language; terms and look-ups are explained to all, reports to readers.

    A field that neither a prompt nor the schema of its tool explains is filled with what the model makes up.
    """
    shared = load("shared")
    explained = "".join(map(load, ["shared", "reviewer", "sum_up", "look_back", "judge", "unwanted", "resolved"]))

    for name in REVIEWERS:
        concern, *others = [line for line in load(f"reviewers/{name}").split("\n") if line.startswith("# ")]
        assert concern.startswith("# Your question")
        assert others == ["# What to look for", "# What not to flag", "# What your evidence is"]
    for term in (
        *SEVERITIES,
        *get_args(ReportedCategory),
        "**impact**",
        "**preference**",
        *(tool.name for tool in LOOK_UPS),
    ):
        assert term in shared
    for form in (ReportedFinding, EarlierAnswer, Summary, Ruling, Resolution):
        named = {name for name, each in form.model_fields.items() if f"`{name}`" in explained or each.description}
        assert {*form.model_fields} - named <= {"number"}, form
    assert all(verdict in explained for verdict in (*get_args(EarlierVerdict), *get_args(Fate)))


PITFALLS: list[tuple[list[str], list[str]]] = [
    (["src/app.py", "tests/test_app.py", "README.md", "data.json"], ["python"]),
    (["web/App.tsx", "web/old.js", "web/api.ts", "web/Page.vue"], ["javascript"]),
    (["cmd/main.go", "lib/main.rs", "lib/a.rb"], ["go", "ruby", "rust"]),
    (["src/Main.java", "src/Main.kt", "build.gradle.kts"], ["java"]),
    (["src/a.c", "src/a.hpp", "src/A.cs", "public/index.php"], ["c", "csharp", "php"]),
    (["migrations/1.sql", "bin/deploy.sh", ".zshrc/a.zsh"], ["shell", "sql"]),
    ([".github/workflows/ci.yml", "infra/main.tf", "Dockerfile", "services/api/Dockerfile.dev"], ["pipelines"]),
    (["action.yml", ".gitlab-ci.yml", "Jenkinsfile"], ["pipelines"]),
    (["README.md", "config/app.yml", "logo.svg"], []),
    ([], []),
]


@each_row(("paths", "names"), PITFALLS)
def test_pitfalls_follow_from_the_paths_of_a_batch(paths: list[str], names: list[str]) -> None:
    """Each language's once, in alphabetical order, and none for what is in no language that has any."""
    assert pitfalls(paths) == tuple(f"pitfalls/{name}" for name in names)
    assert set(LANGUAGES) == {name for _, each in PITFALLS for name in each}
