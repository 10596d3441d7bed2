"""The findings of earlier reviews are found as if a reported one was compared with each of them."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.findings.finding import Finding
from kodiai.core.findings.identity import PriorFinding, has_same_code, on_same_lines, same_by_code
from kodiai.core.findings.prior import PriorFindings
from tests.builders import a_finding, a_known

QUOTES = ["x y", "xy", "x yz", "", "abc def", "abcdefg(h)", "z = abc defg(h)", "defg(h)"]


@st.composite
def findings(draw: st.DrawFn) -> Finding:
    """A finding that has something in common with many others."""
    start = draw(st.integers(1, 9))
    given: dict[str, Any] = {
        "path": draw(st.sampled_from("ab")),
        "title": draw(st.sampled_from(["One", "one!", "Two"])),
        "reported_title": draw(st.sampled_from(["", "Two", "Three"])),
        "category": draw(st.sampled_from(["security", "tests"])),
        "quote": draw(st.sampled_from(QUOTES)),
    }
    return a_finding(start_line=start, end_line=start + draw(st.sampled_from([0, 2])), **given)


@st.composite
def earlier(draw: st.DrawFn) -> list[PriorFinding]:
    """Findings of earlier reviews, some of whose code is gone."""
    found = draw(st.lists(findings(), max_size=6))
    places = [draw(st.sampled_from([None, (one.start_line, one.end_line)])) for one in found]
    status = st.sampled_from(["open", "fixed"])
    known = [a_known(one, id=f"F-{at}", status=draw(status)) for at, one in enumerate(found)]
    return [PriorFinding(one, place) for one, place in zip(known, places, strict=True)]


@given(prior=earlier(), reported=st.lists(findings(), min_size=1, max_size=4))
def test_each_answer_is_that_of_comparing_with_all(prior: list[PriorFinding], reported: list[Finding]) -> None:
    """In the order of the earlier ones, an open one before a closed one where it is presumed to be one of them."""
    found = PriorFindings(prior)

    for finding in reported:
        alike = sorted(
            (one for one in prior if has_same_code(one, finding)), key=lambda one: one.known.status != "open"
        )
        assert found.same(finding) == next((one for one in prior if same_by_code(one, finding)), None)
        assert found.on_same_lines(finding) == tuple(one.id for one in prior if on_same_lines(one, finding))
        assert found.with_same_code(finding) == next(iter(alike), None)
