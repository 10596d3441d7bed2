"""The apply check says and makes the same as `git apply`."""

from pathlib import Path

import pytest

from bench.git_apply import compare
from bench.made_diffs import made_diff

_BLOCK = 250


@pytest.mark.parametrize("block", [0, *(pytest.param(block, marks=pytest.mark.proof) for block in range(1, 4))])
def test_git_apply_and_the_apply_check_make_the_same_of_every_diff(block: int, tmp_path: Path) -> None:
    """The same diffs apply, and make the same bytes and modes; what only we refuse is listed with its reason."""
    cases = [made_diff(seed) for seed in range(block * _BLOCK, (block + 1) * _BLOCK)]

    compared = [compare(case.diff, case.tree, tmp_path) for case in cases]

    differences = {
        block * _BLOCK + index: each.difference for index, each in enumerate(compared) if each.difference is not None
    }
    assert differences == {}
    assert sum(each.applies for each in compared) > _BLOCK / 4, "diffs that apply"
    assert sum(not each.applies for each in compared) > _BLOCK / 4, "diffs that do not"
    assert sum(each.stricter is not None for each in compared) < _BLOCK / 20, "few are refused by us alone"
