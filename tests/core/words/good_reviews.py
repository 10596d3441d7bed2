"""Reviews without a fault, for the tests of the rules to break."""

from kodiai.core.words.markers import review_marker
from kodiai.core.words.review import first_review, re_review
from tests.builders import HEAD, RUN, a_delta, a_finding, a_scope, a_telling, followed

MARKER = review_marker(RUN, HEAD)
BLOCKING = a_finding()
MINOR = a_finding(severity="MINOR", title="The name says little")
OPTIONAL = a_finding(kind="preference", severity="MINOR", title="A generator reads better")

FIRST = first_review(
    a_scope(), a_delta([BLOCKING, OPTIONAL]), [], a_telling(strengths=["Short"], suggestions=["Measure"])
)
AGAIN = re_review(
    a_scope(),
    a_delta(
        [BLOCKING, OPTIONAL],
        followed(a_finding(severity="CRITICAL", path="src/login.py", title="The token is logged"), "resolved"),
        followed(MINOR, author_disagrees=True),
        followed(a_finding(severity="MEDIUM", title="No test fails without it")),
    ),
    [],
    a_telling(),
    HEAD,
)
MENDED = re_review(a_scope(), a_delta([], followed(BLOCKING, "resolved")), [], a_telling(), HEAD)
SETTLED = re_review(
    a_scope(), a_delta([], followed(BLOCKING, "settled"), followed(MINOR, "resolved")), [], a_telling(), HEAD
)
OPEN = re_review(
    a_scope(), a_delta([], followed(MINOR, "resolved"), followed(BLOCKING), followed(MINOR)), [], a_telling(), HEAD
)
RAISED = re_review(a_scope(), a_delta([], followed(BLOCKING, "raised"), followed(MINOR)), [], a_telling(), HEAD)
READY = re_review(a_scope(), a_delta([MINOR], followed(OPTIONAL, "resolved")), [], a_telling(), HEAD)
BEFORE = a_finding(title="The lock is never freed", pre_existing=True, start_line=50)
ALONG = first_review(a_scope(), a_delta([BLOCKING, BEFORE]), [], a_telling())
ALONG_AGAIN = re_review(a_scope(), a_delta([MINOR, BEFORE]), [], a_telling(floor="MEDIUM"), HEAD)
CUT = re_review(
    a_scope(), a_delta([BLOCKING], followed(MINOR)), [], a_telling(what_changed=["<" * 90_000]), HEAD
)  # fmt: skip
