"""Files that GitHub says to be very large are not taken into memory."""

from typing import Any

import pytest

from kodiai.core.config.parse import Unreadable, parse_yaml
from kodiai.core.errors import Refused
from kodiai.core.repository.tree import LARGEST_FILE
from tests.edges.raw_github import code_that_sees, github_that_says, told

LARGE = {"type": "file", "size": LARGEST_FILE + 1, "encoding": "none", "content": "", "sha": "1" * 40}


def a_file(path: str, patch: str) -> dict[str, Any]:
    return {
        "filename": path, "status": "modified", "sha": "1" * 40, "additions": 1, "deletions": 0, "patch": patch,
    }  # fmt: skip


def test_a_very_large_file_is_not_fetched() -> None:
    """Its size comes before its content; the blob is not asked for."""
    with github_that_says(told(LARGE)) as (edge, _):
        assert edge.file("large.txt", "main") is None
        assert sum(edge.calls().values()) == 1


def test_very_large_settings_are_not_taken_for_no_settings() -> None:
    """They may forbid what was asked for."""
    with code_that_sees(told(LARGE)) as code:
        content = code.settings_file("main")

    assert content is not None
    with pytest.raises(Unreadable, match=r"^it is over 64 KiB$"):
        parse_yaml(content)


def test_a_diff_may_not_touch_files_of_a_gigabyte() -> None:
    """All of them would be in memory at once."""
    tree = [
        {"path": f"{at}", "mode": "100644", "type": "blob", "sha": f"{at}" * 40, "size": 30_000_000} for at in (1, 2)
    ]

    with code_that_sees(told({"truncated": False, "tree": tree})) as code, pytest.raises(Refused) as refused:
        code.entries("2" * 40, ["1", "2"])

    assert str(refused.value) == "The files at these paths are over 50 MB together."


def test_a_patch_for_which_there_is_no_room_is_left_out_and_said_to_be() -> None:
    """The patches of other files are read."""
    patches = ["@@ -0,0 +1,500000 @@\n" + "+\n" * 500_000, "@@ -1 +1 @@\n-a\n+b"]

    with github_that_says(told([a_file(f"{at}.py", patch) for at, patch in enumerate(patches)])) as (edge, _):
        large, small = edge.changed_files()

    assert (large.patch, large.has_room) == (None, False)
    assert (small.patch, small.has_room) == (patches[1], True)
