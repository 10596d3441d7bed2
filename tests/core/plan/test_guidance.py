"""The guidance of the base branch: whole sections, each of them once."""

from collections import Counter

from kodiai.core.github.pull_request import Guidance
from kodiai.core.plan.guidance import ShownGuidance, shown_guidance
from kodiai.core.plan.material import Material
from kodiai.core.plan.plan import Batch, ReviewPlan
from tests.builders import a_scope
from tests.core.review_inputs import loaded
from tests.tables import each_row

LONG = "Functions are short.\n" * 300  # 6,300 characters


@each_row(
    ("case", "files", "shown", "named"),
    [
        ("as it is", {"AGENTS.md": "# A\r\nBe kind.\n"}, {"AGENTS.md": "# A\nBe kind."}, []),
        ("the same text", {"AGENTS.md": "Be kind.\n", "CLAUDE.md": "Be  kind."}, {"AGENTS.md": "Be kind."}, []),
        ("a link", {"AGENTS.md": "Be kind.\n", "CLAUDE.md": "AGENTS.md"}, {"AGENTS.md": "Be kind."}, []),
        ("an import", {"CLAUDE.md": "@./AGENTS.md\n", "AGENTS.md": "Be kind.\n"}, {"AGENTS.md": "Be kind."}, []),
        (
            "the same section",
            {"AGENTS.md": "# A\nBe kind.\n", "CLAUDE.md": "Ask.\n\n# A\n\nBe kind.\n# B\nGo.\n"},
            {"AGENTS.md": "# A\nBe kind.", "CLAUDE.md": "Ask.\n\n# B\nGo."},
            [],
        ),
        (
            "no heading in code",
            {"AGENTS.md": f"Run:\n```\n# make\n{LONG}{LONG}```\n"},
            {"AGENTS.md": ""},
            ["AGENTS.md"],
        ),
        (
            "without what does not fit",
            {"AGENTS.md": f"A\n=\n{LONG}## B *b*\n{LONG}## C\nBe kind.\n"},
            {"AGENTS.md": f"A\n=\n{LONG}## C\nBe kind."},
            ["B *b*"],
        ),
        (
            "in the order of files",
            {"AGENTS.md": LONG, "CONTRIBUTING.md": f"# A\n{LONG}"},
            {"AGENTS.md": LONG[:-1], "CONTRIBUTING.md": ""},
            ["A"],
        ),
        (
            "with room of its own for reviewers",
            {"REVIEW.md": LONG, "AGENTS.md": f"# A\n{LONG}"},
            {"REVIEW.md": LONG[:-1], "AGENTS.md": f"# A\n{LONG[:-1]}"},
            [],
        ),
    ],
)
def test_guidance_is_shown_by_whole_sections(
    case: str, files: dict[str, str], shown: dict[str, str], named: list[str]
) -> None:
    """Half a section is another rule; what does not fit is named."""
    left_out: Counter[str] = Counter()

    rows = [each.row for each in shown_guidance(([Guidance(*each)] for each in files.items()), left_out)]

    titles = [title for row in rows for title in row.get("sections_left_out", ())]
    texts = {str(row["path"]): row["text"].strip() for row in rows}
    assert (texts, titles) == (shown, named), case
    assert sum(left_out.values()) == len(titles)


def test_the_first_three_sections_without_room_are_named() -> None:
    """A reader of the review sees them, and how many there are."""
    left_out: Counter[str] = Counter()
    text = LONG + "".join(f"# Part {at}\n{LONG}" for at in range(5))

    shown_guidance([[Guidance("AGENTS.md", text)]], left_out)

    assert left_out == {"sections of AGENTS.md over 8,000 characters (Part 0, Part 1, Part 2, …)": 5}


def test_the_batch_that_was_shown_least_of_a_file_counts() -> None:
    """A section that one reader did not see does not count as read."""
    shown = [
        [ShownGuidance("AGENTS.md", "A", 2), ShownGuidance("api/AGENTS.md", "B", 1)],
        [ShownGuidance("AGENTS.md", "A", 1, ["Second"])],
    ]
    batches = tuple(
        Batch((), ("generalist",), Material((), (), Counter(), guidance=each), again=False) for each in shown
    )

    plan = ReviewPlan(loaded([], is_first=True), {}, a_scope(), batches=batches)

    assert plan.guidance == {"AGENTS.md": (1, 2), "api/AGENTS.md": (1, 1)}
