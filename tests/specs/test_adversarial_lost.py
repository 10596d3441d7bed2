"""What is new is never lost on the lines of what was found before, nor behind what people dismissed."""

from collections.abc import Sequence

from tests.specs.adversaries import (
    ABSENT,
    at,
    by_title,
    dismiss,
    judge,
    model,
    opened_on,
    push_on,
    statuses,
    threads,
)
from tests.specs.conftest import Stage
from tests.specs.material.means import NAMES, code, first, found
from tests.specs.scripts import Json

PATH = "src/means.py"
TOKEN = 'TOKEN_$ = "sandbox-token"\n'
KEY = 'KEY_$ = load("""-----BEGIN RSA PRIVATE KEY-----""")\n'


def told_apart(candidate: Json, _earlier: Sequence[Json]) -> Json:
    """Everything is new: none is the finding that it is presumed to be."""
    return {"different_from": candidate["presumed"]}


def test_other_problems_on_lines_that_have_one_are_posted(stage: Stage) -> None:
    """Eight: four of the same category, which the judge tells apart, and four of another one."""
    names = NAMES[:4]
    text = code(names)
    stage.model.answers = model(first(PATH, text, names), judge())
    opened = opened_on(stage, {}, {PATH: text})
    old = {each.id for each in opened.ledger.findings()}

    text += "LIMIT = 1\n"
    same = [found(PATH, text, name, "$ loses cents to rounding", severity="MEDIUM") for name in names]
    other = [found(PATH, text, name, "$ is summed up twice", category="performance") for name in names]
    push_on(opened, {PATH: text}, model([*same, *other], judge(told_apart)))

    titles = [each["title"] for each in (*same, *other)]
    assert [title for title, status in statuses(opened, titles).items() if status != "open"] == []
    assert len(by_title(opened)) == 12
    assert sorted(threads(opened)) == sorted({*old, *(by_title(opened)[title].id for title in titles)})


def test_a_dismissed_secret_hides_no_other_secret(stage: Stage) -> None:
    """Whether the judge calls the new one known, is silent about it, or is not there."""
    files = {f"src/{name}.py": TOKEN.replace("$", name) for name in ("known", "silent", "absent")}
    secret = {"category": "security", "severity": "CRITICAL"}
    stage.model.answers = model(
        [at(path, text, text.strip(), f"A token in {path}", **secret) for path, text in files.items()], judge()
    )
    opened = opened_on(stage, {}, dict(files))
    dismiss(opened)

    def rule(candidate: Json, earlier: Sequence[Json]) -> Json:
        if candidate["path"] == "src/silent.py":
            return {"number": 99}
        return {"fate": "known", "known": next(row["finding"] for row in earlier if row["path"] == candidate["path"])}

    def with_key(name: str) -> tuple[str, str, Json]:
        path, key = f"src/{name}.py", KEY.replace("$", name)
        text = files[path] + key
        return path, text, at(path, text, key.strip(), f"A private key in {path}", **secret)

    pushed = [with_key("known"), with_key("silent")]
    push_on(opened, {path: text for path, text, _ in pushed}, model([each for _, _, each in pushed], judge(rule)))
    path, text, key = with_key("absent")
    push_on(opened, {path: text}, model([key], ABSENT))

    assert statuses(opened, [f"A token in {path}" for path in files]) == {
        f"A token in {path}": "wont_fix" for path in files
    }
    assert statuses(opened, [f"A private key in {path}" for path in files]) == {
        f"A private key in {path}": "open" for path in files
    }
    assert len(threads(opened)) == 6
    assert opened.check["output"]["title"] == "New blockers found · 1 new · 2 still open"
