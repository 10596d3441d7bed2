"""Lock files: read by what they mean, and what is wrong with them is found by code."""

from collections.abc import Sequence

from kodiai.core.text.tokens import estimated_tokens
from local.model import is_find
from tests.git_repository import Files
from tests.lock_file_samples import npm
from tests.specs.adversaries import ABSENT, judge, model, push_on
from tests.specs.conftest import Opened, Stage
from tests.specs.scripts import Json, texts
from tests.tables import each_row

VERDICT = "review:\n  event: verdict\n  triggers:\n    onSynchronize: true\n"
LOCK = "package-lock.json"
BEFORE = npm({"left": {}, "right": {}}, ["left", "right"])
BUMP = npm({"left": {"version": "1.0.1", "integrity": "sha512-new"}, "right": {}}, ["left", "right"])
EVIL = "https://evil.example/left-1.0.0.tgz"
MOVED = npm({"left": {"resolved": EVIL}, "right": {}}, ["left", "right"])
TITLE = "left 1.0.0 comes from another host, evil.example"
TAMPERED = npm({"left": {"integrity": "sha512-other"}, "right": {}}, ["left", "right"])
NOTHING = model([], judge())


def opened_on(stage: Stage, files: Files, base: Files) -> Opened:
    """Open a pull request in verdict mode, and wait until it has been reviewed."""
    return stage.open(files, base={".kodiai.yml": VERDICT, **base})


def test_a_package_from_another_host_is_a_major_finding_on_its_line(stage: Stage) -> None:
    """The model reports nothing, and code alone knows: the pull request is not approved."""
    stage.model.answers = NOTHING

    opened = opened_on(stage, {LOCK: MOVED, "README.md": "# B\n"}, {LOCK: BEFORE, "README.md": "# A\n"})

    assert [review["state"] for review in opened.reviews] == ["CHANGES_REQUESTED"]
    [comment] = opened.comments
    lines = MOVED.split("\n")
    assert (comment["path"], lines[comment["line"] - 1].strip()) == (LOCK, f'"resolved": "{EVIL}",')
    assert f"**[MAJOR] {TITLE}**" in comment["body"]
    assert "It comes from https:\\//evil.example/left-1.0.0.tgz." in comment["body"]


def test_a_bump_is_read_as_a_table_of_packages(stage: Stage) -> None:
    """Nobody reads its text, and nothing is left unread: it is ready to merge."""
    stage.model.answers = NOTHING
    others: dict[str, Json] = {f"package-{number}": {} for number in range(200)}
    before = npm({**others, "left": {}}, [*others, "left"])
    bumped = {name: {"version": "1.0.1", "integrity": f"sha512-{'0' * 86}"} for name in [*others][:100]}

    opened = opened_on(stage, {LOCK: npm({**others, **bumped, "left": {}}, [*others, "left"])}, {LOCK: before})

    text = texts(next(filter(is_find, stage.questions)))
    assert '| {"changed": "package-7", "version": ["1.0.0", "1.0.1"], "from": "https://registry.npmjs.org"' in text
    assert '"integrity"' not in text
    table = text.partition(f'### FILE "{LOCK}"')[2].partition("\n\n")[0]
    assert estimated_tokens(table) < 6_000
    assert [review["state"] for review in opened.reviews] == ["APPROVED"]


def test_a_lock_file_that_is_not_of_its_format_is_unread(stage: Stage) -> None:
    """A file that was not understood is not in order."""
    stage.model.answers = NOTHING

    opened = opened_on(stage, {LOCK: MOVED[:-5], "README.md": "# B\n"}, {LOCK: BEFORE, "README.md": "# A\n"})

    assert [review["state"] for review in opened.reviews] == ["COMMENTED"]
    assert f"{LOCK} -- lock file: it is not of its format" in opened.reviews[0]["body"]
    assert "**Not fully reviewed**" in opened.reviews[0]["body"]


def test_a_finding_by_code_continues_and_is_resolved_by_code(stage: Stage) -> None:
    """Over three pushes it stays the same finding, whatever models say of it, until the lock file is right again."""
    stage.model.answers = NOTHING
    opened = opened_on(stage, {LOCK: MOVED}, {LOCK: BEFORE})
    [first] = opened.ledger.findings()

    also = npm({"left": {"resolved": EVIL}, "right": {"version": "1.0.1"}}, ["left", "right"])
    push_on(opened, {LOCK: also}, NOTHING)
    [second] = opened.ledger.findings()
    assert (second.id, second.status, len(opened.comments)) == (first.id, "open", 1)

    push_on(opened, {LOCK: BUMP}, model([], judge(resolved=lambda _title: False)))
    [third] = opened.ledger.findings()
    assert (third.id, third.status) == (first.id, "fixed")
    assert [review["state"] for review in opened.reviews][-1] == "APPROVED"

    push_on(opened, {LOCK: MOVED}, NOTHING)
    [fourth] = opened.ledger.findings()
    assert (fourth.id, fourth.status) == (first.id, "open")


def test_a_lock_file_that_is_as_before_resolves_its_finding(stage: Stage) -> None:
    """The change is taken back, and another file changes instead."""
    stage.model.answers = NOTHING
    opened = opened_on(stage, {LOCK: MOVED}, {LOCK: BEFORE, "README.md": "# A\n"})

    push_on(opened, {LOCK: BEFORE, "README.md": "# B\n"}, NOTHING)

    [known] = opened.ledger.findings()
    assert known.status == "fixed"


@each_row("quote", ["", f'"resolved": "{EVIL}",', '"resolved": "https://mirror.example/"', '"lockfileVersion": 3,'])
def test_no_judge_drops_what_code_found_without_a_line_that_refutes_it(stage: Stage, quote: str) -> None:
    """Neither its own line does, nor one that does not exist, nor the word of one ruling alone."""

    def wrong(_candidate: Json, _earlier: Sequence[Json]) -> Json:
        return {"fate": "wrong", "quote": quote, "why": "It is a mirror."}

    stage.model.answers = model([], judge(wrong, confirms=False))

    opened = opened_on(stage, {LOCK: MOVED, "README.md": f"# {quote}\n"}, {LOCK: BEFORE})

    assert [review["state"] for review in opened.reviews] == ["CHANGES_REQUESTED"]


def test_findings_by_code_are_posted_without_a_judge(stage: Stage) -> None:
    """A checksum that changed at the same version: it is marked as not verified."""
    stage.model.answers = model([], ABSENT)

    opened = opened_on(stage, {LOCK: TAMPERED}, {LOCK: BEFORE})

    [known] = opened.ledger.findings()
    assert known.finding.title == "left 1.0.0 has another checksum at the same version"
    assert opened.reviews[-1]["state"] == "CHANGES_REQUESTED"
