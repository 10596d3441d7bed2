"""Reviews without a fault, for the tests of the rules to break."""

from kodiai.core.findings.markers import review_marker
from kodiai.core.judge.delta import delta
from kodiai.core.words.review import first_review, re_review
from tests.builders import HEAD, LINKS, PULL, RUN, a_delta, a_finding, a_scope, followed, kept, some_details

AT = f"[src/app.py (12)]({LINKS.code('src/app.py', 12, 12)})"
THREAD = f"{PULL}#discussion_r11"
MARKER = review_marker(RUN, HEAD)
BLOCKING = a_finding()
MINOR = a_finding(severity="MINOR", title="The name says little")
OPTIONAL = a_finding(kind="preference", severity="MEDIUM", title="A generator reads better")
NEW = delta([kept(BLOCKING), kept(OPTIONAL, inline=False)], ())

FIRST = first_review(
    a_scope(),
    NEW,
    [],
    some_details(strengths=["`src/app.py:12` is short"]),
)
AGAIN = re_review(
    a_scope(),
    delta(
        NEW.new,
        [
            followed(a_finding(severity="CRITICAL", path="src/login.py", title="The token is logged"), "resolved"),
            followed(MINOR, author_disagrees=True),
            followed(a_finding(severity="MEDIUM", title="No test fails without it")),
        ],
    ),
    [],
    some_details(),
    HEAD,
)
FIXED = re_review(a_scope(), a_delta([], followed(BLOCKING, "resolved")), [], some_details(), HEAD)
SETTLED = re_review(
    a_scope(), a_delta([], followed(BLOCKING, "dismissed"), followed(MINOR, "resolved")), [], some_details(), HEAD
)
OPEN = re_review(
    a_scope(), a_delta([], followed(MINOR, "resolved"), followed(BLOCKING), followed(MINOR)), [], some_details(), HEAD
)
RAISED = re_review(a_scope(), a_delta([], followed(BLOCKING, "raised"), followed(MINOR)), [], some_details(), HEAD)
READY = re_review(a_scope(), a_delta([MINOR], followed(OPTIONAL, "resolved")), [], some_details(), HEAD)
BEFORE = a_finding(title="The lock is never freed", pre_existing=True, start_line=50)
OLDER = first_review(a_scope(), a_delta([BLOCKING, BEFORE]), [], some_details())
MEDIUM = a_finding(severity="MEDIUM", title="A slow loop")
OLDER_AGAIN = re_review(a_scope(), a_delta([MINOR, MEDIUM, BEFORE]), [], some_details(floor="MEDIUM"), HEAD)
MANY = [followed(a_finding(severity="MINOR", title="<" * 80))] * 200
CUT = re_review(a_scope(), a_delta([BLOCKING], *MANY), [], some_details(), HEAD)
