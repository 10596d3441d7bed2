"""`kodiai rules check`: the team's rules over merged pull requests and over the current work, with a scripted model."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from local.model import ModelRequest, ModelStandIn
from local.model.answers import failure
from local.model.report import reporting
from tests.checkout import Checkout
from tests.cli.running import Done, run_command

RULES = """\
review:
  enabled: false
  baseBranches: [release]
  rules:
    - {id: sql-rollback, text: Every migration has a rollback., paths: ["*.sql"]}
    - {id: has-notes, text: Every change of src/ has a note in notes/., paths: [src/], level: note}
    - {id: no-plus, text: Discounts are never added., paths: [src/], level: error}
"""
BEFORE = "def total(prices, discount):\n    return sum(prices)\n"
ADDED = "def total(prices, discount):\n    return sum(prices) + discount\n"
LACKS = {"rule": "has-notes", "result": "fail", "why": "notes/ has no note", "looked_at": ["title"]}


class Rules:
    """A checkout of three merged pull requests after a first commit, and a model that rules on each."""

    def __init__(self, path: Path, model: ModelStandIn, asked: list[ModelRequest]) -> None:
        self.checkout = Checkout(path)
        self.model = model
        self.asked = asked
        made = self.checkout
        made.commit({"src/orders.py": BEFORE}, "Start")
        made.commit({"src/orders.py": ADDED, "a.txt": "a\n"}, "Add the discount (#1)")
        made.commit({"README.md": "# Shop\n"}, "Say what this is (#2)")
        made.git("checkout", "--quiet", "-b", "vat")
        made.commit({"src/vat.py": "def vat(total):\n    return total * 1.2\n"}, "WIP")
        made.git("checkout", "--quiet", "main")
        made.git("merge", "--quiet", "--no-ff", "-m", "Merge pull request #3 from ann/vat\n\nVAT on orders", "vat")

    def check(self, *arguments: str | Path, cwd: Path | None = None) -> Done:
        key = {"ANTHROPIC_API_KEY": "a-key", "ANTHROPIC_BASE_URL": self.model.url}
        return run_command("rules", "check", *arguments, cwd=cwd or self.checkout.path, **key)

    def commits(self) -> list[str]:
        return self.checkout.git("log", "--first-parent", "--format=%h", "--abbrev=7").split()


class Ruler:
    """Rules on what is asked: a line with a plus breaks no-plus, and nothing has a note."""

    def __init__(self) -> None:
        self.asked: list[ModelRequest] = []

    def answer(self, request: Any) -> Any:
        asked = ModelRequest(request)
        self.asked.append(asked)
        if asked.title == "Refuse this":
            return failure(400, "no")
        path = asked.changes[0].path
        found: dict[str, Any] = {"rule": "no-plus", "result": "pass", "why": "none is added", "looked_at": [path]}
        if "+ discount" in "\n".join(asked.texts):
            line = "return sum(prices) + discount"
            found = {"rule": "no-plus", "result": "fail", "why": "the discount is added", "path": path, "quote": line}
        return reporting({"rulings": [found, LACKS]})


@pytest.fixture
def rules(tmp_path: Path) -> Iterator[Rules]:
    ruler = Ruler()
    with ModelStandIn(ruler) as model:
        yield Rules(tmp_path / "shop", model, ruler.asked)
        assert [*model.violations] == []


def test_merged_pull_requests_are_checked_by_the_rules_of_the_working_tree(rules: Rules) -> None:
    """Each result, then the numbers; nobody is asked about a change without a file that a rule is for."""
    rules.checkout.write({".kodiai.yml": RULES})
    [vat, readme, discount, _] = rules.commits()

    done = rules.check("--last", "9")

    assert (done.status, done.errors) == (0, [])
    *lines, cost = done.out.splitlines()
    assert lines == [
        "shop: 3 merged pull requests, the newest first",
        "",
        f"{vat}  VAT on orders",
        "  fails (note): has-notes: src/vat.py: notes/ has no note",
        "  passes: no-plus",
        "  not applicable: sql-rollback",
        "",
        f"{readme}  Say what this is (#2)",
        "  not applicable: no-plus, sql-rollback, has-notes",
        "",
        f"{discount}  Add the discount (#1)",
        "  fails (error): no-plus: src/orders.py:2: the discount is added",
        "  fails (note): has-notes: src/orders.py: notes/ has no note",
        "  not applicable: sql-rollback",
        "",
        "rule          level    fails  passes  not applicable  cannot tell",
        "no-plus       error    1      1       1               0",
        "sql-rollback  warning  0      0       3               0",
        "has-notes     note     2      0       1               0",
        "",
        "Never passes: `has-notes`. Look at that before a gate depends on it.",
        "For no file of these pull requests: `sql-rollback`.",
    ]
    assert cost.startswith("2 questions to the model, $0.0")
    [newest, oldest] = rules.asked
    assert {tool["name"] for tool in newest.body["tools"]} >= {"check_rule", "finish", "read_files"}
    assert not {"report_finding", "rule"} & {tool["name"] for tool in newest.body["tools"]}
    assert (newest.part, newest.title, oldest.title) == ("rules", "VAT on orders", "Add the discount (#1)")
    assert [change.path for change in oldest.changes] == ["src/orders.py"]


def test_a_rule_that_fails_on_the_current_work_fails_the_command(rules: Rules, tmp_path: Path) -> None:
    """If its level is `error`; what is not committed counts, and nothing of the person's is changed."""
    config = tmp_path / "other.yml"
    config.write_text(RULES)
    rules.checkout.write({"src/till.py": f"\n{ADDED}"})
    before = rules.checkout.everything()

    done = rules.check("--config", config, "--json", "--repo", rules.checkout.path / "src", cwd=tmp_path)

    assert rules.checkout.everything() == before
    told = json.loads(done.out)
    [checked] = told["pull_requests"]
    assert (done.status, checked["commit"], checked["title"]) == (1, None, "Work on main")
    failing = {"rule": "no-plus", "level": "error", "result": "fail", "why": "the discount is added"}
    assert checked["results"][0] == {**failing, "has_files": True, "path": "src/till.py", "line": 3}
    assert [each["rule"] for each in checked["results"]] == ["no-plus", "has-notes", "sql-rollback"]
    assert told["rules"][0] == {
        "rule": "no-plus",
        "level": "error",
        "fails": 1,
        "passes": 0,
        "not_applicable": 0,
        "cannot_tell": 0,
        "has_files": True,
    }

    quiet = tmp_path / "quiet.yml"
    quiet.write_text(RULES.replace("level: error", "level: warning"))
    done = rules.check("--config", quiet, "--base", "HEAD~1")
    assert done.status == 0
    assert "\n  fails (warning): no-plus: src/till.py:3: the discount is added\n" in done.out
    assert "\nrule " not in done.out


