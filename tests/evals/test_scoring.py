"""The comparison of findings with expected problems."""

from pathlib import Path
from typing import Any

import pytest

from evals.case import Case, read_cases
from evals.filtering import fates, unfiltered
from evals.judge import RuleJudge
from evals.matching import distance, match
from evals.metrics import METRICS, Counts, by_case, counts_of
from evals.result import CaseResult, PostedFinding, PushResult, ReportedFinding
from evals.scoring import Scored, score, score_run
from tests.evals.made_up import (
    ADDED,
    CLEAN,
    DEFECT,
    DISCOUNTED,
    EMPTY_PROBLEM,
    FIXED,
    a_finding,
    a_run,
    expected,
    pushed,
    reviewed,
    write_case,
)


class ByTitle:
    """Says that a finding means a problem where its title names the problem's first word."""

    name = "by title"

    def same(self, mechanism: str, finding: PostedFinding, lines_apart: int) -> bool:  # noqa: ARG002 - it goes by the title only
        return mechanism.split(maxsplit=1)[0] in finding.title.split()


FIRST = expected(id="first", mechanism="alpha goes wrong")
SECOND = expected(id="second", lines=[6, 6], mechanism="beta goes wrong")
FORBIDDEN = {"path": "shop/orders.py", "lines": [1, 1], "mechanism": "gamma is right"}


def a_case(folder: Path, *pushes: dict[str, Any]) -> Case:
    """A case with these pushes, of which each later one fixes the discount or breaks it again."""
    files = [{"shop/orders.py": (DISCOUNTED, FIXED)[at % 2]} for at in range(len(pushes))]
    write_case(folder, "python/case", {**DEFECT, "pushes": list(pushes)}, *files)
    [case] = read_cases(folder)
    return case


def titled(*titles: str, line: int = 2, **more: Any) -> list[PostedFinding]:
    return [a_finding(f"F-{title}-{line}", title=title, start_line=line, end_line=line, **more) for title in titles]


def scored(case: Case, *pushes: PushResult, failed: str | None = None) -> Scored:
    return score(case, CaseResult(case=case.slug, repeat=1, pushes=pushes, failed=failed), ByTitle())


@pytest.mark.parametrize(
    ("findings", "hits", "misses", "false"),
    [
        ([], [], ["first", "second"], []),
        (titled("alpha", "beta"), ["first", "second"], [], []),
        (titled("alpha"), ["first"], ["second"], []),
        (titled("alpha", "alpha again"), ["first"], ["second"], ["duplicate"]),
        (titled("delta"), [], ["first", "second"], ["wrong"]),
        (titled("gamma"), [], ["first", "second"], ["forbidden"]),
        # One finding matches both problems; it leaves one of them to the finding that matches nothing else.
        (titled("alpha beta", "alpha"), ["first", "second"], [], []),
        (titled("alpha beta"), ["first"], ["second"], []),
        # Too far away, and in another file: right words in the wrong place.
        (titled("alpha", line=13), [], ["first", "second"], ["wrong"]),
        (titled("alpha", path="README.md"), [], ["first", "second"], ["wrong"]),
        (titled("alpha", line=12), ["first"], ["second"], []),
    ],
)
def test_each_finding_matches_at_most_one_problem_and_each_problem_at_most_one_finding(
    tmp_path: Path, findings: list[PostedFinding], hits: list[str], misses: list[str], false: list[str]
) -> None:
    """Candidates are in the same file, near in lines, and mean the same; each finding without a match has a reason."""
    case = a_case(tmp_path, {"expected": [FIRST, SECOND], "forbidden": [FORBIDDEN]})

    found = scored(case, pushed(*findings))

    assert sorted(hit.expected.id for hit in found.hits) == hits
    assert [miss.expected.id for miss in found.misses] == misses
    assert [one.kind for one in found.false] == false


