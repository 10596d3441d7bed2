"""The examples of docs/rules.md can be pasted as they are."""

from pathlib import Path

import yaml
from markdown_it import MarkdownIt

from kodiai.core.changes.team_ruling import MOST_CRITERIA
from kodiai.core.config.read import read_config

PAGE = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
BLOCKS = [token.content for token in MarkdownIt().parse(PAGE) if token.type == "fence"]
EXAMPLES = PAGE.partition("\n## Twelve rules that teams use\n")[2]


def test_every_block_is_settings_without_a_problem() -> None:
    """Each alone: a team pastes the rule that it wants, and a bad one would stop its reviews."""
    found = {block: read_config(block.encode()) for block in BLOCKS}

    assert {
        block: (*each.problems, each.refusal) for block, each in found.items() if each.problems or each.refusal
    } == {}
    assert all(yaml.safe_load(block)["review"].keys() <= {"rules", "check", "linkedIssue"} for block in BLOCKS)


def test_there_are_twelve_examples_each_with_its_reason_and_its_exception() -> None:
    """Their ids differ, so that all can be pasted into one file."""
    examples = EXAMPLES.split("\n### ")[1:]
    rules = [yaml.safe_load(block)["review"]["rules"] for block in BLOCKS if block in EXAMPLES]

    assert len({rule["id"] for [rule] in rules}) == len(examples) == 12
    assert [each for each in examples if "Not applicable" not in each.partition("```")[0]] == []


def test_the_limits_are_those_of_the_settings() -> None:
    """One more is a problem, and so is one character more."""

    def problems(rules: int, characters: int) -> object:
        entries = [{"id": f"rule-{at}", "text": "x" * characters} for at in range(rules)]
        return read_config(yaml.safe_dump({"review": {"rules": entries}}).encode()).refusal

    assert (problems(20, 400), MOST_CRITERIA) == (None, 8)
    assert None not in (problems(21, 400), problems(1, 401))
    assert all(said in PAGE for said in ("at most 20 rules", "at most 400 characters", "at most eight criteria"))
