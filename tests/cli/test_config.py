"""`kodiai config check` says of a settings file what a review would say."""

import json
import subprocess
from pathlib import Path

import pytest

from kodiai.core.config.keys import Config
from tests.cli.running import KODIAI, environment, run_command

CANNOT = "`.kodiai.yml` on the base branch cannot be followed, so nothing is done until it is fixed: "


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / ".kodiai.yml"


def test_a_good_file_is_shown_in_brief(file: Path) -> None:
    """What differs from the defaults, in the form of the file."""
    file.write_text("review:\n  language: de\n  maxComments: 10\n  severity: {minLevel: major}\nmention:\n")

    done = run_command("config", "check", file)

    assert (done.status, done.err) == (0, "")
    assert done.out == (
        "The settings that are not the defaults:\n  review:\n    language: de\n    severity:\n      minLevel: MAJOR\n"
    )


def test_a_file_of_another_name_is_a_mistake(file: Path) -> None:
    """No review reads it; what it holds is checked all the same, and stdin has no name."""
    other = file.with_name(".kodiai.yaml")
    other.write_text("review: {drafts: true}\n")

    done = run_command("config", "check", other)

    assert done.status == 1
    assert done.out == (
        "`.kodiai.yaml` is not read: settings are read from `.kodiai.yml` alone. To check a file of another name, give"
        " it on stdin.\nThe settings that are not the defaults:\n  review:\n    drafts: true\n"
    )


def test_an_empty_file_is_all_defaults(file: Path) -> None:
    """And no mistake."""
    file.write_text("# nothing yet\n")

    done = run_command("config", "check", file)

    assert (done.status, done.out) == (0, "All settings are the defaults.\n")


def test_each_mistake_is_named_with_its_effect(file: Path) -> None:
    """In the words of the review."""
    file.write_text("review: {maxComments: many, drafts: true}\nmention: {enabled: 'no'}\n")

    done = run_command("config", "check", file)

    assert done.status == 1
    assert done.out == (
        '.kodiai.yml: `review.maxComments` must be a whole number, not `"many"`; `10` is used.\n'
        '.kodiai.yml: `mention.enabled` must be true or false, not `"no"`; `false` is used.\n'
        "The settings that are not the defaults:\n"
        "  review:\n"
        "    drafts: true\n"
        "  mention:\n"
        "    enabled: false\n"
    )


def test_a_mistake_that_stops_everything_comes_first_and_alone_counts(file: Path) -> None:
    """No settings are shown, because none are followed."""
    file.write_text("review: {drafts: some, skipPaths: docs/}\nbudget: {daily: 5}\n")

    done = run_command("config", "check", file)

    assert done.status == 1
    assert done.out == (
        f'{CANNOT}`review.skipPaths` must be a list, not `"docs/"`; `budget.daily` is not a known key, and may be meant'
        " to restrict.\n"
        '.kodiai.yml: `review.drafts` must be true or false, not `"some"`; `false` is used.\n'
    )


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"review: {", "it is not YAML (line 1)"),
        (b"\xff\xfe", "it is not UTF-8"),
        (b"#" * 70_000, "it is over 64 KiB"),
        (b"- a\n", "it is not a mapping of keys"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_mistake(file: Path, content: bytes, why: str) -> None:
    """With the reason."""
    file.write_bytes(content)

    done = run_command("config", "check", file)

    assert (done.status, done.out) == (1, f"{CANNOT}{why}.\n")


def test_a_program_gets_json_with_all_settings(file: Path) -> None:
    """The mistakes, and every key with the value that counts."""
    file.write_text("review: {maxComments: 3, drafts: some}\n")

    done = run_command("config", "check", file, "--json")

    told = json.loads(done.out)
    defaults = json.loads(Config().model_dump_json(by_alias=True, exclude={"problems", "refusal"}))
    assert done.status == 1
    assert told == {
        "problems": ['.kodiai.yml: `review.drafts` must be true or false, not `"some"`; `false` is used.'],
        "refusal": None,
        "settings": {**defaults, "review": {**defaults["review"], "maxComments": 3}},
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.yml"], "argument FILE: nowhere.yml cannot be read (No such file or directory): name a file such as"),
        (["."], "argument FILE: . cannot be read (Is a directory): name a file such as .kodiai.yml"),
        ([""], "argument FILE: a path is missing"),
        ([], "the following arguments are required: FILE"),
    ],
)
def test_without_a_file_to_read_the_status_is_another(tmp_path: Path, arguments: list[str], said: str) -> None:
    """2, as for every wrong argument: a script can tell it from a mistake in a file."""
    done = run_command("config", "check", *arguments, cwd=tmp_path)

    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1


def test_stdin_is_read_and_the_command_is_named() -> None:
    """As a process of its own, as in a hook that checks what is about to be committed."""
    asked = [KODIAI, "config", "check", "-"]

    done = subprocess.run(asked, input=b"review: {drafts: true}\n", capture_output=True, env=environment(), check=False)

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"The settings that are not the defaults:\n  review:\n    drafts: true\n"
    assert "name a command: check" in run_command("config").err
