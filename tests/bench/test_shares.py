"""The shares of a request."""

from bench.shares import shares_of
from local.model import ModelRequest

CHANGES = '# Its changes\n\n### FILE "a.py" modified\n@@ -1,2 +1,2 @@\n       1 | a\n-       | b\n+     2 | c\n'
AROUND = '# Code around the changes\n\n## function f\nFILE "{}" lines 2-3 of 9\n     2 | c\n     3 | d'


def test_rows_around_the_changes_count_as_repeated_where_a_hunk_shows_them() -> None:
    """The same number in another file is another row."""
    rows = {path: [CHANGES, AROUND.format(path), "# Your part: x\n\nRead."] for path in ("a.py", "b.py")}
    found = {}

    for path, texts in rows.items():
        blocks = [{"type": "text", "text": text} for text in texts]
        body = {"system": "s" * 400, "messages": [{"role": "user", "content": blocks}]}
        found[path] = shares_of(path, ModelRequest(body)).percent

    assert (found["a.py"]["repeated"] > 0, found["b.py"]["repeated"]) == (True, 0)
    assert found["b.py"]["instructions"] > found["b.py"]["hunks"] > 0
