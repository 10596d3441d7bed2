"""The sources that `make build` builds again, and the Python that it does it with."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.build import NO_BYTECODE, ROOT, RUNTIME, find_runtime_python, find_uv, stamp


def test_only_what_goes_into_the_result_is_built_again(tmp_path: Path) -> None:
    """A value of the template's parameters is none of it; a source, a pin, the compiler and what is removed are."""
    (tmp_path / "layers" / "common").mkdir(parents=True)
    (tmp_path / "functions").mkdir()
    source = tmp_path / "layers" / "common" / "requirements.txt"
    seen = [stamp("python3.13", tmp_path)]

    for change in (
        lambda: source.write_text("httpx==1"),
        lambda: source.write_text("httpx==2"),
        lambda: source.rename(source.with_name("other.txt")),
        lambda: (tmp_path / "template.yaml").write_text("Resources: {}"),
    ):
        change()
        seen.append(stamp("python3.13", tmp_path))
    seen.append(stamp(None, tmp_path))

    assert len(set(seen)) == len(seen)
    (tmp_path / "functions" / "__pycache__").mkdir()
    (tmp_path / "functions" / "__pycache__" / "a.pyc").touch()
    (tmp_path / "out.txt").touch()
    assert stamp(None, tmp_path) == seen[-1]
    assert stamp(None, ROOT) == stamp(None)


UV = """#!/bin/sh
case "$2" in
install) echo "$UV_PYTHON_INSTALL_DIR" > "$HOME/installed" ;;
find) test -n "$UV_PYTHON_INSTALL_DIR" -a -e "$HOME/installed" && echo /the/python3.13 ;;
esac
"""
"""A small uv: it finds a Python where it has installed it."""


@pytest.mark.skipif(sys.version_info[:2] == (3, 13), reason="this very Python is the one that is missing")
def test_the_runtimes_python_is_installed_where_it_is_missing(tmp_path: Path) -> None:
    """Below the project, and only by a build. Without it `kodiai setup` shows what that costs."""
    uv = tmp_path / "uv"
    uv.write_text(UV)
    uv.chmod(0o755)
    missing = {**os.environ, "PATH": "/usr/bin:/bin", "PYENV_ROOT": "/nowhere", "HOME": str(tmp_path)}

    def find(uv: str, **given: bool) -> str:
        program = f"from scripts.build import *; print(find_runtime_python({uv!r}, **{given}))"
        command = [sys.executable, "-c", program]
        return subprocess.run(command, env=missing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    assert find(str(uv), installs=False) == "None"
    assert find(str(uv)) == "/the/python3.13"
    assert find(str(uv), installs=False) == "/the/python3.13"
    assert (tmp_path / "installed").read_text() == f"{ROOT}/.venvs/python\n"
    assert NO_BYTECODE.startswith(f"Warning: there is no Python {RUNTIME} here")


def test_the_python_that_compiles_is_the_runtimes() -> None:
    """Bytecode of another version is of no use to Lambda."""
    python = find_runtime_python(find_uv())
    if python is not None:
        shown = subprocess.run([python, "--version"], capture_output=True, text=True, check=True).stdout
        assert shown.startswith(f"Python {RUNTIME}.")
