"""Write the table of keys in docs/configuration.md from the models; a test holds the page to them."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kodiai.core.config.keys import SettingsFile
from kodiai.core.config.read import KEYS

PAGE = Path(__file__).parent.parent / "docs" / "configuration.md"
_BEGIN = "<!-- The table of keys, written by scripts/config_docs.py from core/config/keys.py -->"
_END = "<!-- The end of the table -->"


def page_text(page: str) -> str:
    """The page with the table as the models have it."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n\n{key_table()}\n\n{_END}{after}"


def key_table() -> str:
    """A row for each key: its values with their unit, default, example and meaning."""
    rows = ["| Key | Values | Default | Example | Meaning |", "|---|---|---|---|---|", *_rows()]
    return "\n".join(rows)


def _rows() -> Iterator[str]:
    schema = SettingsFile.model_json_schema(by_alias=True)
    for path, key in KEYS.items():
        facts = _facts(schema, path)
        mark = "**" if key.restricts else ""
        cells = [
            f"{mark}`{'.'.join(path)}`{mark}",
            _values(facts),
            _default(facts, key.default),
            f"`{_yaml(facts['examples'][0])}`",
            facts["description"],
        ]
        yield f"| {' | '.join(cells)} |"


def _facts(schema: Mapping[str, Any], path: tuple[str, ...]) -> Mapping[str, Any]:
    """Return the schema of a key; for a nullable key, the schema of its value."""
    node: Mapping[str, Any] = schema
    for name in path:
        node = schema["$defs"][node["$ref"].rpartition("/")[2]] if "$ref" in node else node
        node = node["properties"][name]
    options = [option for option in node.get("anyOf", ()) if option != {"type": "null"}]
    return {**options[0], **node} if len(options) == 1 else node


def _values(facts: Mapping[str, Any]) -> str:
    unit = facts.get("unit", "")
    if "anyOf" in facts and len(facts["anyOf"]) > 1 and {"type": "null"} not in facts["anyOf"]:
        return ", ".join(_values({**option, "unit": unit}) for option in facts["anyOf"])
    if "enum" in facts:
        # Capitals do not matter in some: each word is named once.
        words = [each for each in facts["enum"] if isinstance(each, str)]  # YAML reads `off` as false
        return ", ".join(word for word in words if word.upper() == word or word.upper() not in words)
    match facts["type"]:
        case "boolean":
            return "true, false"
        case "array":
            return f"list of {unit}"
        case "integer" | "number" if "maximum" in facts:
            return f"{facts['minimum']:,} to {facts['maximum']:,}{f' ({unit})' if unit else ''}"
        case "integer" | "number":
            return f"{unit}, from {facts['minimum']:,}"
    return str(unit)


def _default(facts: Mapping[str, Any], default: object) -> str:
    if default is None:
        return str(facts["unset"])
    return "none" if default == () else f"`{_yaml(default)}`"


def _yaml(value: object) -> str:
    """A value as it is written in the file, in one line."""
    match value:
        case str():
            return value if all(each.isalnum() or each in "-_ ./" for each in value) else json.dumps(value)
        case dict():
            return f"{{{', '.join(f'{name}: {_yaml(each)}' for name, each in value.items())}}}"
        case list():
            return f"[{', '.join(map(_yaml, value))}]"
    return json.dumps(value)


if __name__ == "__main__":
    PAGE.write_text(page_text(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
