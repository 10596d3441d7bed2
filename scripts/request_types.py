"""Write the types of requests, as Anthropic's own SDK has them, to local/model/request_types.json.

A test holds the file to the SDK; run this after a change of its version.
"""

import json
from pathlib import Path
from typing import Any

from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from pydantic import TypeAdapter

FILE = Path(__file__).resolve().parent.parent / "local" / "model" / "request_types.json"
PROSE = ("title", "description")


def request_types() -> str:
    """The SDK's type of a request that is not streamed as a JSON schema, with a line for each definition in it."""
    schema = _closed(TypeAdapter(MessageCreateParamsNonStreaming).json_schema())
    definitions = ",\n".join(f'"{name}":{_compact(each)}' for name, each in schema.pop("$defs").items())
    return f'{_compact(schema)[:-1]},\n"$defs":{{\n{definitions}\n}}}}\n'


def _closed(node: Any) -> Any:
    """The schema without its prose, in which every object has no more fields than it names."""
    if isinstance(node, list):
        return [_closed(each) for each in node]
    if not isinstance(node, dict):
        return node
    closed = {name: _closed(each) for name, each in node.items() if name not in PROSE or isinstance(each, dict)}
    if "enum" in node:
        closed["enum"] = sorted(node["enum"])  # their order depends on what else is imported
    if node.get("type") == "object" and "properties" in node and node.get("title") != "InputSchemaTyped":
        closed["additionalProperties"] = False
    return closed


def _compact(node: Any) -> str:
    return json.dumps(node, separators=(",", ":"), sort_keys=True)


if __name__ == "__main__":
    FILE.write_text(request_types(), encoding="utf-8")
