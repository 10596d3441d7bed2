"""Cases: reading them, errors in broken ones, and the histories made of them."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from evals.case import UnreadableCase, read_cases, require_unique_titles
from evals.history import write_histories
from tests.evals.made_up import (
    BASE,
    CLEAN,
    DEFECT,
    DEFECT_RECORDED,
    DISCOUNTED,
    FIXED,
    expected,
    recorded,
    write_both,
    write_case,
)


def test_a_case_is_read_with_its_files_before_and_after_each_push(tmp_path: Path) -> None:
    """Each push builds on the one before; Python's cache folders are no part of a case."""
    (tmp_path / "python/discount/base/shop/__pycache__").mkdir(parents=True)
    (tmp_path / "python/discount/base/shop/__pycache__/orders.pyc").write_bytes(b"\0")

    defect, clean = write_both(tmp_path)

    assert (defect.slug, clean.slug) == ("python/discount", "python/readme")
    assert [sorted(state) for state in defect.states] == [["README.md", "shop/orders.py"]] * 3
    assert [state["shop/orders.py"].decode() for state in defect.states[1:]] == [DISCOUNTED, FIXED]
    assert clean.definition.clean
    assert defect.recording is not None
    assert [one.slug for one in read_cases(tmp_path, "*/read*")] == ["python/readme"]


def one_push(**more: Any) -> dict[str, Any]:
    return {**DEFECT, "pushes": [{"expected": [expected()], **more}]}


@pytest.mark.parametrize(
    ("sheet", "said", "message"),
    [
        ({**DEFECT, "titel": "x"}, None, "case.yaml: titel: Extra inputs are not permitted"),
        ({**DEFECT, "pushes": []}, None, "there is no push"),
        ({**DEFECT, "language": "go"}, None, "language: go in the folder of another one"),
        ({**one_push(), "clean": True}, None, "a clean case expects nothing; a clean case says what is forbidden"),
        ({**CLEAN, "clean": False}, None, "a case that is not clean expects something"),
        (one_push(expected=[expected(), expected()]), None, "two problems have the same id"),
        (one_push(expected=[expected(path=None)]), None, "push 1 expects something without a path or lines"),
        (one_push(expected=[expected(lines=[3, 2])]), None, "pushes.0.expected.0.lines: lines are counted from 1"),
        (one_push(expected=[expected(lines=[2, 99])]), None, "expected.0.lines: shop/orders.py has 6 lines"),
        (one_push(expected=[expected(path="gone.py")]), None, "expected.0.path: no such file after the push: gone.py"),
        (one_push(delete=["gone.py"]), None, "pushes.0.delete: no such file: gone.py"),
        (
            one_push(statuses={"unknown": "resolved"}),
            None,
            "push 1 gives statuses of problems that no earlier push adds",
        ),
        (one_push(statuses={"discount-added": "fixed"}), None, "statuses.discount-added: Input should be 'resolved'"),
        (one_push(), {"pushes": [{"reports": {"nobody": []}}]}, "recorded.yaml: pushes.0.reports.nobody"),
        (one_push(accepted=[expected(id="more", lines=[7, 7])]), None, "pushes.0.accepted.0.lines: shop/orders.py has"),
        (
            {**DEFECT, "pushes": [{"expected": [expected(also=[{"path": "gone.py"}])]}]},
            None,
            "pushes.0.also.0.path: no such file after the push: gone.py",
        ),
        (one_push(), DEFECT_RECORDED, "recorded.yaml: pushes: 2 of 1"),
        (
            one_push(),
            {"pushes": [{"reports": {"generalist": [recorded(expects="other")]}}]},
            "pushes.0.reports.generalist.0.expects: nothing expects other",
        ),
        (
            one_push(),
            {"pushes": [{"earlier": [{"id": "discount-added", "answer": "PARTIAL"}]}]},
            "pushes.0.earlier.0.id: no earlier push expects discount-added",
        ),
        (
            one_push(),
            {"pushes": [{"earlier": [{"id": "discount-added", "answer": "ADDRESSED"}]}]},
            "pushes.0.earlier.0: the judge decides about what is ADDRESSED",
        ),
        (
            one_push(),
            {"pushes": [{"reports": {"generalist": [recorded(fate="same-as", same_as="discount-added")]}}]},
            "pushes.0.reports.generalist.0.same_as: no finding of the push that is kept is discount-added",
        ),
        (
            one_push(),
            {"pushes": [{"reports": {"generalist": [recorded(fate="same-as")]}}]},
            "same_as is for what is the same as another finding",
        ),
        (
            one_push(),
            {"pushes": [{"reports": {"generalist": [recorded(fate="wrong", ruling={"why": "It is not."})]}}]},
            "what is wrong has a ruling with a quote and a why",
        ),
        (
            one_push(),
            {"pushes": [{"reports": {"generalist": [recorded(ruling={"problem": "so " * 36})]}}]},
            "ruling.problem: at most 25 words",
        ),
    ],
)
def test_an_error_in_a_case_names_the_file_and_the_key(
    tmp_path: Path, sheet: dict[str, Any], said: Any, message: str
) -> None:
    """The author of a case learns where to look."""
    write_case(tmp_path, "python/broken", sheet, {"shop/orders.py": DISCOUNTED}, said=said)

    with pytest.raises(UnreadableCase) as raised:
        read_cases(tmp_path)

    assert message in str(raised.value)
    assert "python/broken/" in str(raised.value)


