"""The judge of very many candidates: what it is shown of what it kept before does not grow with them."""

from tests.core.examining import CRASH, desk, judged, rows
from tests.core.panel import reporting, said, told


def test_the_fourth_group_is_shown_forty_of_the_sixty_that_are_kept_and_may_name_no_other() -> None:
    """The answer says at once that a number was not shown; a finding that stays so stands, not verified."""
    lines = [{"start_line": 4 + n, "end_line": 4 + n, "quote": f"x{n} = {n}", "title": f"Case {n}"} for n in range(80)]
    kept = [
        judged(*({"number": n, "severity": "MINOR"} for n in range(first, first + 20))) for first in range(1, 61, 20)
    ]
    last = judged(
        {"number": 61, "fate": "same-as", "same_as": 60},
        {"number": 62, "fate": "same-as", "same_as": 1},
        *({"number": n, "severity": "MINOR"} for n in range(63, 81)),
    )
    reported = [{**CRASH, **line, "severity": "MINOR"} for line in lines]
    scene = desk({"behavior": [reporting(*reported)], "judge": [*kept, last, last]})

    examined = scene.examine()

    shown = scene.panel.shown_to("judge", 3)
    assert [row["number"] for row in rows(shown, "Kept already")] == [*range(21, 61)]
    assert rows(shown, "Kept already, and not listed") == [{"count": 20}]
    assert "same_as names 1, which is no other candidate" in told(scene.panel.to("judge")[4])[1]
    assert rows(scene.panel.shown_to("judge", 2), "Kept already, and not listed") == []
    assert [each.reason for each in examined.suppressed] == ["the same as “An empty list crashes”"]
    assert examined.unjudged == 1


def test_sixty_findings_about_one_line_that_nobody_judges_are_one() -> None:
    """The same code in the same category, over all groups of candidates; another category is another finding."""
    reported = [{**CRASH, "title": f"Case {number}"} for number in range(60)]
    slow = {**CRASH, "title": "It is slow", "category": "performance", "severity": "MEDIUM"}
    scene = desk({"behavior": [reporting(*reported, slow)], "judge": [said("", "refusal")]})

    examined = scene.examine()

    assert [each.finding.title for each in examined.kept] == ["Case 0", "It is slow"]
    assert sum(each.inline for each in examined.kept) == 1
    assert {each.reason for each in examined.suppressed} == {"the same code as “Case 0”"}
