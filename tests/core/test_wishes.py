"""What the maintainers ask of reviewers and the judge: instructions for paths, and the language."""

import json

import pytest

from kodiai.core.config.read import read_config
from kodiai.prompts.load import load
from tests.core.examining import CRASH, Desk, desk, judged, rows
from tests.core.panel import is_extract, prose

INSTRUCTED = "Instructions for these files"
PLACE = f'what is listed under "{INSTRUCTED}"'


def asking(settings: str) -> Desk:
    """A small change of src/app.py with one finding, read by two and judged, under these settings."""
    scene = desk({"correctness": [prose(CRASH)], "judge": [judged({})]})
    scene.config = read_config(f"review: {settings}".encode())
    assert scene.config.problems == ()
    return scene


def test_instructions_for_a_batch_are_shown_to_everybody_who_reads_it() -> None:
    """With the patterns and the files that they are for; an instruction for other files is not shown.

    They belong to the material, which is the same for all; only its end, the part, says what they are.
    """
    scene = asking("{instructions: [{paths: [src/, '*.sql'], text: Check the rights.}, {paths: [docs/], text: No.}]}")

    scene.examine()

    for name in ("correctness", "security", "judge"):
        shown = scene.panel.shown_to(name)
        assert rows(shown, INSTRUCTED) == [
            {"paths": ["src/", "*.sql"], "files": ["src/app.py"], "instruction": "Check the rights."}
        ]
        assert load("wishes", where=PLACE).strip() in shown[-1]
    first, second = scene.panel.shown_to("correctness"), scene.panel.shown_to("judge")
    at = next(at for at, text in enumerate(first) if text.startswith(f"# {INSTRUCTED}"))
    assert first[: at + 1] == second[: at + 1]


def test_without_the_keys_the_prompts_are_as_they_were() -> None:
    """Not a byte is added, so recorded answers and cached prefixes stay."""
    plain, other = asking("{}"), asking("{instructions: [{paths: [docs/], text: No.}], drafts: true}")

    plain.examine()
    other.examine()

    assert [each.messages for each in plain.panel.asked] == [each.messages for each in other.panel.asked]
    assert not any(
        "What the maintainers ask" in repr(each) or "# The language" in repr(each) for each in plain.panel.asked
    )


@pytest.mark.parametrize("name", ["correctness", "security", "judge"])
def test_the_language_is_told_to_everybody_who_writes_for_people(name: str) -> None:
    """Last of all, in words that leave what a program reads as it is; the extraction copies and is not told."""
    scene = asking("{language: pt-BR}")

    scene.examine()

    told = load("language", language="pt-BR").strip()
    assert "`pt-BR`" in told
    assert scene.panel.shown_to(name)[-1].endswith(told)
    assert not any(
        "pt-BR" in json.dumps([each.system, repr(each.messages)]) for each in scene.panel.asked if is_extract(each)
    )