def test_files_that_are_no_yaml_and_pushes_that_change_nothing_are_errors(tmp_path: Path) -> None:
    """Both errors name the path."""
    write_case(tmp_path, "python/same", one_push(), BASE)
    with pytest.raises(UnreadableCase, match="python/same/push-1: the push changes nothing"):
        read_cases(tmp_path)

    (tmp_path / "python/same/case.yaml").write_text("title: [", encoding="utf-8")
    with pytest.raises(UnreadableCase, match=r"case\.yaml: no YAML"):
        read_cases(tmp_path)


def test_two_cases_with_the_same_title_are_an_error(tmp_path: Path) -> None:
    """Recorded answers know a case by its title only."""
    write_case(tmp_path, "python/one", one_push(), {"shop/orders.py": DISCOUNTED})
    write_case(tmp_path, "python/two", one_push(), {"shop/orders.py": DISCOUNTED})

    with pytest.raises(UnreadableCase, match="python/two: title: python/one has the same one"):
        require_unique_titles(read_cases(tmp_path))


def test_lines_are_followed_from_push_to_push_through_a_rename(tmp_path: Path) -> None:
    """A line goes where its text goes; where the text is gone, to what stands in its place; so does a renamed file."""
    longer = "import os\n\n\n" + DISCOUNTED
    renamed = {"shop/baskets.py": longer.replace("sum(prices) + discount", "sum(prices) - discount")}
    sheet = {**DEFECT, "pushes": [{"expected": [expected()]}, {}, {"delete": ["shop/orders.py"]}]}
    write_case(tmp_path, "python/discount", sheet, {"shop/orders.py": DISCOUNTED}, {"shop/orders.py": longer}, renamed)
    [case] = read_cases(tmp_path)

    places = [case.locate("shop/orders.py", (2, 2), 0, push) for push in range(3)]

    assert places == [("shop/orders.py", (2, 2)), ("shop/orders.py", (5, 5)), ("shop/baskets.py", (5, 5))]


def test_cases_become_histories_with_the_same_commits_on_every_machine(tmp_path: Path) -> None:
    """Each case begins from nothing; a commit has all files of its push, and no other, and the push's message."""
    write_both(tmp_path / "cases")
    odd = 'shop/"a"\\b\nc.py'
    sheet = {**DEFECT, "pushes": [{"expected": [expected()]}, {"delete": ["README.md"]}]}
    write_case(tmp_path / "cases", "python/taken", sheet, {"shop/orders.py": DISCOUNTED, odd: "x = 1\n"}, {})
    cases = read_cases(tmp_path / "cases")

    histories, again = (write_histories(tmp_path / name, cases) for name in ("one.git", "two.git"))

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(tmp_path / "one.git"), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    history, taken = histories["python/discount"], histories["python/taken"]
    assert histories == again
    assert git("log", "--format=%s", history.heads[1]).split("\n")[:-1] == ["Take it off", "Give a discount", "Begin"]
    assert git("show", f"{history.heads[0]}:shop/orders.py") == DISCOUNTED
    assert git("ls-tree", "-r", "--name-only", history.base).split() == ["README.md", "shop/orders.py"]
    assert git("ls-tree", "-rz", "--name-only", taken.heads[1]).split("\0")[:-1] == [odd, "shop/orders.py"]
    assert git("rev-parse", f"{history.heads[0]}^").strip() == history.base
