"""When a run goes on from a review that was not posted, and what it then reads."""

from dataclasses import replace

import pytest

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.config import Config, ReviewConfig
from kodiai.core.review.unposted import UnpostedReview
from tests.builders import added
from tests.core.review_inputs import loaded, planned, remembered

ONE, TWO = added("src/one.py", "one = 1"), added("src/two.py", "two = 2")
BEFORE = remembered([])


def unposted(*files: ChangedFile, after_run: str | None = "run1", config: Config | None = None) -> UnpostedReview:
    return UnpostedReview("d" * 40, after_run, Snapshot.of(files, (config or Config()).key))


def test_only_what_it_did_not_read_is_read() -> None:
    """Compared with both: the last review that was posted, and the one that was not."""
    plan = planned(loaded([ONE, TWO], BEFORE, unposted=unposted(ONE)))

    assert [file.path for file in plan.scope.files] == ["src/two.py"]
    assert (plan.scope.mode, plan.scope.as_reviewed) == ("incremental", 1)


def test_a_first_review_goes_on_from_it() -> None:
    """No review was posted before."""
    plan = planned(loaded([ONE, TWO], is_first=True, unposted=unposted(ONE, after_run=None)))

    assert [file.path for file in plan.scope.files] == ["src/two.py"]
    assert (plan.scope.mode, plan.scope.reason) == ("incremental", "since-ddddddd")


def test_what_it_left_unread_is_read() -> None:
    """It is known from its snapshot."""
    kept = unposted(ONE)
    [one] = kept.snapshot.files
    left = replace(kept, snapshot=replace(kept.snapshot, files=(replace(one, left_out="over the budget"),)))

    plan = planned(loaded([ONE, TWO], BEFORE, unposted=left))

    assert {file.path for file in plan.scope.files} == {"src/one.py", "src/two.py"}


@pytest.mark.parametrize(
    ("kept", "trigger"),
    [
        (unposted(ONE, after_run="run0"), "synchronize"),
        (unposted(ONE, after_run=None), "synchronize"),
        (unposted(ONE, config=Config(review=ReviewConfig(max_comments=1))), "synchronize"),
        (unposted(ONE), "full_review"),
    ],
)
def test_it_does_not_count_after_another_review_by_other_settings_or_for_who_wants_everything(
    kept: UnpostedReview, trigger: str
) -> None:
    """Then everything is read that the posted review did not read."""
    plan = planned(loaded([ONE, TWO], BEFORE, unposted=kept, trigger=trigger))  # type: ignore[arg-type]

    assert {file.path for file in plan.scope.files} == {"src/one.py", "src/two.py"}
    assert plan.input.unposted is None
