"""Write what is kept of the descriptions and examples in npm's packages of GitHub, with their licenses.

`make world` installs the newest versions into requirements/world, and runs this.
What the files hold already is what is taken from the new ones. A REST operation is added with the table of routes;
a webhook by its name, with `{}` for its content; a GraphQL type or field by its definition. Examples are all kept.
"""

import json
import lzma
import shutil
from collections import defaultdict
from pathlib import Path
from typing import Any

from local.github.description import FOLDER
from local.github.prune import prune_graphql, prune_openapi, without_long_texts, written

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ROOT / "requirements" / "world" / "node_modules" / "@octokit"
EXAMPLES = ROOT / "tests" / "data" / "webhooks" / "examples.json.xz"


def main() -> None:
    """Write the files."""
    whole = json.loads((PACKAGES / "openapi" / "generated" / "api.github.com.json").read_text())
    rest, schema = FOLDER / "rest-and-webhooks.json", FOLDER / "schema.graphql"
    rest.write_text(written(prune_openapi(whole, list(json.loads(rest.read_text())["x-webhooks"]))))
    schema.write_text(prune_graphql((PACKAGES / "graphql-schema" / "schema.graphql").read_text(), schema.read_text()))
    shutil.copyfile(PACKAGES / "openapi" / "LICENSE", FOLDER / "LICENSE-octokit-openapi")
    shutil.copyfile(PACKAGES / "graphql-schema" / "LICENSE.md", FOLDER / "LICENSE-octokit-graphql-schema")
    text = json.dumps(examples(), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    EXAMPLES.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def examples() -> dict[str, list[Any]]:
    """The payloads of each event, of github.com and of the Enterprise Servers; those that are equal once."""
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for file in sorted((PACKAGES / "webhooks-examples").glob("*/index.json")):
        for event in json.loads(file.read_text()):
            found[event["name"]] |= {json.dumps(each): without_long_texts(each) for each in event["examples"]}
    return {name: list(payloads.values()) for name, payloads in found.items()}


if __name__ == "__main__":
    main()
