"""Builds what is deployed, unless it is built: `sam build` with tools of its own, then the sizes of the result."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from scripts.interpreters import find_interpreter

ROOT = Path(__file__).resolve().parent.parent
SAM = ROOT / ".venvs" / "sam"
REQUIREMENTS = ROOT / "requirements" / "sam.txt"
RUNTIME = "3.13"
NO_BYTECODE = (
    f"Warning: there is no Python {RUNTIME} here, and none could be installed, so the functions get no bytecode. They "
    "start 2.6 times as slowly (ingest 0.6 s of CPU instead of 0.2 s, a review 1.3 s instead of 0.5 s), each time that "
    f"Lambda starts another one. Install Python {RUNTIME} and deploy again."
)

_MANAGED = ("python", "find", "--no-python-downloads", "--managed-python", RUNTIME)
_BUILT = ROOT / ".aws-sam" / "build"
_STAMP = ROOT / ".aws-sam" / "built-from"
_SOURCES = ("template.yaml", "layers/common", "functions", "requirements/sam.txt", "scripts/build.py")


def find_uv() -> str:
    """Returns the uv of this environment, else the one on PATH; raises SystemExit without one."""
    neighbor = Path(sys.executable).with_name("uv")
    found = str(neighbor) if neighbor.exists() else shutil.which("uv")
    if found is None:
        raise SystemExit("build: uv is missing; `make setup` installs it")
    return found


def find_runtime_python(uv: str, *, installs: bool = True) -> str | None:
    """Returns a CPython of the functions' runtime version: ours, uv's, or one that uv installs here; None without."""
    found = find_interpreter(RUNTIME)
    if found is not None:
        return str(found)
    here = {"UV_PYTHON_INSTALL_DIR": str(ROOT / ".venvs" / "python")}
    if installs and _run(uv, *_MANAGED).returncode != 0:
        _run(uv, "python", "install", "--no-bin", RUNTIME, **here)
    managed = (_run(uv, *_MANAGED, **place) for place in ({}, here))
    return next((each.stdout.strip() for each in managed if each.returncode == 0), None)


def stamp(python: str | None, root: Path = ROOT) -> str:
    """Returns a digest of all that the result is made of: sources, pins, this program and what compiles."""
    digest = hashlib.sha256(f"{python}\n".encode())
    for source in map(root.joinpath, _SOURCES):
        files = sorted(source.rglob("*")) if source.is_dir() else [source]
        for file in files:
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(f"{file.relative_to(root)} {file.stat().st_mode} {file.stat().st_size}\n".encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()


def _run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    # The flags of the calling make are not meant for the makes that `sam build` calls.
    kept = {name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}}
    return subprocess.run(command, cwd=ROOT, env=kept | environment, capture_output=True, text=True, check=False)


def _insist(*command: str, **environment: str) -> None:
    done = _run(*command, **environment)
    if done.returncode != 0:
        raise SystemExit(f"build: {' '.join(command)} failed\n{done.stdout}{done.stderr}")


def ensure_sam(uv: str) -> str:
    """Makes the SAM CLI's own environment unless the pinned version is there; returns its `sam`."""
    name, version = REQUIREMENTS.read_text().strip().split("==")
    if not any(SAM.glob(f"lib/*/site-packages/{name.replace('-', '_')}-{version}.dist-info")):
        _insist(uv, "venv", "--quiet", "--clear", str(SAM))
        python = str(SAM / "bin" / "python")
        _insist(uv, "pip", "install", "--quiet", "--python", python, "--requirement", str(REQUIREMENTS))
    return str(SAM / "bin" / "sam")


def main() -> int:
    """Builds into .aws-sam/build what has changed and prints the sizes; returns the exit status."""
    uv = find_uv()
    sam = ensure_sam(uv)
    python = find_runtime_python(uv)
    if python is None:
        sys.stdout.write(f"{NO_BYTECODE}\n")
    wanted = stamp(python)
    if _BUILT.exists() and _STAMP.exists() and _STAMP.read_text() == wanted:
        sys.stdout.write("Nothing has changed since the last build.\n")
        return 0
    _STAMP.unlink(missing_ok=True)
    tools = {"UV": uv, "PYTHON": python or f"python{RUNTIME}", "SAM_CLI_TELEMETRY": "0"}
    _insist(sam, "build", "--template-file", "template.yaml", **tools)
    sizes = _run(sys.executable, str(ROOT / "scripts" / "build_sizes.py"), str(ROOT / ".aws-sam" / "build"))
    sys.stdout.write(sizes.stdout + sizes.stderr)
    if sizes.returncode == 0:
        _STAMP.write_text(wanted)
    return sizes.returncode


if __name__ == "__main__":
    sys.exit(main())
