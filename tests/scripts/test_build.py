"""What `make build` builds again, and with which Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.build import NO_BYTECODE, ROOT, RUNTIME, find_runtime_python, find_uv, stamp

SHIMLESS = {"PATH": "/usr/bin:/bin", "PYENV_ROOT": "/nowhere", "UV_PYTHON_DOWNLOADS": "never"}


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


@pytest.mark.skipif(sys.version_info[:2] == (3, 13), reason="this very Python is the one that is missing")
def test_a_machine_without_the_runtimes_python_is_told_what_that_costs(tmp_path: Path) -> None:
    """`kodiai setup` shows this line: a build that says nothing would be taken for a good one."""
    program = "from scripts.build import *; print(find_runtime_python(find_uv()))"

    found = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **SHIMLESS, "HOME": str(tmp_path)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert found.stdout == "None\n"
    assert NO_BYTECODE.startswith(f"Warning: there is no Python {RUNTIME} here")


def test_the_python_that_compiles_is_the_runtimes() -> None:
    """Bytecode of another version is of no use to Lambda."""
    python = find_runtime_python(find_uv())
    if python is not None:
        shown = subprocess.run([python, "--version"], capture_output=True, text=True, check=True).stdout
        assert shown.startswith(f"Python {RUNTIME}.")
