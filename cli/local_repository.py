"""What a local repository is on the GitHub stand-in: its name, and the settings that its reviews go by."""

import re
from pathlib import Path
from typing import Any

import yaml

from local.github import GitHubStandIn

CONFIG_PATH = ".kodiai.yml"


def full_name(repository: Path) -> str:
    """Call the local repository by its folder's name, as GitHub would."""
    name = re.sub(r"[^A-Za-z0-9._-]", "-", repository.resolve().name.removesuffix(".git")).strip(".")
    return f"local/{name or 'repository'}"


def base_files(config: Path | None, github: GitHubStandIn, head: str, base: str | None) -> dict[str, bytes]:
    """The settings to go by: those of the file that is given, else those of the base with a review on every push.

    Raises OSError.
    """
    if config is not None:
        return {CONFIG_PATH: config.read_bytes()}
    return {CONFIG_PATH: _on_every_push(github.file_at_base(head, base, CONFIG_PATH) or b"")}


def _on_every_push(content: bytes) -> bytes:
    """Turn `onSynchronize` on; a file that is not as it should be is left as it is, for the review to complain of."""
    try:
        settings: Any = yaml.safe_load(content) or {}
        triggers = settings.setdefault("review", {}).setdefault("triggers", {})
        triggers["onSynchronize"] = True
    except (yaml.YAMLError, AttributeError, TypeError):
        return content
    return yaml.safe_dump(settings, sort_keys=False).encode()
