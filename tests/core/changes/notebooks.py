"""Notebooks made cell by cell, as Jupyter writes them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.notebook import with_cells
from kodiai.core.changes.unified import patch_between
from tests.builders import a_file

Cell = Mapping[str, Any]


def code(*source: str, outputs: Sequence[Mapping[str, Any]] = (), **more: object) -> Cell:
    """A code cell; it stands in the file with its keys in order."""
    about = {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": list(outputs)}
    return {**about, "source": list(source), **more}


def prose(*source: str, **more: object) -> Cell:
    """A cell of Markdown."""
    return {"cell_type": "markdown", "metadata": {}, "source": list(source), **more}


def output(kind: str = "image/png", content: object = "A" * 100_000) -> Mapping[str, Any]:
    """An output of a kind, a picture of 100 kB unless told otherwise."""
    return {"data": {kind: content}, "metadata": {}, "output_type": "display_data"}


def book(*cells: Cell, indent: int | None = 1, **more: object) -> str:
    """A notebook in Python with these cells."""
    about = {"metadata": {"kernelspec": {"language": "python", "name": "python3"}}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps({"cells": list(cells), **about, **more}, indent=indent) + "\n"


def in_cells(old: str | None, new: str | None) -> ChangedFile:
    """A changed notebook, as it is shown."""
    status = "added" if old is None else "removed" if new is None else "modified"
    file = a_file("a.ipynb", patch=patch_between(old or "", new or ""), status=status)
    return with_cells(file, old, new)
