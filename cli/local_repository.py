"""A local repository on the GitHub stand-in: its name, and the settings of its reviews."""

import re
from pathlib import Path


def full_name(repository: Path) -> str:
    """Name the local repository by its folder, as GitHub would."""
    name = re.sub(r"[^A-Za-z0-9._-]", "-", repository.resolve().name.removesuffix(".git")).strip(".")
    return f"local/{name or 'repository'}"


def base_files(config: Path | None) -> dict[str, bytes] | None:
    """The settings file that replaces the base branch's own, None without one. Raises OSError."""
    return None if config is None else {".kodiai.yml": config.read_bytes()}
