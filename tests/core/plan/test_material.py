"""The beginning of all conversations about a batch: the purpose of the change, and where it is cut."""

import json
from dataclasses import replace
from typing import Any

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.config.keys import Config, Instruction, ReviewConfig
from kodiai.core.github.ci import CiAnnotation, CiCheck, CiResults
from kodiai.core.github.pull_request import LinkedIssue
from kodiai.core.memory.recall import NOTHING_RECALLED
from kodiai.core.plan.material import Material, material
from kodiai.core.repository.surroundings import Surroundings
from kodiai.core.repository.view import RepositoryView
from tests.builders import PARSER, CountedTree, added
from tests.core.review_inputs import PULL_REQUEST, loaded

FILES = [added("a.py", "def one():", "    return two()"), added("b.py", "def two():", "    return 1")]
TREE = {"a.py": "def one():\n    return two()\n", "b.py": "def two():\n    return 1\n", "c.py": "one()\n"}


def shown(files: list[ChangedFile], tree: CountedTree, **standing: Any) -> Material:
    """The material of one batch, of a pull request with this state on GitHub."""
    run = loaded(files)
    config = standing.pop("config", run.config)
    run = replace(run, on_github=replace(run.on_github, **standing), config=config)
    around = Surroundings(RepositoryView(tree, PARSER)).of(files)
    return material(run, files, around, NOTHING_RECALLED, again=False)


def facts(block: Any) -> Any:
    return json.loads(block.text.partition("\n\n")[2])


def test_texts_of_others_are_cut_at_the_end_of_a_sentence_and_counted() -> None:
    """Half a rule is another rule: a paragraph ends there if one does, else a line, else a word; the text says so."""
    standing = {
        "pull_request": replace(PULL_REQUEST, body="word " * 2_000),
        "issues": (LinkedIssue(3, "Slow", "First line of it\n" * 300, "octo/hello"),),
        "commits": ("Stream it\n\n" + "because " * 100,),
    }

    made = shown(FILES, CountedTree(TREE), **standing)

    told = facts(made.blocks[0])
    assert told["description"].endswith("word word\n[cut here]")
    assert told["closes"][0]["text"].endswith("\nFirst line of it\n[cut here]")
    assert facts(made.blocks[-1])["commits"][0].endswith(" because\n[cut here]")
    assert made.left_out == {
        "end of the description after 8,000 characters": 1,
        "end of a linked issue after 3,000 characters": 1,
        "end of a commit message after 500 characters": 1,
    }


def test_annotations_of_checks_are_shown_once_where_the_batch_changes_lines_up_to_their_number() -> None:
    """The rest is counted where there is no room; another run of the checks makes no other question of it."""
    notes = tuple(CiAnnotation("a.py", 2, 2, "", f"Fault {at}.") for at in range(30))
    others = CiAnnotation("b.py", 1, 1, "", "Of another batch."), CiAnnotation("a.py", 9, 9, "", "Not changed.")
    checks = (
        CiCheck("build", "success", is_required=True, annotations=(notes[0], *others)),
        CiCheck("lint", "failure", annotations=notes),
    )

    made = shown(FILES[:1], CountedTree(TREE), ci=CiResults(checks))

    [block] = [each for each in made.blocks if each.text.startswith("# Its checks by other tools\n")]
    rows = [json.loads(line) for line in block.text.split("\n\n")[2].split("\n")]
    assert rows[:3] == [
        {"check": "lint", "result": "failure", "required": False},
        {"check": "build", "result": "success", "required": True},
        {"check": "build", "path": "a.py", "lines": "2", "title": "", "message": "Fault 0."},
    ]
    assert [row["message"] for row in rows[2:]] == [f"Fault {at}." for at in range(20)]
    assert made.left_out == {"annotations of other tools": 10}
    assert block.text in made.not_in_key


def test_instructions_beyond_their_budget_are_cut_where_one_sees_it_and_counted() -> None:
    """In the order of the file: the first ones are whole, one is cut, the rest is left out."""
    texts = [f"Rule {n}. " + "word " * 780 for n in range(5)]
    rules = tuple(Instruction(paths=("*.py",), text=text) for text in texts)

    made = shown(FILES, CountedTree(TREE), config=Config(review=ReviewConfig(instructions=rules)))

    block = next(block.text for block in made.blocks if block.text.startswith("# Instructions for these files\n"))
    rows = [json.loads(line) for line in block.split("\n")[2:]]
    assert [row["instruction"] == text for row, text in zip(rows, texts, strict=False)] == [True, True, True, False]
    assert rows[3]["instruction"].endswith("word\n[cut here]")
    assert {tuple(row["files"]) for row in rows} == {("a.py", "b.py")}
    assert made.left_out == {"path instructions after 12,000 characters": 2}
