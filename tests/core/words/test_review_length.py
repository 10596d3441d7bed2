"""A review that would be too long gives way in steps: GitHub refuses the whole of it for one character."""

from kodiai.core.judge.judgement import SuppressedFinding
from kodiai.core.text.layout import BODY_LIMIT
from kodiai.core.words.review import first_review, re_review
from tests.builders import HEAD, RUN, a_delta, a_finding, a_scope, followed, some_details
from tests.review_form import review_faults

LAST = "0123456789" * 4
MARKER = f"<!-- kodiai:review run={RUN} head={HEAD} -->"


MISSING = "{} left out: this review would have been longer than GitHub takes."


def test_a_review_that_is_too_long_loses_explanations_first_and_then_the_details() -> None:
    """Every finding is still named, and the review says what is missing; suppressed findings matter less."""
    findings = [a_finding(title=f"Concern {number}", explanation="<" * 700) for number in range(50)]
    dropped = [SuppressedFinding(a_finding(title="<" * 80), "below the severity floor MAJOR")] * 200

    long = first_review(a_scope(), a_delta(findings, inline=False), [], some_details())
    longer = first_review(a_scope(), a_delta([a_finding()]), dropped, some_details())

    assert max(len(long), len(longer)) <= BODY_LIMIT
    assert (long.count("&lt;"), long.count("): Concern")) == (0, 50)
    assert f"\n\n{MISSING.format('The explanations were')}\n\n" in long
    assert "<summary>Review Details</summary>" in long
    assert "): The total is read before it is set\n" in longer
    assert longer.endswith(f"\n\n{MISSING.format('The explanations and the details were')}\n\n{MARKER}")
    assert review_faults(long) == review_faults(longer) == []


def test_the_verdict_always_stays() -> None:
    """However many findings there are, and however long the summary is."""
    many = [a_finding(title="<" * 80)] * 200

    body = first_review(a_scope(), a_delta(many), [], some_details())

    assert (
        body
        == f"""\
:red_circle: **Address before merging** · 200 major

<details><summary>Kodiai Review Summary</summary>

## Verdict

:red_circle: **Address before merging** -- 200 MAJOR findings

</details>

The findings and the details were left out: this review would have been longer than GitHub takes.

{MARKER}"""
    )
    assert review_faults(body) == []


def test_a_re_review_is_shortened_in_the_same_steps() -> None:
    """At last it holds nothing but the verdict, and says so."""
    many = [followed(a_finding(title="<" * 80))] * 200
    scope = a_scope(mode="incremental", reason="since-0123456")

    body = re_review(scope, a_delta([a_finding()], *many), [], some_details(), LAST)

    assert (
        body
        == f"""\
:red_circle: **New blockers found** · 1 new · 200 still open

<details><summary>Kodiai Re-Review Summary</summary>

## Re-review -- Changes since 0123456

## Verdict Update

:red_circle: **New blockers found** -- Address 1 new finding and 200 that were open before

</details>

The findings and the details were left out: this review would have been longer than GitHub takes.

{MARKER}"""
    )
    assert review_faults(body) == []
