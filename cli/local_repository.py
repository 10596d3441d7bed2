"""What a local repository is on the GitHub stand-in: its name, and the settings that its reviews go by."""

import re
from pathlib import Path


def full_name(repository: Path) -> str:
    """Call the local repository by its folder's name, as GitHub would."""
    name = re.sub(r"[^A-Za-z0-9._-]", "-", repository.resolve().name.removesuffix(".git")).strip(".")
    return f"local/{name or 'repository'}"


def base_files(config: Path | None) -> dict[str, bytes] | None:
    """The file of settings to go by in place of the base's own, None without one. Raises OSError."""
    return None if config is None else {".kodiai.yml": config.read_bytes()}
