"""How findings are held against what was expected."""

from pathlib import Path
from typing import Any

import pytest

from evals.case import Case, read_cases
from evals.filtering import fates, unfiltered
from evals.judge import RuleJudge
from evals.matching import distance, match
from evals.metrics import METRICS, Counts, by_case, counts_of
from evals.result import CaseResult, PushResult, Said, Told
from evals.scoring import Scored, score, score_run
from tests.evals.made_up import (
    ADDED,
    CLEAN,
    DEFECT,
    DISCOUNTED,
    EMPTY_PROBLEM,
    MENDED,
    a_run,
    expected,
    pushed,
    reviewed,
    told,
    write_case,
)


class ByTitle:
    """Says that a finding means a problem where its title names the problem's first word."""

    name = "by title"

    def same(self, mechanism: str, told: Told, apart: int) -> bool:  # noqa: ARG002 - it goes by the title only
        return mechanism.split(maxsplit=1)[0] in told.title.split()


FIRST = expected(id="first", mechanism="alpha goes wrong")
SECOND = expected(id="second", lines=[6, 6], mechanism="beta goes wrong")
FORBIDDEN = {"path": "shop/orders.py", "lines": [1, 1], "mechanism": "gamma is right"}


def a_case(folder: Path, *pushes: dict[str, Any]) -> Case:
    """A case with these pushes, of which each later one mends the discount or breaks it again."""
    files = [{"shop/orders.py": (DISCOUNTED, MENDED)[at % 2]} for at in range(len(pushes))]
    write_case(folder, "python/case", {**DEFECT, "pushes": list(pushes)}, *files)
    [case] = read_cases(folder)
    return case


def says(*titles: str, line: int = 2, **more: Any) -> list[Told]:
    return [told(f"F-{title}-{line}", title=title, start_line=line, end_line=line, **more) for title in titles]


def scored(case: Case, *pushes: PushResult, failed: str | None = None) -> Scored:
    return score(case, CaseResult(case=case.slug, repeat=1, pushes=pushes, failed=failed), ByTitle())


@pytest.mark.parametrize(
    ("findings", "hits", "misses", "false"),
    [
        ([], [], ["first", "second"], []),
        (says("alpha", "beta"), ["first", "second"], [], []),
        (says("alpha"), ["first"], ["second"], []),
        (says("alpha", "alpha again"), ["first"], ["second"], ["duplicate"]),
        (says("delta"), [], ["first", "second"], ["wrong"]),
        (says("gamma"), [], ["first", "second"], ["forbidden"]),
        # One finding may tell either: it leaves the other to the one that can tell nothing else.
        (says("alpha beta", "alpha"), ["first", "second"], [], []),
        (says("alpha beta"), ["first"], ["second"], []),
        # Too far away, and in another file: right words in the wrong place.
        (says("alpha", line=13), [], ["first", "second"], ["wrong"]),
        (says("alpha", path="README.md"), [], ["first", "second"], ["wrong"]),
        (says("alpha", line=12), ["first"], ["second"], []),
    ],
)
def test_each_finding_tells_one_problem_at_most_and_each_problem_is_told_once(
    tmp_path: Path, findings: list[Told], hits: list[str], misses: list[str], false: list[str]
) -> None:
    """Candidates are near in file and lines and mean the same; most of them are matched; the rest has a reason."""
    case = a_case(tmp_path, {"expected": [FIRST, SECOND], "forbidden": [FORBIDDEN]})

    found = scored(case, pushed(*findings))

    assert sorted(hit.expected.id for hit in found.hits) == hits
    assert [miss.expected.id for miss in found.misses] == misses
    assert [one.kind for one in found.false] == false


def test_later_pushes_may_tell_what_was_missed_and_not_what_was_told_or_mended(tmp_path: Path) -> None:
    """A late finding is a hit, a second telling a repetition, one of a mended problem is wrong."""
    still = {"statuses": {"first": "still_open"}}
    case = a_case(tmp_path, {"expected": [FIRST, SECOND]}, still, {"statuses": {"first": "resolved"}})

    late = scored(case, pushed(), pushed(*says("alpha")), pushed())
    again = scored(case, pushed(*says("alpha")), pushed(*says("alpha yes", line=3)), pushed())
    mended = scored(case, pushed(), pushed(), pushed(*says("alpha")))

    assert [(hit.expected.id, hit.late) for hit in late.hits] == [("first", 1)]
    assert [one.kind for one in again.false] == ["repeated"]
    assert ([one.kind for one in mended.false], mended.hits) == (["wrong"], ())


