"""Where a finding's comment is posted: on its own lines, else on its cause, as far as the diff shows them."""

import pytest

from kodiai.core.findings.finding import Cause
from kodiai.core.findings.judgement import Anchor, anchor
from kodiai.core.findings.locate import Located
from tests.builders import a_file, a_finding, added

APP = a_file(patch="@@ -9,4 +9,5 @@ def f():\n zero\n first\n-second\n+total = 0\n+return total\n last")
SETTINGS = added("settings.py", "RETRIES = 0", "DELAY = 1")
FILES = {file.path: file for file in (APP, SETTINGS)}
CAUSE = Cause(path="settings.py", quote="RETRIES = 0")


def located(quote: str, path: str, near: int | None) -> Located | None:  # noqa: ARG001 - as the real one is called
    """The second line of its file is where every quote stands, but for what stands nowhere."""
    return Located(path, 2, 2, quote) if quote != "nowhere" else None


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((11, 12), Anchor("src/app.py", 11, 12)),
        ((5, 10), Anchor("src/app.py", 9, 10)),
        ((12, 90), Anchor("src/app.py", 12, 13)),
        ((40, 41), None),
    ],
)
def test_a_finding_is_anchored_at_its_own_lines(lines: tuple[int, int], expected: Anchor | None) -> None:
    """As far as one hunk shows them."""
    finding = a_finding(start_line=lines[0], end_line=lines[1])

    assert anchor(finding, FILES, located) == expected


def test_a_finding_outside_the_diff_is_anchored_at_its_cause() -> None:
    """The author reads it on the line that they changed; its own lines come first where they are shown."""
    elsewhere = a_finding(path="src/other.py", cause=CAUSE)
    here = a_finding(cause=CAUSE)

    assert anchor(elsewhere, FILES, located) == Anchor("settings.py", 2, 2)
    assert anchor(here, FILES, located) == Anchor("src/app.py", 12, 12)


@pytest.mark.parametrize("cause", [None, Cause(path="settings.py", quote="nowhere"), Cause(path="gone.py", quote="x")])
def test_what_the_diff_shows_nothing_of_has_no_anchor(cause: Cause | None) -> None:
    """Neither its lines nor its cause."""
    assert anchor(a_finding(path="src/other.py", cause=cause), FILES, located) is None


def test_an_anchor_knows_whether_it_is_where_the_finding_is() -> None:
    """Exactly, or with a line in common."""
    finding = a_finding(start_line=10, end_line=12)

    assert Anchor("src/app.py", 10, 12).is_at(finding)
    assert not Anchor("src/app.py", 10, 11).is_at(finding)
    assert Anchor("src/app.py", 12, 20).overlaps(finding)
    assert not Anchor("src/app.py", 13, 20).overlaps(finding)
    assert not Anchor("src/b.py", 10, 12).overlaps(finding)
