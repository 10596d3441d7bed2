"""The code around the changes is prepared once for all messages that a review takes."""

from collections.abc import Callable

from kodiai.core.config.keys import Config, ReviewConfig
from kodiai.core.plan.plan import ReviewPlan, plan_review
from kodiai.core.repository.kept_surroundings import Prepared
from kodiai.core.repository.view import RepositoryView
from kodiai.flows.review.hear import hear
from tests.builders import PARSER, CountedTree, a_file
from tests.core.review_inputs import limited, loaded

KEY = "AKIA" + "Y34FZKBOKMUTVV7A"
PATHS = [f"src/part_{number}.py" for number in range(4)]
CODE = "def total_{}(rows):\n    first = rows[0]\n    second = rows[1]\n{}    return first + second\n"
CHANGES = [a_file(path, patch="@@ -2,1 +2,1 @@\n-    first = 0\n+    first = rows[0]") for path in PATHS]


def planned(
    tree: CountedTree,
    *,
    time_left: Callable[[], float] = lambda: 600.0,
    prepared: Prepared | None = None,
    config: Config = Config(),  # noqa: B008
) -> ReviewPlan:
    """The plan of a first review of four files, each in a batch of its own."""
    given = loaded(CHANGES, is_first=True, config=config)
    settings = limited({"batch_tokens": 60})
    view = RepositoryView(tree, PARSER, time_left=time_left)
    return plan_review(given, hear(given, None), view, settings, prepared=prepared)


def texts(plan: ReviewPlan) -> list[str]:
    return ["\n".join(block.text for block in batch.material.blocks) for batch in plan.batches]


def a_tree(more: str = "") -> CountedTree:
    """The files, of which one has more lines."""
    return CountedTree({path: CODE.format(PATHS.index(path), more if path == PATHS[1] else "") for path in PATHS})


def test_surroundings_prepared_in_a_hurry_are_the_same_in_the_next_message_and_no_file_is_read_for_them() -> None:
    """With more time more code would be shown: that would be another question, and be paid for twice."""
    seconds = iter(range(1_000, 0, -40))
    hurried = planned(a_tree(), time_left=lambda: next(seconds))
    tree = a_tree()

    again = planned(tree, prepared=hurried.to_keep())

    assert texts(again) == texts(hurried)
    assert texts(again) != texts(planned(a_tree()))
    assert [batch.material.left_out for batch in again.batches] == [each.material.left_out for each in hurried.batches]
    assert tree.reads == []
    assert again.to_keep() == {}


def test_code_with_a_secret_is_not_kept_but_prepared_again() -> None:
    """The kept surroundings are stored; the other batches stay as they are."""
    first = planned(a_tree(f'    key = "{KEY}"\n'))

    kept = first.to_keep()
    again = planned(a_tree(f'    key = "{KEY}"\n'), prepared=kept)

    assert len(kept) == 3
    assert not any(KEY in each.text for each in kept.values())
    assert texts(again) == texts(first)
    assert again.to_keep() == {}


def test_surroundings_prepared_by_other_settings_do_not_count() -> None:
    """A path that is skipped by now must not be shown."""
    kept = planned(a_tree()).to_keep()
    tree = a_tree()

    planned(tree, prepared=kept, config=Config(review=ReviewConfig(skip_paths=("src/part_3.py",))))

    assert set(tree.reads) >= set(PATHS[:3])
