"""Copies of the layer with a line changed: what the system is like without it."""

import shutil
from collections.abc import Iterable
from pathlib import Path

LAYER = Path(__file__).parents[1] / "layers" / "common" / "kodiai"


def changed_layer(folder: Path, changes: Iterable[tuple[str, str, str]]) -> Path:
    """Copy the layer, with changes: of which file of the package, which text of it, there once, becomes which other."""
    copy = folder / "layer"
    shutil.copytree(LAYER, copy / "kodiai", ignore=shutil.ignore_patterns("__pycache__"))
    for name, line, without in changes:
        file = copy / "kodiai" / name
        text = file.read_text("utf-8")
        assert text.count(line) == 1, (name, line)
        file.write_text(text.replace(line, without), "utf-8")
    return copy
