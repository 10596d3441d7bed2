"""The texts about the memory: a line in Review Details, and answers to commands."""

from kodiai.core.memory.recall import Recollection
from kodiai.core.memory.remembered import StoredMemory
from kodiai.core.memory.rule import Rule, rule_id
from kodiai.core.words.memory import memory_lines, memory_text
from tests.builders import a_neighbor, a_remembered
from tests.tables import each_row

RULE = Rule("R-3fa1c2", "Ignore missing docstrings in `tests/`.", "ann", 12, 0)


NEAR = (a_neighbor(1), a_neighbor(2, repository="octo/lib"), a_neighbor(3))
ONE_SIMILAR = "- Memory: 1 similar finding recalled"


@each_row(
    ("recollection", "problem", "lines"),
    [
        (Recollection(), None, []),
        (Recollection((RULE,), NEAR), None, ["- Memory: 3 similar findings recalled from octo/app, octo/lib, 1 rule"]),
        (Recollection(recalled=NEAR[:1]), None, [f"{ONE_SIMILAR} from octo/app"]),
        (
            Recollection((), NEAR[:1], is_offline=True),
            None,
            [f"{ONE_SIMILAR} by their words alone (offline) from octo/app"],
        ),
        (Recollection((RULE,)), "it is busy", ["- Memory: 1 rule", "- Memory unavailable: it is busy"]),
    ],
)
def test_the_details_name_what_was_recalled_and_from_where(
    recollection: Recollection, problem: str | None, lines: list[str]
) -> None:
    """And the number of rules, and why there was no memory; most reviews of a young repository recall nothing."""
    assert memory_lines(recollection, problem) == lines


def test_the_memory_lists_rules_outcomes_and_dismissed_findings() -> None:
    """So that everything that may suppress a finding can be seen and undone."""
    stored = [
        StoredMemory(a_remembered(12, "F-1", outcome="wont_fix", dismissed_by=("ann", "bob")), "index"),
        StoredMemory(a_remembered(14, "F-2", outcome="fixed"), "index"),
        StoredMemory(a_remembered(15, "F-3", outcome="fixed"), "index"),
        StoredMemory(a_remembered(16, "F-4", outcome="fixed"), None, is_forgotten=True),
    ]

    assert memory_text([RULE], stored) == (
        "Rules of this repository:\n\n"
        "- `R-3fa1c2` (ann): Ignore missing docstrings in `tests/`.\n\n"
        "Remembered findings: 2 fixed, 1 won't fix.\n\n"
        "<details><summary>Dismissed findings</summary>\n\n"
        "Findings like these may be suppressed; `forget <id>` prevents that:\n\n"
        "- `12/F-1` [MEDIUM] The last page is never fetched -- by ann and bob\n\n"
        "</details>"
    )


def test_the_memory_says_how_to_fill_it_and_lists_the_first_of_many_dismissed_findings() -> None:
    """The others are counted."""
    stored = [StoredMemory(a_remembered(number, dismissed_by=("ann",)), "index") for number in range(30)]

    rows = [row for row in memory_text([], stored).splitlines() if row.startswith("- ")]

    assert memory_text([], []) == "I remember no rules of this repository. `remember <sentence>` adds one."
    assert (len(rows), rows[-1]) == (21, "- and 10 more")


def test_a_rule_is_named_by_the_comment_that_asked_for_it() -> None:
    """The same comment delivered again is no second rule; another one, or another sentence, is."""
    name = rule_id("octo/app", "thread-12", "No docstrings.")

    assert name == rule_id("octo/app", "thread-12", "No docstrings.")
    others = [("octo/lib", "thread-12", "A"), ("octo/app", "thread-13", "A"), ("octo/app", "thread-12", "A")]
    assert name not in [rule_id(*each) for each in others]
    assert len(name) == len("R-3fa1c2")
