"""New findings are never lost on the lines of earlier ones, nor behind those that people dismissed."""

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
    """It is posted if two rulings do not agree that it is known, and judged again if nobody says whether it is."""
    names = ("known", "silent", "absent")
    files = {f"src/{name}.py": TOKEN.replace("$", name) for name in names}
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

    known, silent, absent = map(with_key, names)
    pushed = {path: text for path, text, _ in (known, silent)}
    push_on(opened, pushed, model([known[2], silent[2]], judge(rule, confirms=False)))

    tokens, keys = ([f"A {what} in {path}" for path in files] for what in ("token", "private key"))
    assert statuses(opened, keys) == dict(zip(keys, ("open", "lost", "lost"), strict=True))
    body = opened.reviews[-1]["body"]
    assert (
        "\nTo be judged again:\n\n- [CRITICAL] src/silent.py (2): A private key in src/silent.py -- it may be" in body
    )
    assert "- src/silent.py -- a finding in it has to be judged again\n" in body

    path, text, _ = absent
    push_on(opened, {path: text}, model([silent[2], absent[2]], ABSENT))

    assert statuses(opened, keys) == dict(zip(keys, ("open", "lost", "lost"), strict=True))
    assert opened.check["conclusion"] != "success"
    for name in ("silent", "absent"):
        again = f"Problem: to be judged again: [CRITICAL] src/{name}.py (2), A private key in src/{name}.py."
        assert again in opened.check["output"]["summary"]

    apart = judge(lambda candidate, _: {"different_from": candidate["beside"]})
    push_on(opened, {"src/other.py": "LIMIT = 1\n"}, model([silent[2], absent[2]], apart))

    assert statuses(opened, tokens) == dict.fromkeys(tokens, "wont_fix")
    assert statuses(opened, keys) == dict.fromkeys(keys, "open")
    assert len(threads(opened)) == 6
    assert opened.check["output"]["title"] == "New blockers found · 2 new · 1 still open"
