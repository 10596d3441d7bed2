"""Write the description of the HTTP API to docs/openapi.json; a test holds it to the routes."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "docs" / "openapi.json"


def description_text() -> str:
    """Generate the description from the routes, as the file has it."""
    os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")
    for folder in ("layers/common", "functions/proposals"):
        if str(ROOT / folder) not in sys.path:
            sys.path.insert(0, str(ROOT / folder))
    from api_description import description  # noqa: PLC0415 - it is found only now

    return description()


if __name__ == "__main__":
    FILE.write_text(description_text(), encoding="utf-8")
