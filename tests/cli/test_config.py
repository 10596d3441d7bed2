"""`kodiai config check` says of a settings file what a review would say."""

import json
import subprocess
from pathlib import Path

import pytest

from kodiai.core.config.keys import Config
from tests.cli.running import KODIAI, Done, environment, run_command

CANNOT = "`.kodiai.yml` on the base branch cannot be followed, so nothing is done until it is fixed: "
UNKNOWN = "`budget.daily` is not a known key, and may be meant to restrict."
ON_STDIN = "To check a file of another name, give it on stdin."
CHOSEN = "The settings that differ from the defaults:"
FILES: dict[str, tuple[bytes, int, list[str]]] = {
    "what differs from the defaults is shown, in the form of the file": (
        b"review:\n  language: de\n  maxComments: 10\n  severity: {minLevel: major}\nmention:\n",
        0,
        [CHOSEN, "  review:", "    language: de", "    severity:", "      minLevel: MAJOR"],
    ),
    "an empty file is no mistake": (b"# nothing yet\n", 0, ["All settings are the defaults."]),
    "each mistake has its effect": (
        b"review: {maxComments: many, drafts: true}\nmention: {enabled: 'no'}\n",
        1,
        [
            '.kodiai.yml: `review.maxComments` must be a whole number, not `"many"`; `10` is used.',
            '.kodiai.yml: `mention.enabled` must be true or false, not `"no"`; `false` is used.',
            *(CHOSEN, "  review:", "    drafts: true", "  mention:", "    enabled: false"),
        ],
    ),
    "a mistake that stops everything comes first, and no settings follow": (
        b"review: {drafts: some, skipPaths: docs/}\nbudget: {daily: 5}\n",
        1,
        [
            f'{CANNOT}`review.skipPaths` must be a list, not `"docs/"`; {UNKNOWN}',
            '.kodiai.yml: `review.drafts` must be true or false, not `"some"`; `false` is used.',
        ],
    ),
    "not YAML": (b"review: {", 1, [f"{CANNOT}it is not YAML (line 1)."]),
    "not UTF-8": (b"\xff\xfe", 1, [f"{CANNOT}it is not UTF-8."]),
    "too large": (b"#" * 70_000, 1, [f"{CANNOT}it is over 64 KiB."]),
    "no mapping": (b"- a\n", 1, [f"{CANNOT}it is not a mapping of keys."]),
}


@pytest.mark.parametrize(("content", "status", "lines"), FILES.values(), ids=FILES)
def test_a_settings_file_is_answered_as_a_review_answers_it(
    tmp_path: Path, content: bytes, status: int, lines: list[str]
) -> None:
    """The exit status is 1 where there is a mistake, so that it can guard a commit."""
    file = tmp_path / ".kodiai.yml"
    file.write_bytes(content)

    assert run_command("config", "check", file) == Done(status, "".join(f"{line}\n" for line in lines), "")


def test_a_file_of_another_name_is_a_mistake(tmp_path: Path) -> None:
    """No review reads it; its content is checked all the same."""
    other = tmp_path / ".kodiai.yaml"
    other.write_text("review: {drafts: true}\n")

    done = run_command("config", "check", other)

    assert (done.status, done.out.splitlines()) == (
        1,
        [
            f"`.kodiai.yaml` is not read: settings are read from `.kodiai.yml` alone. {ON_STDIN}",
            *(CHOSEN, "  review:", "    drafts: true"),
        ],
    )


def test_json_has_the_mistakes_and_all_settings(tmp_path: Path) -> None:
    """Every key has the value that counts."""
    file = tmp_path / ".kodiai.yml"
    file.write_text("review: {maxComments: 3, drafts: some}\n")

    done = run_command("config", "check", file, "--json")

    defaults = json.loads(Config().model_dump_json(by_alias=True, exclude={"problems", "refusal"}))
    assert done.status == 1
    assert json.loads(done.out) == {
        "problems": ['.kodiai.yml: `review.drafts` must be true or false, not `"some"`; `false` is used.'],
        "refusal": None,
        "settings": {**defaults, "review": {**defaults["review"], "maxComments": 3}},
    }


def test_stdin_has_no_name() -> None:
    """The process reads it like a hook that checks a file before the commit."""
    command = [KODIAI, "config", "check", "-"]

    done = subprocess.run(
        command, input=b"review: {drafts: true}\n", capture_output=True, env=environment(), check=False
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().splitlines() == [CHOSEN, "  review:", "    drafts: true"]
