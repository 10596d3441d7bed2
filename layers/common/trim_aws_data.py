"""Cuts botocore's data down to what clients of some services read: `trim_aws_data.py FOLDER SERVICE …`.

The descriptions of the services lose their documentation, and the list of endpoints all other services: every cold
start reads what is left. Run while the layer is built.
"""

import gzip
import json
import shutil
import sys
from pathlib import Path
from typing import Any


def without_documentation(value: Any) -> Any:
    """The same without the texts for people; a member that has this name is no text."""
    match value:
        case dict():
            return {
                name: without_documentation(each)
                for name, each in value.items()
                if not (name == "documentation" and isinstance(each, str))
            }
        case list():
            return [without_documentation(each) for each in value]
    return value


def trim(data: Path, services: list[str]) -> None:
    """Cut the folder down, and keep the form of its files."""
    for folder in data.iterdir():
        if folder.is_dir() and folder.name not in services:
            shutil.rmtree(folder)
    for name in ("examples-1.json*", "waiters-*.json*"):
        for file in data.rglob(name):
            file.unlink()
    for file in data.rglob("service-2.json.gz"):
        described = without_documentation(json.loads(gzip.decompress(file.read_bytes())))
        file.write_bytes(gzip.compress(_compact(described), mtime=0))
    endpoints = json.loads((data / "endpoints.json").read_bytes())
    for partition in endpoints["partitions"]:
        partition["services"] = {name: each for name, each in partition["services"].items() if name in services}
    (data / "endpoints.json").write_bytes(_compact(endpoints))


def _compact(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


if __name__ == "__main__":
    trim(Path(sys.argv[1]), sys.argv[2:])
