"""Strengths name the line that shows them, and lead there."""

from kodiai.core.words.strength import strength
from tests.builders import LINKS
from tests.tables import each_row

LINES = {"src/app.py": 20, "10": 99}
APP = LINKS.code("src/app.py", 12, 12)


def has_line(path: str, line: int) -> bool:
    return path != "10" and line <= LINES.get(path, 0)


@each_row(
    ("text", "shown"),
    [
        ("`src/app.py:12` handles the empty list.", f"[src/app.py (12)]({APP}) handles the empty list."),
        ("Handled (src/app.py:12), and tested.", f"Handled ([src/app.py (12)]({APP})), and tested."),
        ("At 10:30 it runs src/app.py:12", f"At 10:30 it runs [src/app.py (12)]({APP})"),
        ("See src/app.py:12-14.", f"See [src/app.py (12-14)]({LINKS.code('src/app.py', 12, 14)})."),
        ("Never <b> in src/app.py:12", f"Never &lt;b> in [src/app.py (12)]({APP})"),
        *(
            (text, None)
            for text in ("Short.", "src/app.py:21 is short.", "gone.py:1 is short.", "src/app.py is short.")
        ),
    ],
)
def test_a_strength_leads_to_the_line_that_shows_it(text: str, shown: str | None) -> None:
    """The first place in it that is there; the words around it stay, and do no harm; without one it says nothing."""
    assert strength(text, has_line, LINKS) == shown
