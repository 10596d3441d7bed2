"""The published JSON Schema of `.kodiai.yml`."""

import json
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it ships no types
import pytest
import yaml

from kodiai.core.config.keys import Config, SettingsFile
from kodiai.core.config.read import read_config
from scripts.config_schema import FILE, schema_text
from tests.tables import each_row


@pytest.fixture(scope="module")
def schema() -> Any:
    return json.loads(FILE.read_text(encoding="utf-8"))


def test_the_published_schema_is_that_of_the_model(schema: Any) -> None:
    """Run scripts/config_schema.py after a change of the keys. Problems and refusal are our words, and no keys."""
    assert FILE.read_text(encoding="utf-8") == schema_text()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert set(schema["properties"]) == set(SettingsFile.model_fields)
    assert set(Config.model_fields) - set(SettingsFile.model_fields) == {"problems", "refusal"}


def test_every_key_says_what_it_means(schema: Any) -> None:
    """The description is what an editor shows next to the key."""
    sections = {f"#/$defs/{name}": section for name, section in schema["$defs"].items()}
    keys = [each for section in (schema, *sections.values()) for each in section["properties"].items()]
    said = {name: key.get("description") or sections[key["$ref"]]["description"] for name, key in keys}

    assert len(keys) == 55
    assert [name for name, sentence in said.items() if not sentence.endswith(".")] == []


@each_row(
    "text",
    [
        "{}",
        "review: {enabled: false, skipPaths: [docs/], severity: {minLevel: major}, event: verdict}",
        "budget: {perPullRequest: 0.5}",
        "mention: {allowedUsers: [octocat], conversation: {maxTurnsPerPr: 3}}",
        "review: {bots: true, labels: {only: [], ignore: [wip]}, baseBranches: [main, release/*]}",
        "review: {bots: ['renovate[bot]']}",
        "review: {bots: [1]}",
        "review: {outsiders: never}",
        "review: {outsiders: Always}",
        "review: {outsiders: }",
        "review: {bots: some}",
        "review: {language: pt-BR}",
        "review: {language: klingonese}",
        "review: {instructions: [{paths: [src/], text: Check the rights.}]}",
        "review: {instructions: [{paths: [], text: Check the rights.}]}",
        "review: {instructions: [{paths: [src/]}]}",
        "review: {instructions: [{paths: [src/], text: Hi., more: 1}]}",
        "review: {rules: [{id: no-print, text: Nothing prints., level: error}], linkedIssue: warning}",
        "review: {rules: [{id: issue-1, text: Nothing prints.}]}",
        "review: {rules: [{id: No print, text: Nothing prints.}]}",
        "review: {rules: [{id: no-print, text: Nothing prints., level: fatal}]}",
        "review: {rules: [{id: no-print}]}",
        "review: {linkedIssue: off}",
        "review: {linkedIssue: sometimes}",
        "review: {guidance: [docs/*.md], check: {failOn: rules}}",
        "review: {labels: {only: wip}}",
        "review: {labels: [wip]}",
        "review: {baseBranches: main}",
        "review: {maxComments: many}",
        "review: {maxComments: 101}",
        "review: {severity: {minLevel: Huge}}",
        "review: {event: APPROVE}",
        "review: {skipPaths: docs/}",
        "review: {skipAuthors: ['@octocat']}",
        "budget: {perPullRequest: }",
        "budget: {perPullRequest: -1}",
        "budget: 5",
        "extra: 1",
        "review: {extra: 1}",
        "review: {verify: all}",
    ],
)
def test_an_editor_marks_what_we_would_complain_of(schema: Any, text: str) -> None:
    """The two never contradict each other."""
    config = read_config(text.encode())

    accepted = jsonschema.Draft202012Validator(schema).is_valid(yaml.safe_load(text))

    assert accepted == (config.problems == () and config.refusal is None)
