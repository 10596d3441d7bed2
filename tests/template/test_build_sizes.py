"""The build tells how large its parts are, and stops what Lambda would refuse."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "build_sizes.py"


def build(folder: Path, layer_bytes: int) -> None:
    for name, size in {"ReviewFunction/review.py": 1000, "CommonLayer/python/anthropic/all.py": layer_bytes}.items():
        file = folder / name
        file.parent.mkdir(parents=True)
        with file.open("wb") as sparse:
            sparse.truncate(size)


@pytest.mark.parametrize(
    ("layer_bytes", "verdict", "status"),
    [
        (90_000_000, "function and layer together 90.0 MB of 250 MB: fine", 0),
        (200_000_000, "function and layer together 200.0 MB of 250 MB: more than wanted", 0),
        (249_999_500, "function and layer together 250.0 MB of 250 MB: too large", 1),
    ],
)
def test_a_function_counts_with_its_layer(tmp_path: Path, layer_bytes: int, verdict: str, status: int) -> None:
    """Both together are what the limit is for; the biggest packages are named."""
    build(tmp_path, layer_bytes)

    run = subprocess.run([sys.executable, SCRIPT, tmp_path], capture_output=True, text=True, check=False)

    assert run.stdout.splitlines()[-1] == verdict
    assert run.returncode == status
    assert run.stdout.splitlines()[2].split() == ["anthropic", f"{layer_bytes / 1e6:.2f}", "MB"]
