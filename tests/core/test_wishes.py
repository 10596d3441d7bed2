"""The maintainers' wishes for reviewers and the judge: instructions for paths, and the language."""

from kodiai.core.config.read import read_config
from tests.core.examining import CRASH, Desk, desk, judged
from tests.core.panel import reporting


def asking(settings: str) -> Desk:
    """A small change of src/app.py with one finding, read by two and judged, under these settings."""
    scene = desk({"behavior": [reporting(CRASH)], "judge": [judged({})]})
    scene.config = read_config(f"review: {settings}".encode())
    assert scene.config.problems == ()
    return scene


def test_without_the_keys_the_prompts_are_as_they_were() -> None:
    """Not a byte is added, so recorded answers and cached prefixes stay."""
    plain, other = asking("{}"), asking("{instructions: [{paths: [docs/], text: No.}], drafts: true}")

    plain.examine()
    other.examine()

    assert [each.messages for each in plain.panel.asked] == [each.messages for each in other.panel.asked]
    assert not any(
        "What the maintainers ask" in repr(each) or "# The language" in repr(each) for each in plain.panel.asked
    )
