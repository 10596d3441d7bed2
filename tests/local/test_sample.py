"""The promises of the bundled sample to those who review it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kodiai.core.changes.patch import parse_patch
from local.sample import Sample, make_sample

HEADS_FOR_EVER = (
    "efa71bfea59323638e8e9302bf165e35faa12e4b",
    "4bf20b4ea1452a051c9023ed55df4286f66aa03e",
    "731986c31f18ac018ddb0059e9956f8f7cebc6d9",
)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """The sample, made once for the tests that only read it."""
    return make_sample(tmp_path_factory.mktemp("made") / "harbour")


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True).stdout


def lines_at(sample: Sample, push: int, path: str) -> list[str]:
    shown = git(sample.path, "show", f"{sample.pushes[push].head}:{path}")
    return [line.strip() for line in shown.split("\n")]


def changed_lines(sample: Sample, push: int, path: str) -> set[int]:
    head, base = sample.pushes[push]
    diff = git(sample.path, "diff", f"{base}...{head}", "--", path)
    hunks = parse_patch(diff[diff.index("@@ ") :])
    return {line.new for hunk in hunks for line in hunk.lines if line.marker == "+" and line.new}


def ruff_rules(sample: Sample, push: int, folder: Path) -> set[tuple[str, str, int]]:
    """Let ruff read the files of one push; give path, rule and line of what it says."""
    git(sample.path, "worktree", "add", "--detach", str(folder), sample.pushes[push].head)
    rules = ["--select=F,B,S,E7", "--exit-zero", "--output-format=json"]
    checked = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", *rules, "."],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    git(sample.path, "worktree", "remove", "--force", str(folder))
    return {
        (Path(said["filename"]).relative_to(folder).as_posix(), said["code"], said["location"]["row"])
        for said in json.loads(checked.stdout)
    }


def test_the_commits_are_the_same_on_every_machine(sample: Sample, tmp_path: Path) -> None:
    """The sample has the same commit ids on every machine."""
    again = make_sample(tmp_path / "harbour")

    assert tuple(push.head for push in again.pushes) == HEADS_FOR_EVER
    assert again.pushes == sample.pushes


def test_the_last_push_was_rebased_onto_a_main_that_moved_on(sample: Sample) -> None:
    """The third head descends from the new main, and not from the second head."""
    first, second, third = sample.pushes

    assert first.base == second.base != third.base == git(sample.path, "rev-parse", "main").strip()
    assert git(sample.path, "merge-base", first.head, second.head).strip() == first.head
    assert git(sample.path, "merge-base", second.head, third.head).strip() == second.base
    assert git(sample.path, "merge-base", third.base, third.head).strip() == third.base


def test_no_head_is_lost(sample: Sample) -> None:
    """Every push has a tag, the branch is at the last one, and main is checked out and clean."""
    tags = [git(sample.path, "rev-parse", f"push-{number}").strip() for number in (1, 2, 3)]

    assert tags == [push.head for push in sample.pushes]
    assert git(sample.path, "rev-parse", sample.branch).strip() == sample.pushes[-1].head
    assert git(sample.path, "symbolic-ref", "HEAD").strip() == "refs/heads/main"
    assert git(sample.path, "status", "--porcelain") == ""
    assert git(sample.path, "fsck", "--strict", "--no-dangling") == ""


@pytest.mark.parametrize(("push", "planted", "knowable"), [(0, 17, 14), (1, 13, 9), (2, 6, 3)])
def test_each_push_has_its_defects_on_changed_lines_and_no_others(
    sample: Sample, push: int, planted: int, knowable: int
) -> None:
    """A defect is there once, from the push that adds it to the push that fixes it; rules cannot find some."""
    present = git(sample.path, "ls-tree", "-r", "--name-only", sample.pushes[push].head).split("\n")
    lines = {one: lines_at(sample, push, one.path) if one.path in present else [] for one in sample.planted}
    standing = sample.planted_in(push)

    assert (len(standing), sum(one.knowable for one in standing)) == (planted, knowable)
    assert {one: lines[one].count(one.line) for one in sample.planted} == {
        one: int(one in standing) for one in sample.planted
    }
    for one in standing:
        assert lines[one].index(one.line) + 1 in changed_lines(sample, push, one.path), one


@pytest.mark.parametrize("push", [0, 1, 2])
def test_ruff_sees_every_planted_rule_and_little_else(sample: Sample, push: int, tmp_path: Path) -> None:
    """Every knowable defect is known to ruff, at that line; its other findings are stated here."""
    rule = re.compile(r"[A-Z]+\d+")
    planted = {
        (one.path, one.kind, lines_at(sample, push, one.path).index(one.line) + 1)
        for one in sample.planted_in(push)
        if rule.fullmatch(one.kind)
    }

    said = ruff_rules(sample, push, tmp_path / "files")

    assert planted <= said
    assert {code for _, code, _ in said - planted} <= {"S101", "S110", "S603", "S607"}


def test_the_leaked_secrets_look_real_and_are_in_no_file_of_this_project(sample: Sample) -> None:
    """Secret patterns match what the sample leaks, and find nothing in the texts it is made from."""
    patterns = [r"\bAKIA[A-Z2-7]{16}\b", r"\bghp_[A-Za-z0-9]{36}\b", r"-----BEGIN RSA PRIVATE [K]EY-----"]
    leaked = [one.line for one in sample.planted if one.kind.startswith("leak:")]
    package = Path(__file__).parents[2] / "local" / "sample"
    sources = [file.read_text() for file in package.rglob("*") if file.suffix in {".py", ".toml", ".txt"}]

    assert len(sources) > 30
    for pattern in patterns:
        assert sum(bool(re.search(pattern, line)) for line in leaked) == 1
        assert not any(re.search(pattern, source) for source in sources)


def test_the_persons_own_git_settings_do_not_reach_it(tmp_path: Path, sample: Sample) -> None:
    """A repository or a date in the person's own environment changes nothing."""
    command = "import os, sys; os.environ.update(GIT_DIR='/nowhere', GIT_AUTHOR_DATE='0 +0000')\n"
    command += "from local.sample import make_sample; from pathlib import Path\n"
    command += f"print(make_sample(Path({str(tmp_path / 'harbour')!r})).pushes[-1].head)"

    made = subprocess.run(
        [sys.executable, "-c", command],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )

    assert made.stdout.strip() == sample.pushes[-1].head


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    """Nothing of the person's is written over; the message names the folder."""
    (tmp_path / "mine.txt").write_text("mine")

    with pytest.raises(FileExistsError, match=f"{re.escape(str(tmp_path))} is not empty"):
        make_sample(tmp_path)

    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_the_command_prints_a_head_and_a_base_for_each_push(sample: Sample, tmp_path: Path) -> None:
    """`python -m local.sample FOLDER` gives what `kodiai review --push` takes."""
    run = [sys.executable, "-m", "local.sample"]
    root = Path(__file__).parents[2]

    made = subprocess.run([*run, str(tmp_path / "new")], cwd=root, capture_output=True, text=True, check=True)
    refused = subprocess.run([*run, str(tmp_path)], cwd=root, capture_output=True, text=True, check=False)
    asked = subprocess.run(run, cwd=root, capture_output=True, text=True, check=False)

    assert made.stdout.split() == [f"{head},{base}" for head, base in sample.pushes]
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == f"{tmp_path} is not empty: name a new folder for the sample\n"
    assert (asked.returncode, asked.stderr) == (2, "usage: python -m local.sample FOLDER\n")
