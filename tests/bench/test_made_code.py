"""The made repository of the benchmarks."""

import ast

from bench.made_code import made_files
from kodiai.core.code.outline import first_error, outline


def test_a_made_repository_is_always_the_same_and_parses() -> None:
    """Each module has its functions, and a change of some modules leaves the others as they are."""
    files = dict(made_files(30))
    changed = dict(made_files(30, {1: 1, 8: 1}, 2))

    assert files == dict(made_files(30))
    assert files.keys() == changed.keys()
    assert len([path for path in files if files[path] != changed[path]]) == 2
    for path, text in changed.items():
        if path.startswith("src/"):
            lines = text.split("\n")
            assert (first_error(path, lines), len(outline(path, lines).definitions)) == (None, 12)
        if path.endswith(".py"):
            ast.parse(text)
