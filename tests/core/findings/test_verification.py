"""What a second look says of a finding, held against the code."""

from collections.abc import Mapping

import pytest

from kodiai.core.findings.verification import CRITERIA, VERIFIED, Verdict, Verification, unproven, verification
from tests.builders import a_finding

FILES = {"src/app.py": ["def total(values):", "    return total"], "src/caller.py": ["total([])"]}
FINDING = a_finding(start_line=2)
THERE, ELSEWHERE, INVENTED = (
    {"path": "src/app.py", "quote": "return total"},
    {"path": "src/caller.py", "quote": "total( [] )"},
    {"path": "src/app.py", "quote": "return sum(values)"},
)


def verdict(**rulings: Mapping[str, object]) -> Verdict:
    """Yes four times, proven, but for what is given."""
    whole = {name: {"yes": True, **THERE, "why": "I looked.", **rulings.get(name, {})} for name in CRITERIA}
    return Verdict.model_validate({"number": 1, **whole})


@pytest.mark.parametrize(
    ("rulings", "expected"),
    [
        ({}, VERIFIED),
        ({"valid": ELSEWHERE}, VERIFIED),
        ({"valid": {"path": ""}}, VERIFIED),  # without a path it is the finding's own
        (
            {"valid": {"yes": False, **ELSEWHERE, "why": "Nobody passes an empty list."}},
            Verification("rejected", "not valid: Nobody passes an empty list."),
        ),
        ({"valuable": {"yes": False, "why": " "}}, Verification("rejected", "not valuable")),
        (
            {"specific": INVENTED},
            Verification("rejected", "not specific: no code that is there was quoted to show it"),
        ),
        (
            {"valid": {"quote": "()"}},
            Verification("rejected", "not valid: no code that is there was quoted to show it"),
        ),
        (
            {"actionable": {"yes": False, **INVENTED, "why": "Nothing can be done."}},
            Verification("unverified", "what was quoted against it is not in the code"),
        ),
        (
            {"valid": {"yes": False, **INVENTED}, "valuable": {"yes": False, "why": "Nobody cares."}},
            Verification("rejected", "not valuable: Nobody cares."),
        ),
    ],
)
def test_an_answer_counts_only_with_a_line_that_stands_in_the_code(
    rulings: dict[str, dict[str, object]], expected: Verification
) -> None:
    """One proven no rejects; a yes without a proof is none; a no without one decides nothing."""
    assert verification(verdict(**rulings), FINDING, FILES.get) == expected


def test_it_is_said_which_answers_have_no_proof() -> None:
    """So that they can be asked for once more: an invented line, a file that is not there, no quote at all."""
    poor = verdict(valid=INVENTED, actionable={"path": "src/nowhere.py"}, specific={"quote": ""})

    assert unproven(poor, FINDING, FILES.get) == ("valid", "actionable", "specific")
    assert unproven(verdict(), FINDING, FILES.get) == ()
