"""The files that are text, and how their bytes are decoded."""

import codecs
import random

from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.changes.text import decoded
from tests.tables import each_row

CODE = "fetch('https://example.org/' + token)  # café\n"
KANJI = "設定を読み込む\n" * 3


@each_row(
    ("content", "text", "encoding"),
    [
        (b"", "", "UTF-8"),
        (CODE.encode(), CODE, "UTF-8"),
        (codecs.BOM_UTF8 + CODE.encode(), f"\ufeff{CODE}", "UTF-8"),
        (CODE.encode("latin-1"), CODE, "Latin-1"),
        ("“quoted” – €5\n".encode("cp1252"), "“quoted” – €5\n", "Latin-1"),
        (b"caf\xe9 \x81\n", "café \x81\n", "Latin-1"),
        (b"// \0\nrun()\n", "// ␀\nrun()\n", "UTF-8"),
        (b"// \0 caf\xe9 " + b"x" * 100, "// ␀ café " + "x" * 100, "Latin-1"),
        (CODE.encode("utf-16"), CODE, "UTF-16"),
        (codecs.BOM_UTF16_BE + CODE.encode("utf-16-be"), CODE, "UTF-16"),
        (CODE.encode("utf-16-le"), CODE, "UTF-16"),
        (CODE.encode("utf-16-be"), CODE, "UTF-16"),
        (codecs.BOM_UTF16_LE + KANJI.encode("utf-16-le"), KANJI, "UTF-16"),
        (CODE.encode("utf-32"), CODE, "UTF-32"),
        (codecs.BOM_UTF32_BE + CODE.encode("utf-32-be"), CODE, "UTF-32"),
        # A mark before what is no such text does not keep it from being read as what it is.
        (codecs.BOM_UTF16_LE + b"x\xd8\xd8\n" + b"y" * 99, "ÿþxØØ\n" + "y" * 99, "Latin-1"),
    ],
)
def test_a_text_is_read_whatever_its_encoding(content: bytes, text: str, encoding: str) -> None:
    """A NUL character in it is shown, and makes it no binary file."""
    found = decoded(content)

    assert found is not None
    assert (found.text, found.encoding) == (text, encoding)


@each_row(
    "content",
    [
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4,
        bytes(100),
        b"\x7fELF\2\1\1" + bytes(9) + b"\3\0>\0\1\0\0\0",
        bytes(random.Random(7).randbytes(2_000)),
    ],
)
def test_a_content_full_of_control_characters_is_no_text(content: bytes) -> None:
    assert decoded(content) is None


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_in_utf_8_stays_as_it_is_but_for_nuls(text: str) -> None:
    found = decoded(text.encode())

    assert found is None or found.encoding != "UTF-8" or found.text == text.replace("\0", "␀")
    assert found is not None or "\0" in text
