"""What becomes of the reports of a run: what of them is told, and what it rests on."""

import json
from typing import Any

import pytest

from kodiai.core.config import Config, ReviewConfig
from kodiai.core.errors import Overloaded
from tests.builders import a_finding, added
from tests.core.examining import Desk, Panel, prose, said, verdicts

LINES = ["def total(values):", "    result = 0", "    return result + values[0]"]
LINES += [f"x{n} = {n}" for n in range(120)]
LARGE = added("src/app.py", *LINES)
SMALL = added("src/app.py", *LINES[:3])
FILES = {"src/app.py": "\n".join(LINES) + "\n", "src/caller.py": "from app import total\n\ntotal([])\n"}
CRASH = {
    **a_finding(
        start_line=3, quote="    return result + values[0]", title="An empty list raises IndexError"
    ).model_dump(exclude={"pre_existing", "caveat"}),
    "cause": None,
}
SEEN = {"path": "src/caller.py", "quote": "total([])"}


def desk(steps: dict[str, Any], *, small: bool = True, **given: Any) -> Desk:
    return Desk([SMALL if small else LARGE], FILES, Panel(steps), **given)


def told(examined: Any) -> list[str]:
    return [kept.finding.title for kept in examined.judgement.kept]


def reasons(examined: Any) -> list[str]:
    return [dropped.reason for dropped in examined.judgement.dropped]


@pytest.mark.parametrize(
    ("rulings", "attempt", "titles", "reason", "caveat"),
    [
        ([verdicts(SEEN)], 1, ["An empty list raises IndexError"], None, None),
        (
            [verdicts({**SEEN, "valid": {"yes": False, "why": "Nobody passes one."}})],
            1,
            [],
            "a second look rejects it: not valid: Nobody passes one.",
            None,
        ),
        # An invented quote is asked about once more, and counts for nothing.
        (
            [verdicts({"path": "src/caller.py", "quote": "total(None)"}), verdicts(SEEN)],
            1,
            ["An empty list raises IndexError"],
            None,
            None,
        ),
        (
            [verdicts({"path": "src/caller.py", "quote": "total(None)"})],
            1,
            [],
            "a second look rejects it: not valid: no code that is there was quoted to show it",
            None,
        ),
        # No answer at all leaves a grave finding standing, and says so.
        (
            [said("", "refusal")],
            1,
            ["An empty list raises IndexError"],
            None,
            "a second look could not settle it: the model gave no answer (refusal)",
        ),
        (
            ["I am not sure."],
            1,
            ["An empty list raises IndexError"],
            None,
            "a second look could not settle it: the model's answer has no list of verdicts",
        ),
        (
            [Overloaded("no room")],
            5,
            ["An empty list raises IndexError"],
            None,
            "a second look could not settle it: the model was busy",
        ),
    ],
)
def test_what_blocks_is_looked_at_twice(
    rulings: list[Any], attempt: int, titles: list[str], reason: str | None, caveat: str | None
) -> None:
    """One proven no holds it back; what cannot be verified is told with that caveat."""
    examined = desk({"generalist": [prose(CRASH)], "verification": rulings}, attempt=attempt).examine()

    assert told(examined) == titles
    assert reasons(examined) == ([reason] if reason else [])
    assert [kept.finding.caveat for kept in examined.judgement.kept] == ([caveat] if titles else [])
    assert examined.verified == 1


def test_the_second_look_may_find_that_two_are_the_same() -> None:
    """In words that share nothing; the graver one is told. Far apart, or in another file, they stay two."""
    near = {**CRASH, "title": "Nobody thought of Sundays", "explanation": "Then nothing comes in.", "severity": "MAJOR"}
    near |= {"start_line": 2, "end_line": 2, "quote": "    result = 0"}
    far = {**near, "start_line": 60, "end_line": 60, "quote": "x56 = 56", "title": "Fridays are lost"}
    grave = {**CRASH, "severity": "CRITICAL"}
    one = {"path": "src/app.py", "quote": "result = 0"}
    steps = {"correctness": [prose(grave, near, far)]}
    steps["verification"] = [verdicts({**one}, {**one, "same_as": 1}, {**one, "same_as": 1})]

    examined = desk(steps, small=False).examine()

    assert told(examined) == ["An empty list raises IndexError", "Fridays are lost"]
    assert reasons(examined) == ["the second look finds it to be the same as what is said of line 3"]


def test_what_says_the_same_as_something_rejected_has_a_second_look_of_its_own() -> None:
    """The graver wording is wrong, the other one is right: it is not lost with its twin."""
    wrong = {**CRASH, "severity": "CRITICAL", "title": "An empty list empties the ledger with an IndexError"}
    no = {**SEEN, "valid": {"yes": False, "why": "There is no ledger."}}
    steps = {"generalist": [prose(wrong, CRASH)], "verification": [verdicts(no), verdicts(SEEN)]}
    scene = desk(steps)

    examined = scene.examine()

    assert told(examined) == ["An empty list raises IndexError"]
    assert reasons(examined) == ["a second look rejects it: not valid: There is no ledger."]
    assert (scene.panel.times("verification"), examined.verified) == (2, 2)


def test_which_findings_are_looked_at_twice_is_the_repositorys_choice() -> None:
    """Those that block, all, or none; one that does not block and could not be verified is held back."""
    minor = {**CRASH, "severity": "MINOR"}

    def asked(verify: Any, finding: Any, *rulings: Any) -> tuple[int, list[str], list[str]]:
        config = Config(review=ReviewConfig(verify=verify))
        scene = desk({"generalist": [prose(finding)], "verification": list(rulings)}, config=config)
        examined = scene.examine()
        return scene.panel.times("verification"), told(examined), reasons(examined)

    assert asked("none", CRASH) == (0, ["An empty list raises IndexError"], [])
    assert asked("blocking", minor) == (0, ["An empty list raises IndexError"], [])
    assert asked("all", minor, verdicts(SEEN)) == (1, ["An empty list raises IndexError"], [])
    assert asked("all", minor, said("", "refusal"))[1:] == (
        [],
        ["it could not be verified: the model gave no answer (refusal)"],
    )


def test_the_second_look_is_shown_what_is_left_and_no_more_than_eight_at_once() -> None:
    """Each with its number, after the duplicates and what is not grounded are gone."""
    many = [
        {
            **CRASH,
            "title": f"x{n * 10} is wrong",
            "explanation": f"Because of x{n * 10}.",
            "quote": f"x{n * 10} = {n * 10}",
            "start_line": 4 + n * 10,
            "end_line": 4 + n * 10,
        }
        for n in range(9)
    ]
    steps: dict[str, Any] = {"correctness": [prose(*many, {**CRASH, "quote": "nowhere()"})]}
    steps["verification"] = [verdicts(*[SEEN] * 8), verdicts(SEEN)]

    examined = desk(steps, small=False).examine()
    scene = desk(steps, small=False)
    scene.examine()

    assert len(told(examined)) == 9
    shown = [scene.panel.shown_to("verification", nth)[-2].split("\n")[2:] for nth in (0, 1)]
    assert [len(rows) for rows in shown] == [8, 1]
    assert [json.loads(rows[0])["number"] for rows in shown] == [1, 1]
    assert "nowhere()" not in "".join(map("".join, shown))
