"""Which bytes are believed to come from GitHub."""

import pytest

from kodiai.core.events.signature import SignatureMismatch, check_signature, sign
from tests.tables import each_row

SECRET = "It's a Secret to Everybody"
BODY = b"Hello, World!"
HEX = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"


def test_githubs_published_example_is_believed() -> None:
    """The example of GitHub's documentation: secret, body and signature are all theirs."""
    assert check_signature(BODY, f"sha256={HEX}", [SECRET]) is None


@pytest.mark.parametrize("secrets", [[SECRET, "the one before"], ["the new one", SECRET]])
def test_the_current_and_the_previous_secret_both_serve(secrets: list[str]) -> None:
    """A secret is rotated without losing a delivery."""
    assert check_signature(BODY, f"sha256={HEX}", secrets) is None


@each_row(
    ("header", "reason"),
    [
        (None, SignatureMismatch.MISSING),
        ("", SignatureMismatch.MALFORMED),
        (HEX, SignatureMismatch.MALFORMED),
        (f"sha1={HEX[:40]}", SignatureMismatch.MALFORMED),
        (f"sha256={HEX[:-1]}", SignatureMismatch.MALFORMED),
        (f"sha256={HEX}0", SignatureMismatch.MALFORMED),
        (f"sha256={HEX}\n", SignatureMismatch.MALFORMED),
        (f"sha256={HEX[:-1]}g", SignatureMismatch.MALFORMED),
        (f"sha256={HEX}, sha256={HEX}", SignatureMismatch.MALFORMED),
        (f"sha256={'0' * 64}", SignatureMismatch.WRONG),
        (f"sha256={HEX[:-1]}8", SignatureMismatch.WRONG),
    ],
)
def test_any_other_header_has_its_reason(header: str | None, reason: SignatureMismatch) -> None:
    """Missing, malformed, truncated and wrong are told apart, for the person who set the webhook up."""
    assert check_signature(BODY, header, [SECRET]) is reason


@pytest.mark.parametrize("body", [b"", BODY[:-1], BODY + b"\n", BODY.lower()])
def test_a_body_that_changed_by_a_byte_is_not_believed(body: bytes) -> None:
    """The bytes are signed, not what they mean."""
    assert check_signature(body, f"sha256={HEX}", [SECRET]) is SignatureMismatch.WRONG


def test_another_secret_is_not_believed() -> None:
    """Also none at all."""
    assert check_signature(BODY, f"sha256={HEX}", ["another"]) is SignatureMismatch.WRONG
    assert check_signature(BODY, f"sha256={HEX}", []) is SignatureMismatch.WRONG


def test_bytes_that_are_no_text_can_be_signed() -> None:
    """A signature is checked before anything is decoded."""
    body = b"\xff\x00\xfe"

    assert check_signature(body, f"sha256={sign(body, 'sécret').hex().upper()}", ["sécret"]) is None
