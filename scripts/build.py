"""Builds what is deployed: `sam build` with tools of its own, then the sizes of the result."""

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


def find_uv() -> str:
    """Returns the uv of this environment, else the one on PATH; raises SystemExit without one."""
    neighbor = Path(sys.executable).with_name("uv")
    found = str(neighbor) if neighbor.exists() else shutil.which("uv")
    if found is None:
        raise SystemExit("build: uv is missing; `make setup` installs it")
    return found


def find_runtime_python(uv: str) -> str | None:
    """Returns a CPython of the functions' runtime version, uv's own if there is no other, None without one."""
    found = find_interpreter(RUNTIME)
    if found is not None:
        return str(found)
    managed = _run(uv, "python", "find", "--no-python-downloads", "--managed-python", RUNTIME)
    return managed.stdout.strip() if managed.returncode == 0 else None


def _run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    # What was said to the make that called this is not meant for the makes that `sam build` calls.
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
    """Builds into .aws-sam/build and prints the sizes; returns the exit status."""
    uv = find_uv()
    sam = ensure_sam(uv)
    python = find_runtime_python(uv)
    if python is None:
        sys.stdout.write(f"No CPython {RUNTIME} here: sources are shipped without bytecode.\n")
    tools = {"UV": uv, "PYTHON": python or f"python{RUNTIME}", "SAM_CLI_TELEMETRY": "0"}
    _insist(sam, "build", "--template-file", "template.yaml", **tools)
    sizes = _run(sys.executable, str(ROOT / "scripts" / "build_sizes.py"), str(ROOT / ".aws-sam" / "build"))
    sys.stdout.write(sizes.stdout + sizes.stderr)
    return sizes.returncode


if __name__ == "__main__":
    sys.exit(main())
