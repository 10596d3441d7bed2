"""docs/configuration.md has every key and every parameter, with the defaults that they have."""

import json
import re
from types import NoneType
from typing import Any, get_args

import yaml

from kodiai.core.config.read import KEYS, Path, read_config
from kodiai.core.config.settings import DeploymentSettings, SweepSettings, WebhookSettings
from scripts.config_docs import PAGE, page_text
from tests.tables import each_row

TEXT = PAGE.read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in TEXT.splitlines() if line.startswith("| ")]
OF_KEYS = {row[0].strip("*`"): row for row in ROWS if re.match(r"[*`]+[a-z]+\.", row[0]) and len(row) == 5}


def _words(default: Any) -> set[str]:
    if default is None:
        return {"all", "everybody", "no limit", "by visibility", "English"}
    return {"none"} if default == () else {f"`{default if isinstance(default, str) else json.dumps(default)}`"}


def test_every_key_is_in_the_table_with_its_default_and_whether_it_restricts() -> None:
    """A person looks here before they look at a schema."""
    keys = {".".join(path): key for path, key in KEYS.items()}

    assert OF_KEYS.keys() == keys.keys()
    assert [name for name, key in keys.items() if OF_KEYS[name][0].startswith("**") != bool(key.restricts)] == []
    assert [name for name, key in keys.items() if OF_KEYS[name][2] not in _words(key.default)] == []


def test_the_table_of_keys_is_that_of_the_models() -> None:
    """Run `python -m scripts.config_docs` after a change of the keys."""
    assert page_text(TEXT) == TEXT


@each_row("path", KEYS)
def test_the_example_of_a_key_is_another_valid_value(path: Path) -> None:
    """A person who copies it gets no complaint, and sees that it has an effect."""
    value = yaml.safe_load(OF_KEYS[".".join(path)][3].strip("`"))
    for name in reversed(path):
        value = {name: value}

    config = read_config(yaml.safe_dump(value).encode())

    assert (config.problems, config.refusal) == ((), None)
    assert config != read_config(None)


def test_every_number_and_every_list_has_a_unit() -> None:
    """A number without one is a riddle."""
    values = {name: row[1] for name, row in OF_KEYS.items()}

    assert [name for name, text in values.items() if re.fullmatch(r"[\d,]+ to [\d,]+|list of|.*\(\)", text)] == []


def test_every_parameter_is_in_the_table() -> None:
    """And none that we do not read."""
    kinds = [get_args(field.annotation) or (field.annotation,) for field in DeploymentSettings.model_fields.values()]
    groups = [WebhookSettings, SweepSettings, *(kind for of in kinds for kind in of if kind is not NoneType)]
    read = {field.alias for group in groups for field in group.model_fields.values()}

    assert {row[0].strip("`") for row in ROWS if re.match(r"`[a-z]+/", row[0]) and len(row) == 4} == read
