"""Which findings are told, which are held back, and why."""

import random

from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.findings.finding import SEVERITIES, Finding, Severity, rank
from kodiai.core.findings.judge import Judgement, judge
from kodiai.core.findings.sift import Memory, sift
from tests.builders import EverythingChanged, NothingKnown, a_finding
from tests.builders import reported as as_reported

LINES = [f"line {number}" for number in range(1, 41)]
LINES[9] = LINES[19] = LINES[29] = "return total"


def judged(
    *reported: Finding,
    floor: Severity = "MINOR",
    most: int = 20,
    on_diff: range = range(1, 41),
    memories: list[Memory] | None = None,
) -> Judgement:
    sifted = sift(
        [as_reported(finding) for finding in reported],
        read_lines=lambda path: LINES if path.endswith(".py") else None,
        facts=NothingKnown(),
        change=EverythingChanged(),
        floor=floor,
        memories=memories or (),
    )
    return judge(sifted, {}, takes_comment=lambda _, start, end: start in on_diff and end in on_diff, max_comments=most)


def at(line: int, **given: object) -> Finding:
    """A finding that quotes this very line."""
    return a_finding(**{"start_line": line, "quote": LINES[line - 1], "title": f"On {line}", **given})


OTHER = {"title": "`line` shadows a builtin", "explanation": "Whoever calls it below gets text."}


def told(judgement: Judgement) -> list[Finding]:
    return [kept.finding for kept in judgement.kept]


def reasons(judgement: Judgement) -> list[str]:
    return [dropped.reason for dropped in judgement.dropped]


def test_the_gravest_come_first() -> None:
    """By severity, impact before preference, then by place."""
    found = [
        at(1, severity="MINOR"),
        at(2, severity="MEDIUM", kind="preference"),
        at(3, severity="MEDIUM"),
        at(4, severity="CRITICAL"),
        at(5, severity="MAJOR", path="src/b.py"),
        at(6, severity="MAJOR", path="src/a.py"),
    ]

    judgement = judged(*found)

    assert [finding.start_line for finding in told(judgement)] == [4, 6, 5, 3, 2, 1]


def test_a_finding_that_moves_is_ranked_where_it_lands() -> None:
    """The reported lines say nothing once the quote is found elsewhere."""
    judgement = judged(at(5), at(7, start_line=1))

    assert [finding.start_line for finding in told(judgement)] == [5, 7]


def test_what_is_not_grounded_is_held_back_with_the_reason() -> None:
    """Code that is not there, a file that is not there."""
    judgement = judged(at(3, quote="not there"), at(4, path="logo.png"))

    assert judgement.kept == ()
    assert reasons(judgement) == ["the quoted code is not in the file", "no such file at the head"]


def test_a_preference_is_medium_at_most() -> None:
    """It does not block, however the model calls it."""
    judgement = judged(at(1, kind="preference", severity="CRITICAL"), at(2, kind="preference", severity="MINOR"))

    assert [finding.severity for finding in told(judgement)] == ["MEDIUM", "MINOR"]


def test_findings_below_the_floor_are_held_back() -> None:
    """A floor of MAJOR tells MAJOR and CRITICAL; the clamp of preferences comes before it."""
    found = [at(line, severity=severity) for line, severity in enumerate(SEVERITIES, 1)]
    clamped = at(9, kind="preference", severity="CRITICAL")

    judgement = judged(*found, clamped, floor="MAJOR")

    assert [finding.severity for finding in told(judgement)] == ["CRITICAL", "MAJOR"]
    assert reasons(judgement) == ["below the severity floor MAJOR"] * 3


def test_over_the_cap_the_least_grave_are_held_back() -> None:
    """They are listed, not lost."""
    judgement = judged(at(1, severity="MINOR"), at(2), at(3, severity="CRITICAL"), most=2)

    assert [finding.start_line for finding in told(judgement)] == [3, 2]
    assert [dropped.finding.start_line for dropped in judgement.dropped] == [1]
    assert reasons(judgement) == ["over the cap of 2 comments"]


