"""Write the JSON Schema of `.kodiai.yml` to kodiai.schema.json, for editors; a test holds it to the model."""

import json
from pathlib import Path
from typing import Any

from kodiai.core.config.keys import SettingsFile

FILE = Path(__file__).parent.parent / "kodiai.schema.json"


def schema_text() -> str:
    """Generate the schema from the model, as the file has it."""
    schema = _plain(SettingsFile.model_json_schema(by_alias=True))
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": ".kodiai.yml"}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _plain(node: Any) -> Any:
    """Leave out titles and defaults that repeat what is there, and null: a key without a value is an error."""
    if isinstance(node, list):
        return [_plain(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {name: _plain(value) for name, value in node.items() if not _generated(name, value)}
    if "anyOf" in kept:
        options = [option for option in kept.pop("anyOf") if option != {"type": "null"}]
        kept = {**(options[0] if len(options) == 1 else {"anyOf": options}), **kept}
    return kept


def _generated(name: str, value: Any) -> bool:
    return (name == "title" and isinstance(value, str)) or (name == "default" and isinstance(value, dict | None))


if __name__ == "__main__":
    FILE.write_text(schema_text(), encoding="utf-8")
