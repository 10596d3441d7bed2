"""What the check run says, and the answer to who asks for what is done."""

import pytest

from kodiai.core.changes.coverage import Coverage
from kodiai.core.findings.delta import Delta
from kodiai.core.words import check
from kodiai.core.words.markers import answer_marker
from tests.builders import a_delta, a_finding, followed
from tests.review_form import reply_faults

HEAD = "0123456789" * 4
OPEN = (
    followed(a_finding(severity="MINOR", title="The name says little"), author_disagrees=True),
    followed(a_finding(path="src/__init__.py", title="The <b> retry\nnever ends")),
)
LIST = """\
- [MAJOR] `src/__init__.py`: The &lt;b> retry never ends
- [MINOR] src/app.py: The name says little -- the author disagrees"""


@pytest.mark.parametrize(
    ("delta", "said"),
    [
        (a_delta(), ("Ready to merge", "Findings: none. The review says more.")),
        (a_delta([], followed(a_finding(), "resolved")), ("Ready to merge", "Findings: none. The review says more.")),
        (
            a_delta([a_finding(severity="MINOR"), a_finding(severity="MEDIUM")], OPEN[0]),
            ("Ready to merge with minor items", "Findings: 1 MEDIUM, 2 MINOR. The review says more."),
        ),
        (
            a_delta(coverage=Coverage(1_999, 1)),
            ("Not fully reviewed", "Findings: none; 1 file was not read. The review says more."),
        ),
        (a_delta(coverage=Coverage(0, 0)), ("Nothing to read", "Findings: none. The review says more.")),
        (
            a_delta([a_finding(severity="CRITICAL")], *OPEN),
            ("Address before merging", "Findings: 1 CRITICAL, 1 MAJOR, 1 MINOR. The review says more."),
        ),
    ],
)
def test_a_review_is_summed_up_in_the_check(delta: Delta, said: tuple[str, str]) -> None:
    """The verdict over everything that is open is its title, the counts are its summary."""
    assert check.reviewed(delta) == said


def test_a_check_without_a_review_carries_what_is_still_open() -> None:
    """The author is not told again on every push, and can read it all the same."""
    nothing, some = a_delta(), a_delta([], *OPEN)
    reviewed_before = "Every change of this pull request was reviewed at 0123456."

    assert check.nothing_to_say(HEAD, nothing) == ("Ready to merge", "Nothing new since 0123456.")
    assert check.nothing_to_say(HEAD, some) == (
        "Address before merging",
        f"Nothing new since 0123456. Findings still open: 2.\n\n{LIST}",
    )
    partly = a_delta(coverage=Coverage(7, 2))
    assert check.nothing_to_say(HEAD, partly) == (
        "Not fully reviewed",
        "Nothing new since 0123456; 2 files were not read.",
    )
    assert check.unchanged(HEAD, partly) == check.nothing_to_say(HEAD, partly)
    assert check.unchanged(HEAD, a_delta(coverage=Coverage(0, 0))) == (
        "Nothing to read",
        "Nothing new since 0123456.",
    )
    assert check.unchanged(HEAD, nothing) == ("Nothing new to review", reviewed_before)
    assert check.unchanged(HEAD, some) == (
        "Nothing new to review",
        f"{reviewed_before} Findings still open: 2.\n\n{LIST}",
    )


@pytest.mark.parametrize(
    ("title", "times", "listed"),
    [("The total is unset", 100, 100), ("The total is unset", 103, 100), ("<" * 300, 100, 13)],
)
def test_a_check_lists_as_many_as_it_has_room_for(title: str, times: int, listed: int) -> None:
    """GitHub takes 65,535 characters, and a text that is longer costs the whole check."""
    delta = a_delta([], *[followed(a_finding(title=title))] * times)

    _, summary = check.unchanged(HEAD, delta)

    assert f" Findings still open: {times}.\n\n- " in summary
    assert summary.count("\n- [MAJOR] ") == listed
    assert summary.endswith(f"\n- and {times - listed} more") == (listed < times)
    assert len(summary) <= 16_500


def test_a_check_says_why_there_is_no_review() -> None:
    """Somebody else's doing, or something for the person to mend."""
    assert check.superseded("the head moved on to 0123456") == (
        "Superseded",
        "No review of this head: the head moved on to 0123456.",
    )
    assert check.refused("Mend `.kodiai.yml`.") == ("Not reviewed", "Mend `.kodiai.yml`.")


def test_who_asks_for_what_is_reviewed_is_answered_in_one_line() -> None:
    """It names the head, and what to ask for instead."""
    said = check.answered(HEAD)

    assert said == "Reviewed at 0123456; nothing changed since. `full review` looks again."
    assert reply_faults(f"{said}\n\n{answer_marker('d-1')}") == []
