"""Secrets are searched for where an anchor of their shape is, and that finds what the patterns alone find."""

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.text.secret_shapes import SHAPES, Shape
from kodiai.core.text.secrets import masked_for_model

_ROOT = Path(__file__).parents[3]
# What patterns are made of: their anchors in parts, what comes before and behind, and letters that ignore case oddly.
_PIECES = (
    *("-----BEGIN ", "RSA ", "PRIVATE KEY-----", "-----END PRIVATE KEY-----", "\n", " ", "AKIA", "ASIA", "secret"),
    *("SECRET", "ſecret", "_access", "key", "Key", "\u212aey", "=", ": ", ":", "ghp_", "ghs_", "123_eyJ", "ABIA"),
    *("glpat-", "glsoat-", "sk-", "sk-ant-", "sk-proj-", "xoxb", "xapp", ".xoxe", "-", "hooks.slack.com/", "services/"),
    *("discord", "app", ".com/api/webhooks/", "M", "N", "O", ".", "bot", "AIza", "GOCSPX-", "ya29.", "sk_live_"),
    *("github_pat_", "whsec_", "SG.", "npm_", "pypi-Ag", "hf_", "Account", "SharedAccess", "ſharedAccess"),
    *("eyJ", "http", "İ", "rk_test_", "a", "://", "user", "@", "[", "…", "0123456789", "x" * 12, "é", "_", "/"),
)  # fmt: skip


def _by_pattern(shape: Shape, text: str) -> list[tuple[int, int]]:
    return [found.span() for found in shape.pattern.finditer(text)]


@given(st.lists(st.sampled_from(_PIECES), max_size=30).map("".join))
def test_anchors_miss_nothing(text: str) -> None:
    """Whatever a text is made of, each shape finds in it exactly what its pattern finds."""
    for shape in SHAPES:
        assert [found.span() for found in shape.finds(text)] == _by_pattern(shape, text)


def test_code_and_prose_are_masked_as_before() -> None:
    """In the project's own files, which have many examples of secrets, each shape finds what its pattern finds."""
    files = [
        *(_ROOT / "tests").rglob("*secret*.py"),
        *(_ROOT / "layers").rglob("*.py"),
        *(_ROOT / "docs").rglob("*.md"),
    ]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)

    assert any(_by_pattern(shape, text) for shape in SHAPES)
    for shape in SHAPES:
        assert [found.span() for found in shape.finds(text)] == _by_pattern(shape, text)


def test_most_texts_try_no_pattern() -> None:
    """Code without an anchor is searched for anchors alone, and comes back as the same object."""
    text = "def total(prices):\n    return sum(price * 2 for price in prices)\n" * 50

    tried = [start for shape in SHAPES for anchor in shape.anchors for start in re.finditer(anchor, text)]

    assert tried == []
    assert masked_for_model(text) is text
