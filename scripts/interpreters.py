"""Print the other Python versions that we support and this machine has, one interpreter a line."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

SUPPORTED = ("3.11", "3.12", "3.13")


def _candidates(version: str) -> Iterator[Path]:
    """Where an interpreter may be: on the PATH, or among pyenv's, whose shims on the PATH may refuse to run."""
    on_path = shutil.which(f"python{version}")
    if on_path:
        yield Path(on_path)
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from sorted(root.glob(f"versions/{version}.*/bin/python{version}"), reverse=True)


def _runs(interpreter: Path) -> bool:
    return subprocess.run([interpreter, "-c", "import venv"], capture_output=True, check=False).returncode == 0


def main() -> None:
    """Print one working interpreter for each supported version but the one that runs this."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    for version in SUPPORTED:
        found = next((path for path in _candidates(version) if version != own and _runs(path)), None)
        if found:
            print(version, found)


if __name__ == "__main__":
    main()