def test_a_later_push_may_find_what_was_missed_but_not_repeat_what_was_posted_or_fixed(tmp_path: Path) -> None:
    """A late finding is a hit, a second one is a repetition, and a finding of a fixed problem is wrong."""
    still = {"statuses": {"first": "still_open"}}
    case = a_case(tmp_path, {"expected": [FIRST, SECOND]}, still, {"statuses": {"first": "resolved"}})

    late = scored(case, pushed(), pushed(*titled("alpha")), pushed())
    again = scored(case, pushed(*titled("alpha")), pushed(*titled("alpha yes", line=3)), pushed())
    fixed = scored(case, pushed(), pushed(), pushed(*titled("alpha")))

    assert [(hit.expected.id, hit.late) for hit in late.hits] == [("first", 1)]
    assert [one.kind for one in again.false] == ["repeated"]
    assert ([one.kind for one in fixed.false], fixed.hits) == (["wrong"], ())


def test_statuses_are_checked_for_problems_that_are_already_posted(tmp_path: Path) -> None:
    """A problem that was never posted has no status; a missing review and a missing finding are wrong statuses."""
    case = a_case(
        tmp_path,
        {"expected": [FIRST, SECOND]},
        {"statuses": {"first": "resolved", "second": "still_open"}},
        {"statuses": {"second": "resolved"}},
    )
    alpha, beta = titled("alpha", "beta")

    right = scored(
        case,
        pushed(alpha, beta),
        pushed(statuses={alpha.id: "fixed", beta.id: "open"}),
        pushed(statuses={alpha.id: "fixed", beta.id: "fixed"}),
    )
    wrong = scored(case, pushed(alpha, beta), pushed(statuses={alpha.id: "open"}), failed="it broke")
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
        (Counts(pull_requests=2, posted=4, true=3, false=1, missed=3), {"precision": 0.75, "recall": 0.5, "f1": 0.6}),
        (Counts(pull_requests=2, posted=4, true=3, false=1), {"comments": 2, "noise": 0.5, "recall": 1}),
        (Counts(pull_requests=1, missed=2), {"precision": None, "recall": 0, "f1": 0, "noise": 0}),
        (Counts(pull_requests=3, clean=3, silent=2, posted=1, false=1), {"silence": 2 / 3, "precision": 0, "f1": 0}),
        (Counts(pull_requests=4, priced=2, cost_usd=1, seconds=6), {"cost_usd": 0.5, "seconds": 1.5}),
        (Counts(pull_requests=2, requests=9, input_tokens=500), {"requests": 4.5, "input_tokens": 250}),
        (Counts(statuses=4, right_statuses=3), {"statuses": 0.75}),
    ],
)
def test_figures_are_made_of_counts_and_are_none_where_there_is_nothing_to_divide_by(
    counts: Counts, figures: dict[str, float | None]
) -> None:
    """Precision needs posted findings, recall needs expected problems; F1 has its own denominator."""
    assert {name: METRICS[name].of(counts) for name in figures} == pytest.approx(figures)


