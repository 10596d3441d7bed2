"""What the comparison of re-reviews with full reviews counts, and what it takes for a repeated comment."""

import itertools
import json
import subprocess
import zlib
from pathlib import Path
from typing import Any

import pytest

from bench.cases import make_cases
from bench.figures import Comment, Expectation, Figures, Tokens, repeated, sums, tokens_of
from bench.rereview import rows, total
from kodiai.core.changes.patch import parse_patch
from local.model import RecordedRequest, Usage


def asked(usage: Usage | None, *blocks: dict[str, Any]) -> RecordedRequest:
    body = {"model": "m", "system": "s" * 400, "messages": [{"role": "user", "content": list(blocks)}]}
    packed = zlib.compress(json.dumps(body).encode())
    return RecordedRequest("/v1/messages", packed, {}, 200, usage, 1.0)


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def test_tokens_are_told_apart_by_what_they_are_for() -> None:
    """All input counts, cached or not; the changes and what tools gave are no overhead; what failed costs nothing."""
    changes = text("# Its changes since the last review\n\n" + "x" * 163)
    tool = {"type": "tool_result", "tool_use_id": "t", "content": "y" * 80}
    quoted = text("A report about # Its changes")

    counted = tokens_of(
        [
            asked(Usage(100, cache_read_input_tokens=30, cache_creation_input_tokens=20, output_tokens=999), changes),
            asked(Usage(200), changes, {**tool, "content": [text("y" * 40), text("y" * 40)]}, quoted),
            asked(None, changes, tool),
        ]
    )

    assert counted == Tokens(questions=2, total=350, hunks=100, tools=20, uncached=320)
    assert counted.overhead == 230


SAID = Comment("F-00000000000a", "a.py", "one thing")


@pytest.mark.parametrize(
    ("comment", "is_repeated"),
    [
        (Comment("F-00000000000a", "moved.py", "in other words"), True),
        (Comment("F-00000000000b", "a.py", "one thing"), True),
        (Comment(None, "a.py", "one thing"), True),
        (Comment("F-00000000000b", "b.py", "one thing"), False),
        (Comment("F-00000000000b", "a.py", "another thing"), False),
        (Comment(None, "a.py", "another thing"), False),
    ],
)
def test_a_comment_is_repeated_where_its_finding_or_its_words_were_there_before(
    comment: Comment, is_repeated: bool
) -> None:
    """A new id does not hide the same title on the same path, nor new words the same id; no id is no likeness."""
    unmarked = Comment(None, "c.py", "without a mark")

    assert repeated([SAID, unmarked], [comment]) == ([comment] if is_repeated else [])


def test_two_comments_of_one_push_may_be_alike_but_not_about_one_finding() -> None:
    """The same mistake in two places is two findings; one finding has one comment."""
    twin = Comment("F-00000000000b", "a.py", "one thing")

    assert repeated([], [SAID, twin]) == []
    assert repeated([], [SAID, SAID]) == [SAID]


def test_a_comment_is_known_by_its_marker_and_its_first_line() -> None:
    """Severity and signs do not count, so that a finding that became more severe has the same title."""
    body = "**[MAJOR] An `except:` hides *errors***\n\nWhy.\n\n<!-- kodiai:finding id=F-00000000000a -->"

    assert Comment.read("a.py", body) == Comment("F-00000000000a", "a.py", "an except hides errors")
    assert Comment.read("a.py", "Just words\nand more") == Comment(None, "a.py", "just words")


