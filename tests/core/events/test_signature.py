"""Which bytes are believed to come from GitHub."""

from kodiai.core.events.signature import SignatureMismatch, check_signature, sign
from tests.tables import each_row

SECRET = "It's a Secret to Everybody"
BODY = b"Hello, World!"
HEX = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"


@each_row(
    ("body", "secrets", "reason"),
    [
        (BODY, [SECRET], None),  # the example of GitHub's documentation: secret, body and signature are all theirs
        (BODY, [SECRET, "the one before"], None),
        (BODY, ["the new one", SECRET], None),
        (BODY, ["another"], SignatureMismatch.WRONG),
        (BODY, [], SignatureMismatch.WRONG),
        *((body, [SECRET], SignatureMismatch.WRONG) for body in (b"", BODY[:-1], BODY + b"\n", BODY.lower())),
    ],
)
def test_bytes_that_were_signed_with_a_known_secret_are_believed(
    body: bytes, secrets: list[str], reason: SignatureMismatch | None
) -> None:
    """The current one or the previous, so that a secret is rotated without losing a delivery; no byte may change."""
    assert check_signature(body, f"sha256={HEX}", secrets) is reason


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


def test_bytes_that_are_no_text_can_be_signed() -> None:
    """A signature is checked before anything is decoded."""
    body = b"\xff\x00\xfe"

    assert check_signature(body, f"sha256={sign(body, 'sécret').hex().upper()}", ["sécret"]) is None
