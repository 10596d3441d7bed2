"""The sums of re-reviews and full reviews, and repeated comments."""

import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from bench.cases import Push, Work
from bench.figures import Comment, Tokens, repeated, tokens_of
from bench.rereview import PushCost, ReReviews, _merged, summed
from local.model import RecordedRequest, Usage


def asked(usage: Usage | None, *blocks: dict[str, Any]) -> RecordedRequest:
    body = {"model": "m", "system": "s" * 400, "messages": [{"role": "user", "content": list(blocks)}]}
    packed = zlib.compress(json.dumps(body).encode())
    return RecordedRequest("/v1/messages", packed, {}, 200, usage, 1.0)


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def test_tokens_are_counted_by_purpose() -> None:
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


def test_the_ratio_compares_only_what_was_asked_twice() -> None:
    """First reviews and pushes without cost are not compared with a full review, and improve no ratio."""

    def push(calls: int, total: int, full: int | None, repeats: int = 0) -> PushCost:
        tokens = Tokens(1, total, hunks=total // 2, tools=total // 4, uncached=total // 5)
        return PushCost(tokens, None if full is None else Tokens(1, full), calls, repeats)

    costs = [push(1, 5000, None), push(2, 1000, 4000, 1), push(4, 0, None), push(3, 200, 8000)]

    assert summed("all", costs) == ReReviews("all", 2, 1_200, 240, 12_000, 0.1, 0.25, 150, 4, 1)
    assert summed("none", []) == ReReviews("none", 0, 0, 0, 0, None, None, 0, 0, 0)


def test_each_commit_of_a_merged_branch_is_a_push(tmp_path: Path) -> None:
    """The base is where the branch began; the base's own commits are no pushes."""
    work = Work(tmp_path / "shop")
    base = work.commit("Base", {"a.py": "a = 1\n"})
    work.git("checkout", "--quiet", "-b", "change")
    heads = [work.commit("Add b", {"b.py": "b = 1\n"}), work.commit("Add c", {"c.py": "c = 1\n"})]
    work.git("checkout", "--quiet", "main")
    work.commit("Move on", {"a.py": "a = 2\n"})
    work.git("merge", "--quiet", "--no-ff", "--message", "Merge", "change")

    assert _merged(tmp_path / "shop", work.head) == [Push(head, base) for head in heads]