def test_pull_requests_are_counted_with_their_failures_costs_and_silence(tmp_path: Path) -> None:
    """A failed review of a clean pull request is no silence; one unknown price leaves all of its cost unknown."""
    write_case(tmp_path, "python/readme", CLEAN, {"README.md": "# Other\n"})
    [clean] = read_cases(tmp_path)

    silent, noisy, failed = (
        counts_of(scored(clean, *pushes, failed=why))
        for pushes, why in [
            ([pushed(cost_usd=0.25, seconds=2)], None),
            ([pushed(*titled("x")), pushed(cost_usd=0.5)], None),
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
        reviewed(case.slug, pushed(a_finding())),
        reviewed(case.slug, pushed(a_finding(title="Tests are missing", explanation="Write some.")), repeat=2),
        reviewed("python/other", pushed(a_finding())),
    )

    found = score_run([case], run, RuleJudge())

    assert {slug: (one.pull_requests, one.true, one.false, one.missed) for slug, one in by_case(found).items()} == {
        "python/case": (2, 1, 1, 3)
    }
    assert found[0].hits[0].expected.mechanism == ADDED


def test_an_accepted_problem_is_right_if_posted_and_no_miss_if_not(tmp_path: Path) -> None:
    """It counts for precision only; posted twice it is a duplicate, and an expected problem goes first."""
    case = a_case(tmp_path, {"expected": [FIRST], "accepted": [SECOND]})

    both = counts_of(scored(case, pushed(*titled("alpha"), *titled("beta", line=6))))
    none = counts_of(scored(case, pushed()))
    twice = scored(case, pushed(*titled("beta", "beta again", line=6)))
    either = scored(case, pushed(*titled("alpha beta")))

    assert (both.true, both.accepted, both.false, both.missed) == (1, 1, 0, 0)
    assert (none.true, none.accepted, none.missed) == (0, 0, 1)
    assert ([one.kind for one in twice.false], len(twice.accepted), len(twice.misses)) == (["duplicate"], 1, 1)
    assert ([hit.expected.id for hit in either.hits], either.accepted) == (["first"], ())
    assert METRICS["precision"].of(Counts(true=1, accepted=1, false=2, missed=1)) == 0.5
    assert METRICS["recall"].of(Counts(true=1, accepted=1, false=2, missed=1)) == 0.5
    assert METRICS["f1"].of(Counts(true=1, accepted=1, false=2, missed=1)) == 0.5


def test_a_problem_may_be_posted_at_its_other_places_too(tmp_path: Path) -> None:
    """Another file may have the cause, and this one the effect."""
    elsewhere = {"path": "README.md", "lines": [1, 1]}
    case = a_case(tmp_path, {"expected": [{**FIRST, "also": [elsewhere]}]})

    there = scored(case, pushed(*titled("alpha", path="README.md", line=1)))
    nowhere = scored(case, pushed(*titled("alpha", path="setup.py", line=1)))

    assert (len(there.hits), there.false) == (1, ())
    assert (len(nowhere.misses), len(nowhere.false)) == (1, 1)


def test_reported_findings_are_compared_with_posted_findings(tmp_path: Path) -> None:
    """The labels of recorded findings decide: each problem counts once, an honest remark neither way."""
    case = a_case(tmp_path, {"expected": [FIRST, SECOND]})
    reported = [
        ReportedFinding(title=title, path="shop/orders.py", label=label, expects=expects, fate=fate, posted=was_posted)  # type: ignore[arg-type]
        for title, label, expects, fate, was_posted in [
            ("alpha", True, "first", "kept", True),
            ("alpha too", True, "first", "same-as", False),
            ("honest", True, None, "kept", False),
            ("wrong", False, None, "wrong", True),
        ]
    ]
    found = [scored(case, pushed(*titled("alpha", "wrong"), reported=reported))]

    raw = unfiltered(found)

    assert (raw.posted, raw.true, raw.false, raw.missed) == (4, 1, 2, 1)
    assert {row.fate: (row.reported, row.posted) for row in fates(found)} == {
        "kept": (2, 1),
        "same-as": (1, 0),
        "wrong": (1, 1),
    }


def test_a_matching_is_as_large_as_possible_and_the_first_keep_their_matches() -> None:
    """An item moves to another option of its own rather than keep a third one without a match."""
    options = {"a": ["x", "y"], "b": ["x"], "c": ["y", "z"], "d": ["x", "y"]}

    assert match(options) == {"a": "y", "b": "x", "c": "z"}
    assert match({"a": ["y", "x"]}) == {"a": "y"}


@pytest.mark.parametrize(
    ("one", "other", "between"), [((1, 3), (2, 9), 0), ((1, 3), (4, 5), 1), ((9, 9), (2, 4), 5), ((2, 2), (2, 2), 0)]
)
def test_the_distance_of_two_ranges_is_between_their_nearest_lines(
    one: tuple[int, int], other: tuple[int, int], between: int
) -> None:
    """Neighbours are one line apart, overlapping ranges none; it is the same from both sides."""
    assert distance(one, other) == distance(other, one) == between
