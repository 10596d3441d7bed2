"""Anything at all at the door: an answer of the agreed kinds, never an exception."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.functions.ingest.door import Door, request

NAMES = ["X-GitHub-Event", "x-github-delivery", "x-hub-signature-256", "content-type"]
EVENTS = ["pull_request", "check_run", "issue_comment", "pull_request_review", "installation", "ping", "star"]
fuzz = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@fuzz
@given(
    headers=st.none()
    | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=20), st.text(max_size=90), max_size=6),
    body=st.none() | st.text(max_size=200),
    encoded=st.booleans(),
)
def test_any_unsigned_request_is_refused(
    lasting_door: Door, headers: dict[str, str] | None, body: str | None, encoded: bool
) -> None:
    """401, or 400 where it is not the base64 that it claims to be."""
    heard = lasting_door.knock({"headers": headers, "body": body, "isBase64Encoded": encoded})

    assert heard.status in ({400, 401} if encoded else {401})


@fuzz
@given(body=st.binary(max_size=300), event=st.sampled_from(EVENTS), encoded=st.booleans())
def test_any_signed_bytes_are_malformed_or_nothing(lasting_door: Door, body: bytes, event: str, encoded: bool) -> None:
    """A holder of the secret may send anything."""
    knock = request(body, event=event, as_base64=True)
    if not encoded:
        knock |= {"body": body.decode(errors="surrogateescape"), "isBase64Encoded": False}

    heard = lasting_door.knock(knock)

    assert heard.status in {200, 400, 401}
