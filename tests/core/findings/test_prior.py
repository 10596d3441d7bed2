"""The findings of earlier reviews are found as if a reported one was compared with each of them."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.findings.finding import Finding
from kodiai.core.findings.identity import (
    PriorFinding,
    has_same_code,
    is_dismissed_near,
    on_same_lines,
    same_by_code,
)
from kodiai.core.findings.prior import PriorFindings
from tests.builders import a_finding, a_known

QUOTES = ["x y", "xy", "x yz", "", "abc def", "defg(h)"]


@st.composite
def findings(draw: st.DrawFn) -> Finding:
    """A finding that has something in common with many others."""
    start = draw(st.integers(1, 9))
    given: dict[str, Any] = {
        "path": draw(st.sampled_from("ab")),
        "title": draw(st.sampled_from(["One", "one!", "Two"])),
        "category": draw(st.sampled_from(["security", "tests"])),
        "quote": draw(st.sampled_from(QUOTES)),
    }
    return a_finding(start_line=start, end_line=start + draw(st.sampled_from([0, 2])), **given)


@st.composite
def earlier(draw: st.DrawFn) -> list[PriorFinding]:
    """Findings of earlier reviews, some of whose code is gone."""
    found = draw(st.lists(findings(), max_size=6))
    lines = [(one.start_line, one.end_line) for one in found]
    status = st.sampled_from(["open", "fixed", "wont_fix"])
    known = [a_known(one, id=f"F-{at}", status=draw(status)) for at, one in enumerate(found)]
    return [PriorFinding(one, draw(st.sampled_from([None, at])), at) for one, at in zip(known, lines, strict=True)]


@given(prior=earlier(), finding=findings())
def test_those_that_a_finding_may_be_are_near(prior: list[PriorFinding], finding: Finding) -> None:
    """In their order, by each way of telling."""
    near = PriorFindings(prior).near(finding)

    for tells in (same_by_code, on_same_lines, has_same_code, is_dismissed_near):
        assert [one for one in near if tells(one, finding)] == [one for one in prior if tells(one, finding)]