def test_the_same_concern_is_told_once_and_at_its_gravest() -> None:
    """Two batches, or one that repeats itself."""
    judgement = judged(at(3, severity="MINOR"), at(3, severity="CRITICAL", title="Said otherwise"), at(4))

    assert [(finding.severity, finding.start_line) for finding in told(judgement)] == [("CRITICAL", 3), ("MAJOR", 4)]
    assert reasons(judgement) == ["the same as what is said of line 3"]


def test_a_duplicate_takes_nobodys_place_under_the_cap() -> None:
    """Two concerns fit under a cap of two, however often one of them is told."""
    judgement = judged(at(3), at(3), at(3), at(4), most=2)

    assert [finding.start_line for finding in told(judgement)] == [3, 4]


def test_lines_run_forwards_from_one() -> None:
    """Ends that are swapped, and numbers that no file has."""
    swapped, zero = at(3, start_line=4, end_line=2), at(1, start_line=0, end_line=-5)

    judgement = judged(swapped, zero)

    assert [(finding.start_line, finding.end_line) for finding in told(judgement)] == [(1, 1), (2, 4)]


def test_a_finding_off_the_diff_is_told_but_not_inline() -> None:
    """GitHub refuses a comment there; the body lists it all the same."""
    judgement = judged(at(3), at(5, **OTHER), at(4, start_line=4, end_line=5), on_diff=range(1, 5))

    assert [(kept.finding.start_line, kept.inline) for kept in judgement.kept] == [(3, True), (4, False), (5, False)]


def test_the_same_code_at_several_places_is_as_many_findings() -> None:
    """They are alike in all but their lines and are counted in order of their lines, whatever order they came in."""
    alike = [a_finding(start_line=line, title="Unset") for line in (10, 20, 30)]

    first = judged(*alike)
    again = judged(alike[2], alike[0].model_copy(update={"severity": "MINOR"}), alike[1], alike[1])

    ids = {kept.finding.start_line: kept.id for kept in first.kept}
    assert len(set(ids.values())) == 3
    assert {kept.finding.start_line: kept.id for kept in again.kept} == ids


FINDINGS = st.lists(
    st.builds(
        a_finding,
        severity=st.sampled_from(SEVERITIES),
        kind=st.sampled_from(["impact", "preference"]),
        category=st.sampled_from(["style", "security"]),
        path=st.sampled_from(["a.py", "b.py", "c.png"]),
        start_line=st.integers(-1, 45),
        end_line=st.integers(-1, 45),
        title=st.sampled_from(["One", "Two", ""]),
        quote=st.sampled_from(["line 1", "line 2\nline 3", "return total", "gone", " "]),
        replacement=st.sampled_from([None, "", "x"]),
    ),
    max_size=12,
)


@given(reported=FINDINGS, floor=st.sampled_from(SEVERITIES), most=st.integers(0, 6), seed=st.randoms())
def test_every_finding_is_told_once_or_held_back_once(
    reported: list[Finding], floor: Severity, most: int, seed: random.Random
) -> None:
    """Ids are unique, the cap and the floor hold, and the order in which findings came decides nothing."""
    judgement = judged(*reported, floor=floor, most=most)
    shuffled = list(reported)
    seed.shuffle(shuffled)

    assert len(judgement.kept) + len(judgement.dropped) == len(reported)
    assert len({kept.id for kept in judgement.kept}) == len(judgement.kept) <= most
    assert all(SEVERITIES.index(finding.severity) <= SEVERITIES.index(floor) for finding in told(judgement))
    assert told(judgement) == sorted(told(judgement), key=rank)
    assert all(dropped.reason for dropped in judgement.dropped)
    assert not any(finding.kind == "preference" and finding.severity == "CRITICAL" for finding in told(judgement))
    assert judged(*reported, floor=floor, most=most) == judgement
    assert len(judged(*shuffled, floor=floor, most=most).kept) == len(judgement.kept)
