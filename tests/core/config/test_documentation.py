"""docs/configuration.md has every key and every parameter, with the defaults that they have."""

import json
import re
from pathlib import Path
from typing import Any

from kodiai.core.config.read import KEYS
from kodiai.core.settings import (
    AnthropicSettings,
    EmbeddingSettings,
    GitHubSettings,
    Limits,
    Models,
    RepositoryLists,
    SpendingCaps,
    WebhookSettings,
)

PAGE = (Path(__file__).parents[3] / "docs" / "configuration.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("| ")]


def _words(default: Any) -> set[str]:
    if default is None:
        return {"all", "everybody", "no limit", "by visibility"}
    return {"none"} if default == () else {f"`{default if isinstance(default, str) else json.dumps(default)}`"}


def test_every_key_is_in_the_table_with_its_default_and_whether_it_restricts() -> None:
    """A person looks here before they look at a schema."""
    rows = {row[0].strip("*`"): row for row in ROWS if re.match(r"[*`]+[a-z]+\.", row[0]) and len(row) == 4}
    keys = {".".join(path): key for path, key in KEYS.items()}

    assert rows.keys() == keys.keys()
    assert [name for name, key in keys.items() if rows[name][0].startswith("**") != bool(key.restricts)] == []
    assert [name for name, key in keys.items() if rows[name][2] not in _words(key.default)] == []


def test_every_parameter_is_in_the_table() -> None:
    """And none that we do not read."""
    groups = (
        WebhookSettings,
        GitHubSettings,
        AnthropicSettings,
        Models,
        EmbeddingSettings,
        Limits,
        SpendingCaps,
        RepositoryLists,
    )
    read = {field.alias for group in groups for field in group.model_fields.values()}

    assert {row[0].strip("`") for row in ROWS if re.match(r"`[a-z]+/", row[0]) and len(row) == 4} == read
