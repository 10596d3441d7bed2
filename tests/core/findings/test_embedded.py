"""The findings that a review's body lists for the case that the ledger is lost."""

from hypothesis import assume, given, settings

from kodiai.core.findings.embedded import embedded_findings, with_embedded_findings
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.markers import review_marker, review_run
from kodiai.core.judge.delta import Delta
from kodiai.core.text.layout import BODY_LIMIT
from kodiai.core.text.secrets import secret_in
from kodiai.core.words.review import first_review
from tests.builders import HEAD, RUN, a_finding
from tests.core.words.hostile import Told, deltas, findings, told
from tests.review_form import review_faults

ID, OTHER = "F-0123456789ab", "F-ba9876543210"
MARKER = review_marker(RUN, HEAD)
BODY = f"Text.\n\n{MARKER}"
TOKEN = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"


def test_a_finding_is_listed_on_a_line_of_its_own_before_the_marker() -> None:
    """Everything that its restoring needs, and the marker stays the last line."""
    finding = a_finding(problem="The first report fails.", fix="Set it first.")

    body = with_embedded_findings(BODY, [(ID, finding), (OTHER, a_finding(pre_existing=True, start_line=14))])

    first, second = body.split("\n")[3:5]
    assert body == f"Text.\n\n<!-- kodiai:findings\n{first}\n{second}\n-->\n\n{MARKER}"
    assert first == (
        f'{{"id":"{ID}","severity":"MAJOR","category":"correctness","kind":"impact","start_line":12,"end_line":12,'
        '"path":"src/app.py","title":"The total is read before it is set","problem":"The first report fails.",'
        '"quote":"return total","fix":"Set it first."}'
    )
    found = embedded_findings(body)
    assert list(found) == [ID, OTHER]
    assert found[ID] == finding.model_copy(update={"explanation": finding.problem})
    assert (found[OTHER].pre_existing, found[OTHER].start_line) == (True, 14)
    assert found[OTHER].problem == a_finding().explanation


def test_a_rule_that_fails_is_read_back_with_what_was_looked_at() -> None:
    """Or an override could not name it, and it would be one more finding at the next push."""
    lacking = a_finding(category="rule", rule="has-notes", quote="", looked_at=("src/app.py", f"keys/{TOKEN}"))

    found = embedded_findings(with_embedded_findings(BODY, [(ID, lacking)]))[ID]

    assert (found.rule, found.quote, found.looked_at[0]) == ("has-notes", "", "src/app.py")
    assert TOKEN not in found.looked_at[1]


@settings(max_examples=50)
@given(delta=deltas(), rest=told(), finding=findings())
def test_whatever_a_finding_says_it_is_read_back_and_the_body_has_its_form(
    delta: Delta, rest: Told, finding: Finding
) -> None:
    """No value ends the comment or the line, in a body of any kind."""
    body = first_review(rest.scope, delta, rest.dropped, rest.details)
    assume(len(body) < BODY_LIMIT - 10_000)

    whole = with_embedded_findings(body, [(ID, finding)])

    assert review_faults(whole) == []
    assert review_run(whole) == RUN
    found = embedded_findings(whole)[ID]
    assert (found.path, found.title, found.problem) == (finding.path, finding.title, finding.explanation)


def test_a_secret_is_masked_and_the_others_are_read_back() -> None:
    """In every text of it, also one over several lines.

    A random word too, but in the quote, for the code is in the repository: no other cleaner looks into this list.
    """
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabcdefgh12345678\n-----END RSA PRIVATE KEY-----"
    leaky = a_finding(title=f"Leaks {TOKEN}", explanation=f"It holds {key}.", quote=f'KEY = """{key}"""\nend')
    word = "q7Zp2Lk9Xw4Vb8Nm3Tr6Hs1Yd5Gf0JcAeRuQz"
    random = a_finding(title=f"Leaks {word}", explanation=f"It holds {word}.", quote=f"key = '{word}'")

    body = with_embedded_findings(BODY, [(ID, leaky), (OTHER, random)])

    assert secret_in(body) is None
    assert "MIIEpAIBAAKCAQEA" not in body
    found = embedded_findings(body)
    assert found[ID].title == "Leaks ghp_…"
    assert found[ID].quote.endswith('"""\nend')
    other = found[OTHER]
    assert (other.title, other.problem, other.quote) == ("Leaks q7Zp…", "It holds q7Zp….", random.quote)


def test_the_last_findings_are_left_out_without_room() -> None:
    """The review itself is never cut for them."""
    text = "x" * (BODY_LIMIT - len(MARKER) - 900)
    body = f"{text}\n\n{MARKER}"

    whole = with_embedded_findings(body, [(f"F-{number:012}", a_finding()) for number in range(9)])

    assert len(body) < len(whole) <= BODY_LIMIT
    assert whole.startswith(text)
    assert list(embedded_findings(whole)) == [f"F-{number:012}" for number in range(3)]
    full = f"{'x' * (BODY_LIMIT - len(MARKER) - 2)}\n\n{MARKER}"
    assert with_embedded_findings(full, [(ID, a_finding())]) == full


def test_only_as_many_are_written_as_there_is_room_for() -> None:
    """To write all of very many, and to leave them out one by one, would take long. More goes below what is listed."""
    taken: list[int] = []
    findings = ((f"F-{taken.append(number) or number:012}", a_finding()) for number in range(10_000))  # type: ignore[func-returns-value]

    whole = with_embedded_findings(BODY, findings)
    body = with_embedded_findings(with_embedded_findings(BODY, [(ID, a_finding())]), [(OTHER, a_finding())])

    assert len(taken) == len(embedded_findings(whole)) + 1
    assert (list(embedded_findings(body)), body.count("kodiai:findings")) == ([ID, OTHER], 1)
    assert with_embedded_findings(BODY, []) == BODY


def test_an_unreadable_item_is_left_out() -> None:
    """A line of a later release, an edited one; a list in a quotation is none, nor one behind which more is said."""
    good = with_embedded_findings(BODY, [(ID, a_finding()), (OTHER, a_finding())])
    row = good.split("\n")[3]
    block = good.removeprefix("Text.\n\n").removesuffix(f"\n\n{MARKER}")

    for edited in (row.replace("MAJOR", "DIRE"), row.replace('"quote"', '"code"'), "{}", "{x}"):
        assert list(embedded_findings(good.replace(row, edited))) == [OTHER]
    assert list(embedded_findings(good.replace("\n", "\r\n"))) == [ID, OTHER]
    for other in (f"{block}\n\nText.\n\n{MARKER}", f"```\n{block}\n```\n\n{MARKER}", block, ""):
        assert embedded_findings(other) == {}
