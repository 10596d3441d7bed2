"""Find the Python versions that this machine has; as a program, print the supported ones apart from our own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

SUPPORTED = ("3.11", "3.12", "3.13")


def find_interpreter(version: str) -> Path | None:
    """Return a working CPython of a version such as "3.13", None where there is none."""
    return next((path for path in _candidates(version) if _is(path, version)), None)


def _candidates(version: str) -> Iterator[Path]:
    """Yield possible interpreters: this one, the PATH's (a shim of pyenv may refuse to run), then pyenv's."""
    yield Path(sys.executable)
    on_path = shutil.which(f"python{version}")
    if on_path:
        yield Path(on_path)
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from sorted(root.glob(f"versions/{version}.*/bin/python{version}"), reverse=True)


def _is(interpreter: Path, version: str) -> bool:
    asked = [str(interpreter), "-c", "import sys, venv; print('{}.{}'.format(*sys.version_info))"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip() == version


def main() -> None:
    """Print one working interpreter for each supported version but the one that runs this."""
    own = "{}.{}".format(*sys.version_info)
    for version in SUPPORTED:
        found = find_interpreter(version) if version != own else None
        if found:
            print(version, found)


if __name__ == "__main__":
    main()