def test_a_pull_request_on_which_nobody_could_rule_keeps_no_other_from_it(rules: Rules) -> None:
    """It is named with the reason, and alone it fails the command: nobody knows what it breaks."""
    rules.checkout.commit({"src/more.py": "x = 1\n"}, "Refuse this")
    rules.checkout.write({".kodiai.yml": RULES})
    refused = "  not checked: the model refused the request: 400 no"

    merged = rules.check("--last", "2")
    current = rules.check("--base", "HEAD~1")

    assert merged.status == 0
    assert merged.out.splitlines()[3] == refused
    assert "  passes: no-plus" in merged.out.splitlines()
    assert (current.status, current.out.splitlines()[3:]) == (
        1,
        [refused, "", "0 questions to the model, $0.00, without what was not checked"],
    )


def test_a_reason_not_to_check_is_one_line_before_anything_starts(rules: Rules, tmp_path: Path) -> None:
    """No settings, bad settings, no rules, and no model."""
    path, file = rules.checkout.path, rules.checkout.path / ".kodiai.yml"
    first = Checkout(tmp_path / "first")
    first.commit({".kodiai.yml": RULES})

    missing = rules.check()
    rules.checkout.write({".kodiai.yml": "review: {language: de}\n"})
    none = rules.check()
    rules.checkout.write({".kodiai.yml": "review: {rules: many}\n"})
    bad = rules.check()
    rules.checkout.write({".kodiai.yml": RULES})
    no_model = run_command("rules", "check", "--last", "3", cwd=path)

    assert (missing.status, missing.errors) == (1, [f"kodiai: There is no {file}: name the settings with --config."])
    assert (none.status, none.out) == (0, f"{file} has no rules: add some to `review.rules`.\n")
    assert (bad.status, bad.out) == (1, "")
    assert "`review.rules` must be a list" in bad.err
    assert (no_model.status, no_model.errors) == (2, ["kodiai: rules need a model: set ANTHROPIC_API_KEY."])
    assert rules.check("--last", "2", cwd=first.path).errors == [
        f"kodiai: {first.path} has no merged pull requests: its first commit is its only one."
    ]
    assert rules.check("--last", "2", "--base", "main").status == 2
    assert rules.asked == []