@pytest.mark.parametrize(
    ("expected", "files", "hunks", "differences"),
    [
        (None, ["a.py"], 9, []),
        ({"a.py": 2, "b.py": 1}, ["b.py", "a.py"], 3, []),
        ({"a.py": 2, "poetry.lock": 5}, ["a.py"], 2, []),
        ({"a.py": 2}, ["a.py"], 3, ["2 hunks recorded"]),
        ({"a.py": 1, "b.py": 1}, ["a.py", "c.py"], 2, ["not b.py", "also c.py"]),
        ({}, ["a.py"], 1, ["0 hunks recorded", "also a.py"]),
    ],
)
def test_what_was_asked_is_held_against_what_was_recorded(
    expected: dict[str, int] | None, files: list[str], hunks: int, differences: list[str]
) -> None:
    """More and less are both a difference; what the reviewer skips by name is none, and is told."""
    held = Expectation(expected, files, hunks, frozenset({"poetry.lock", "other.lock"}))

    assert held.differences == differences
    assert held.left_out == [path for path in expected or () if path == "poetry.lock"]


def push(number: int, tokens: int, full: int | None, **more: Any) -> Figures:
    told: dict[str, Any] = {
        "number": number,
        "head": "a" * 40,
        "kind": "push",
        "mode": "incremental",
        "reason": "why",
        "asked_hunks": 1,
        "hunks": 9,
        "tokens": Tokens(1, tokens, tokens // 2, tokens // 4, tokens // 5),
        "full": None if full is None else Tokens(1, full),
        "github_calls": number,
        "comments": 1,
        "repeated": (),
        "differences": (),
        "left_out": (),
        "delta": {},
        "seconds": 1.0,
    }
    return Figures(**{**told, **more})


def test_the_ratio_compares_only_what_was_asked_twice() -> None:
    """First reviews and pushes without cost are not compared with a full review, and improve no ratio."""
    pushes = [
        push(1, 5000, None, mode="full"),
        push(2, 1000, 4000, repeated=(SAID,)),
        push(3, 0, None, mode="unchanged", github_calls=4),
        push(4, 200, 8000, differences=("2 hunks recorded", "not b", "not c", "not d"), left_out=("x.lock",)),
    ]

    together = sums(pushes)

    assert [one.ratio for one in pushes] == [None, 0.25, None, 0.025]
    assert (together.ratio, together.overhead_each) == (0.1, 150)
    assert sums([]).ratio is None
    assert total("all", together) == (
        "all: 4 pushes, 2 re-reviews that asked, 1,200 of 12,000 tokens, ratio 0.10, overhead 150 each, "
        "at most 4 GitHub calls, 1 comments repeated, 1 pushes asked otherwise than recorded"
    )
    assert [" ".join(row.split()) for row in rows(pushes)] == [
        "1 push full 1/9 5,000 1,000 1 1",
        "2 push incremental 1/9 1,000 200 4,000 0.25 250 2 1 1",
        "3 push unchanged 1/9 0 0 4 1",
        "4 push incremental 1/9 200 40 8,000 0.03 50 4 1 ≠ 2 hunks recorded, not b, not c and 1 more (1 left out)",
    ]


def test_the_generated_pull_request_changes_what_it_says(tmp_path: Path) -> None:
    """The number of new hunks of each push is git's own; a merge, a rebase and a revert have none."""
    pushes = make_cases(tmp_path / "cases")

    def hunks(push: dict[str, Any]) -> dict[str, list[str]]:
        def git(*arguments: str) -> str:
            command = ["git", "-C", str(tmp_path / "cases"), *arguments]
            return subprocess.run(command, capture_output=True, check=True, text=True).stdout

        base = git("merge-base", push["base_tip"], push["after"]).strip()
        paths = git("diff", "--name-only", base, push["after"]).split()
        patches = {path: git("diff", base, push["after"], "--", path) for path in paths}
        return {path: [one.key for one in parse_patch(text[text.index("@@") :])] for path, text in patches.items()}

    seen = [hunks(push) for push in pushes]
    new = [
        {path: len(fresh) for path, keys in after.items() if (fresh := set(keys) - set(before.get(path, [])))}
        for before, after in itertools.pairwise(seen)
    ]
    assert new == [push["expected_changed_hunks"] for push in pushes[1:]]
    assert {push["kind"] for push in pushes} == {"push", "merge_of_base", "rebase", "force_push", "revert"}