def test_statuses_are_checked_of_what_was_told_by_then(tmp_path: Path) -> None:
    """What was never told has no status; one that is settled, gone or not reviewed at all is not what was wanted."""
    case = a_case(
        tmp_path,
        {"expected": [FIRST, SECOND]},
        {"statuses": {"first": "resolved", "second": "still_open"}},
        {"statuses": {"second": "resolved"}},
    )
    alpha, beta = says("alpha", "beta")

    right = scored(
        case,
        pushed(alpha, beta),
        pushed(standing={alpha.id: "fixed", beta.id: "open"}),
        pushed(standing={alpha.id: "fixed", beta.id: "fixed"}),
    )
    wrong = scored(case, pushed(alpha, beta), pushed(standing={alpha.id: "open"}), failed="it broke")
    silent = scored(case, pushed(), pushed(), pushed())

    assert [(one.id, one.push, one.is_right) for one in right.statuses] == [
        ("first", 1, True),
        ("second", 1, True),
        ("second", 2, True),
    ]
    assert [(one.wanted, one.got) for one in wrong.statuses] == [
        ("resolved", "still_open"),
        ("still_open", "gone"),
        ("resolved", "not reviewed"),
    ]
    assert silent.statuses == ()


@pytest.mark.parametrize(
    ("counts", "figures"),
    [
        (Counts(), {"precision": None, "recall": None, "f1": None, "comments": None, "silence": None}),
        (Counts(pull_requests=2, told=4, true=3, false=1, missed=3), {"precision": 0.75, "recall": 0.5, "f1": 0.6}),
        (Counts(pull_requests=2, told=4, true=3, false=1), {"comments": 2, "noise": 0.5, "recall": 1}),
        (Counts(pull_requests=1, missed=2), {"precision": None, "recall": 0, "f1": 0, "noise": 0}),
        (Counts(pull_requests=3, clean=3, silent=2, told=1, false=1), {"silence": 2 / 3, "precision": 0, "f1": 0}),
        (Counts(pull_requests=4, priced=2, cost_usd=1, seconds=6), {"cost_usd": 0.5, "seconds": 1.5}),
        (Counts(statuses=4, right_statuses=3), {"statuses": 0.75}),
    ],
)
def test_figures_are_made_of_counts_and_are_none_where_there_is_nothing_to_divide_by(
    counts: Counts, figures: dict[str, float | None]
) -> None:
    """Nothing told is no precision, nothing expected no recall; F1 has its own denominator."""
    assert {name: METRICS[name].of(counts) for name in figures} == pytest.approx(figures)


def test_pull_requests_are_counted_with_their_failures_costs_and_silence(tmp_path: Path) -> None:
    """A failed review of a clean pull request is no silence; one unknown price leaves all of its cost unknown."""
    write_case(tmp_path, "python/readme", CLEAN, {"README.md": "# Other\n"})
    [clean] = read_cases(tmp_path)

    silent, noisy, failed = (
        counts_of(scored(clean, *pushes, failed=why))
        for pushes, why in [
            ([pushed(cost_usd=0.25, seconds=2)], None),
            ([pushed(*says("x")), pushed(cost_usd=0.5)], None),
            ([], "it broke"),
        ]
    )

    assert (silent.silent, silent.priced, silent.cost_usd, silent.seconds) == (1, 1, 0.25, 2)
    assert (noisy.silent, noisy.false, noisy.priced, noisy.cost_usd) == (0, 1, 0, 0)
    assert (failed.silent, failed.failed, failed.clean, failed.priced) == (0, 1, 1, 0)


def test_a_run_is_scored_case_by_case_its_repeats_together(tmp_path: Path) -> None:
    """Results of cases that are not asked for are left out; the rule judges by shared words."""
    case = a_case(tmp_path, {"expected": [expected(), EMPTY_PROBLEM]})
    run = a_run(
        reviewed(case.slug, pushed(told())),
        reviewed(case.slug, pushed(told(title="Tests are missing", explanation="Write some.")), repeat=2),
        reviewed("python/other", pushed(told())),
    )

    found = score_run([case], run, RuleJudge())

    assert {slug: (one.pull_requests, one.true, one.false, one.missed) for slug, one in by_case(found).items()} == {
        "python/case": (2, 1, 1, 3)
    }
    assert found[0].hits[0].expected.mechanism == ADDED


