"""The button "Resolve conversation" and the words "won't fix" have the same power, for everybody and every severity."""

from local.github.state import Role
from tests.specs.conftest import Opened, Stage
from tests.specs.pushing import NOTES, ON_PUSH, opened_with_finding, push
from tests.specs.scripts import a_finding

# A MINOR finding has no thread.
SEVERITIES = ("CRITICAL", "MAJOR", "MEDIUM")
NOBODYS, AUTHORS, ALL = frozenset[str](), frozenset({"MEDIUM"}), frozenset(SEVERITIES)
# Who decides about findings of which severities. The author is octocat.
PEOPLE: dict[str, tuple[Role, frozenset[str]]] = {
    "octocat": ("read", AUTHORS),
    "mallory": ("none", NOBODYS),
    "rita": ("read", NOBODYS),
    "tim": ("triage", NOBODYS),
    "ann": ("write", ALL),
    "mia": ("maintain", ALL),
    "adam": ("admin", ALL),
    "robin[bot]": ("write", NOBODYS),
}
ROWS = [(login, severity, means) for login in PEOPLE for severity in SEVERITIES for means in ("words", "button")]


def opened_with_rows(stage: Stage) -> Opened:
    """A pull request with a finding for each row, each on a line of its own."""
    findings = [
        a_finding(severity=severity, title=f"Value {at} is odd", quote=f"value_{at} = {at}", start_line=at, end_line=at)
        for at, (_, severity, _) in enumerate(ROWS, 1)
    ]
    lines = "".join(f"value_{at} = {at}\n" for at in range(1, len(ROWS) + 1))
    return opened_with_finding(
        stage, *findings, config=f"{ON_PUSH}  maxComments: 100\n", files={"src/orders.py": lines}
    )


def decided(opened: Opened) -> dict[tuple[str, str, str], str]:
    """The status of each row's finding."""
    found = {known.finding.start_line: known.status for known in opened.ledger.findings()}
    return {row: found[at] for at, row in enumerate(ROWS, 1)}


def test_the_button_decides_what_the_same_person_may_decide_in_words(stage: Stage) -> None:
    """The author up to MEDIUM, whoever may write everything, and nobody else; no bot, though it may write.

    It stays so when a thread is opened and resolved again after its person got that answer.
    """
    github = stage.github
    opened = opened_with_rows(stage)
    roots = {comment["line"]: comment["id"] for comment in opened.comments}
    for login, (role, _) in PEOPLE.items():
        github.state.user(login, role, "Bot" if login.endswith("[bot]") else "User")
    for at, (login, _, means) in enumerate(ROWS, 1):
        if means == "words":
            github.reply(roots[at], "won't fix", login=login)
        else:
            github.resolve_thread(roots[at], login=login)
    expected = {
        (login, severity, means): ("wont_fix" if means == "words" else "dismissed")
        if severity in PEOPLE[login][1]
        else "open"
        for login, severity, means in ROWS
    }

    push(opened, NOTES)
    first = decided(opened)
    said = len(opened.comments)
    for at, (login, _, means) in enumerate(ROWS, 1):
        if means == "button" and expected[ROWS[at - 1]] == "open":
            github.resolve_thread(roots[at], login=login, resolved=False)
            github.resolve_thread(roots[at], login=login)
    push(opened, {"src/notes.py": "x = 2\n"})
    github.set_role("octocat", "write")

    assert first == expected
    assert decided(opened) == expected
    assert len(opened.comments) == said
    assert opened.check["conclusion"] != "success"
