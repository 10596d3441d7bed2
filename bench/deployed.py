"""The layer and the functions as they are deployed, but for the processor of this machine: built, trimmed, compiled."""

import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from scripts.build import RUNTIME, find_runtime_python, find_uv

ROOT = Path(__file__).resolve().parent.parent
FUNCTIONS = ("ingest", "review", "mention", "proposals")


@dataclass(frozen=True)
class Deployed:
    """A built deployment: its interpreter, of this `version` ("3.13"), and its folders.

    `published` has botocore as it is published.
    """

    python: Path
    version: str
    layer: Path
    functions: dict[str, Path]
    published: Path


def build(folder: Path) -> Deployed:
    """Build everything for the runtime's Python, or for this one where that is missing. Linux only."""
    uv = find_uv()
    python = find_runtime_python(uv)
    version_of_it = RUNTIME if python else "{}.{}".format(*sys.version_info)
    interpreter = Path(python or sys.executable)
    layer = folder / "layer"
    given = {"ARCH": platform.machine(), "VERSION": version_of_it, "UV": uv, "PYTHON": str(interpreter)}
    variables = [f"{name}={value}" for name, value in {**given, "ARTIFACTS_DIR": str(layer)}.items()]
    _run("make", "--silent", "--directory", str(ROOT / "layers" / "common"), "build-CommonLayer", *variables)
    published = folder / "botocore"
    install = (uv, "pip", "install", "--quiet", "--python", str(interpreter), "--target", str(published))
    _run(*install, f"botocore=={version('botocore')}")
    functions = {name: folder / name for name in FUNCTIONS}
    for name, built in functions.items():
        shutil.copytree(ROOT / "functions" / name, built, ignore=shutil.ignore_patterns("__pycache__", "Makefile"))
    compiled = [str(each) for each in (published, *functions.values())]
    _run(str(interpreter), "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", *compiled)
    return Deployed(interpreter, version_of_it, layer / "python", functions, published)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[:6])} … failed:\n{done.stdout}{done.stderr}")