def test_what_is_accepted_is_right_where_it_is_told_and_no_miss_where_it_is_not(tmp_path: Path) -> None:
    """It counts for precision only; told twice it is a duplicate, and an expected problem goes first."""
    case = a_case(tmp_path, {"expected": [FIRST], "accepted": [SECOND]})

    both = counts_of(scored(case, pushed(*says("alpha"), *says("beta", line=6))))
    none = counts_of(scored(case, pushed()))
    twice = scored(case, pushed(*says("beta", "beta again", line=6)))
    either = scored(case, pushed(*says("alpha beta")))

    assert (both.true, both.accepted, both.false, both.missed) == (1, 1, 0, 0)
    assert (none.true, none.accepted, none.missed) == (0, 0, 1)
    assert ([one.kind for one in twice.false], len(twice.accepted), len(twice.misses)) == (["duplicate"], 1, 1)
    assert ([hit.expected.id for hit in either.hits], either.accepted) == (["first"], ())
    assert METRICS["precision"].of(Counts(true=1, accepted=1, false=2, missed=1)) == 0.5
    assert METRICS["recall"].of(Counts(true=1, accepted=1, false=2, missed=1)) == 0.5
    assert METRICS["f1"].of(Counts(true=1, accepted=1, false=2, missed=1)) == 0.5


def test_a_problem_may_be_told_at_its_other_places_too(tmp_path: Path) -> None:
    """In another file, as where its cause is in one and its effect in the other."""
    elsewhere = {"path": "README.md", "lines": [1, 1]}
    case = a_case(tmp_path, {"expected": [{**FIRST, "also": [elsewhere]}]})

    there = scored(case, pushed(*says("alpha", path="README.md", line=1)))
    nowhere = scored(case, pushed(*says("alpha", path="setup.py", line=1)))

    assert (len(there.hits), there.false) == (1, ())
    assert (len(nowhere.misses), len(nowhere.false)) == (1, 1)


def test_what_was_reported_is_held_against_what_was_told(tmp_path: Path) -> None:
    """By the labels of recorded findings: each problem counts once, an honest remark neither way."""
    case = a_case(tmp_path, {"expected": [FIRST, SECOND]})
    said = [
        Said(title=title, path="shop/orders.py", label=label, expects=expects, fate=fate, told=was_told)  # type: ignore[arg-type]
        for title, label, expects, fate, was_told in [
            ("alpha", True, "first", "kept", True),
            ("alpha too", True, "first", "same-as", False),
            ("honest", True, None, "kept", False),
            ("wrong", False, None, "wrong", True),
        ]
    ]
    found = [scored(case, pushed(*says("alpha", "wrong"), said=said))]

    raw = unfiltered(found)

    assert (raw.told, raw.true, raw.false, raw.missed) == (4, 1, 2, 1)
    assert {row.fate: (row.said, row.told) for row in fates(found)} == {
        "kept": (2, 1),
        "same-as": (1, 0),
        "wrong": (1, 1),
    }


def test_a_matching_is_as_large_as_can_be_and_the_first_keep_their_places() -> None:
    """Somebody moves to another place of theirs rather than keeping a third one out."""
    wishes = {"a": ["x", "y"], "b": ["x"], "c": ["y", "z"], "d": ["x", "y"]}

    assert match(wishes) == {"a": "y", "b": "x", "c": "z"}
    assert match({"a": ["y", "x"]}) == {"a": "y"}


@pytest.mark.parametrize(
    ("one", "other", "between"), [((1, 3), (2, 9), 0), ((1, 3), (4, 5), 1), ((9, 9), (2, 4), 5), ((2, 2), (2, 2), 0)]
)
def test_the_distance_of_two_ranges_is_between_their_nearest_lines(
    one: tuple[int, int], other: tuple[int, int], between: int
) -> None:
    """Neighbours are one line apart, overlapping ranges none; it is the same from both sides."""
    assert distance(one, other) == distance(other, one) == between
