"""A review is planned within its tokens of input: the riskiest files first, and the others are listed."""

from dataclasses import replace

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.model.messages import Usage, weighted_input
from kodiai.core.model.prices import Price
from kodiai.core.plan.plan import ReviewPlan, plan_review
from kodiai.core.repository.view import RepositoryView
from kodiai.flows.review.hear import hear
from tests.builders import PARSER, FilesTree, a_finding, a_known, added
from tests.core.review_inputs import limited, loaded, remembered

PRICE = Price(input=2, output=10, cache_read=0.2, cache_write=2.5)
FILES = [added(f"src/part_{at}.py", *(f"row_{row} = 'x'" for row in range(100))) for at in range(8)]
SENSITIVE = added("src/auth/login.py", *(f"row_{row} = 'x'" for row in range(100)))


LARGE = added("src/large.py", *(f"row_{row} = 'x'" for row in range(2_000)))


def planned(files: list[ChangedFile], tokens: int, before: list[ChangedFile] | None = None) -> ReviewPlan:
    """A review of these files, each some 1,000 tokens; of the last of `before` there is an earlier finding."""
    known = [a_known(a_finding(path=file.path, quote="old"), hunk=file.hunks[0].key) for file in (before or [])[-1:]]
    seen = None if before is None else remembered(before)
    given = loaded(files, seen, known, is_first=before is None)
    settings = limited({"input_tokens_per_review": tokens, "batch_tokens": 2_500})
    return plan_review(given, hear(given, None), RepositoryView(FilesTree({}), PARSER), settings)


def test_an_earlier_finding_whose_file_is_over_the_budget_is_asked_about_in_the_riskiest_batch() -> None:
    """Its answer does not wait for money. Where nothing fits nobody is asked, and the finding stays open."""
    before = [replace(file, patch="@@ -0,0 +1 @@\n+old") for file in [SENSITIVE, *FILES, LARGE]]

    plan, nothing = planned([*FILES, SENSITIVE], 50_000, before[:-1]), planned([LARGE], 100_000, before[-1:])

    assert "src/part_7.py" not in [file.path for file in plan.scope.files]
    assert len(plan.batches[0].rechecked) == 1
    assert (nothing.batches, nothing.rechecked, nothing.not_rechecked) == ((), (), 1)


def test_tokens_of_the_cache_count_by_their_price() -> None:
    """A model without a price for input counts them all alike."""
    used = Usage(input_tokens=100, cache_read_tokens=1_000, cache_write_tokens=100, output_tokens=5)

    assert weighted_input(used, PRICE) == 100 + 100 + 125
    assert weighted_input(used, PRICE.model_copy(update={"input": 0.0})) == 1_200


def test_files_over_the_budget_are_listed_and_the_riskiest_are_read() -> None:
    """Before anything is asked: no file is read in part, and none is missing from both lists."""
    plan = planned([*FILES, SENSITIVE], 120_000)

    read = [file.path for batch in plan.batches for file in batch.files]
    assert read[0] == "src/auth/login.py"
    assert 0 < len(read) < 9
    assert {file.path for file in plan.scope.files} == set(read)
    assert {each.reason for each in plan.scope.skipped} == {"over the budget of 120,000 input tokens"}
    assert {*read, *(each.path for each in plan.scope.unread)} == {file.path for file in [*FILES, SENSITIVE]}
    likely = sum((batch.likely_usage() for batch in plan.batches), Usage())
    assert weighted_input(likely, PRICE) <= 120_000


def test_the_riskiest_batch_is_read_whatever_it_takes() -> None:
    """A review that reads nothing helps nobody."""
    plan = planned([*FILES, SENSITIVE], 10_000)

    assert next(file.path for batch in plan.batches for file in batch.files) == "src/auth/login.py"
    assert len(plan.batches) == 1


def test_a_file_that_does_not_fit_in_all_its_pieces_is_not_read() -> None:
    """Half a file says little, and would count as read."""
    plan = planned([SENSITIVE, LARGE], 300_000)

    assert [file.path for file in plan.scope.files] == ["src/auth/login.py"]
    assert [each.path for each in plan.scope.unread] == ["src/large.py"]
    assert [file.path for batch in plan.batches for file in batch.files] == ["src/auth/login.py"]
