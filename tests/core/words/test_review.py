"""The texts of a review, whole, as the author of the pull request reads them."""

from kodiai.core.changes.scope import Skipped
from kodiai.core.findings.judge import Dropped
from kodiai.core.words.review import BODY_LIMIT, comment_body, review_body
from tests.builders import HEAD, RUN, a_file, a_finding, a_judgement, a_scope, a_telling, kept
from tests.review_form import comment_faults, review_faults

MARKER = f"<!-- kodiai:review run={RUN} head={HEAD} -->"


def test_a_review_with_everything_in_it() -> None:
    """Every section in its order, impact before preference, the counts in the verdict, the details behind it."""
    findings = [
        a_finding(severity="CRITICAL", title="The token is logged", path="src/login.py", start_line=3, end_line=5),
        a_finding(),
        a_finding(severity="MINOR", kind="preference", title="A generator reads better", explanation="It is lazy."),
    ]
    dropped = [Dropped(a_finding(severity="MINOR", title="Unused name"), "below the severity floor MEDIUM")]
    scope = a_scope([a_file(), a_file("src/login.py")], [Skipped("uv.lock", "lock file")], total_hunks=5)
    telling = a_telling(
        what_changed=["The report is written as a stream.", "The token is kept."],
        strengths=["Tests come with it"],
        suggestions=["Measure the stream with a large report"],
        problems=[".kodiai.yml: `review.depth` is not a known key and is ignored."],
    )

    body = review_body(scope, a_judgement(findings, dropped), telling)

    assert (
        body
        == f"""\
<details><summary>Kodiai Review Summary</summary>

## What Changed

- The report is written as a stream.
- The token is kept.

## Strengths

- :white_check_mark: Tests come with it

## Observations

### Impact

[CRITICAL] src/login.py (3-5): The token is logged
An empty list leaves `total` unset, so the first report fails.

[MAJOR] src/app.py (12): The total is read before it is set
An empty list leaves `total` unset, so the first report fails.

### Preference

[MINOR] src/app.py (12): A generator reads better
Optional: It is lazy.

## Suggestions

- Measure the stream with a large report

## Verdict

:red_circle: **Address before merging** -- 1 CRITICAL and 1 MAJOR with impact

</details>

<details><summary>Review Details</summary>

- Mode: full (no-prior-review), lite
- Coverage: read 2 of 3 files, 2 of 5 hunks
- Findings: 1 CRITICAL, 1 MAJOR, 1 MINOR
- Problem: .kodiai.yml: `review.depth` is not a known key and is ignored.
- Model: claude-sonnet-5-5, claude-haiku-5-5, 12,345 tokens in (9,000 from cache), 678 out, $0.0123
- Time: 42 s

Held back:

- [MINOR] src/app.py (12): Unused name -- below the severity floor MEDIUM

Not read:

- uv.lock -- lock file

</details>

{MARKER}"""
    )
    assert review_faults(body) == []


def test_a_review_of_a_change_without_findings() -> None:
    """Sections without anything in them are not there."""
    body = review_body(a_scope(), a_judgement(), a_telling(cost_usd=None))

    assert (
        body
        == f"""\
<details><summary>Kodiai Review Summary</summary>

## What Changed

- The report is written as a stream.

## Verdict

:green_circle: **Ready to merge** -- nothing found in the one file

</details>

<details><summary>Review Details</summary>

- Mode: full (no-prior-review), lite
- Coverage: read 1 of 1 file, 1 of 1 hunk
- Findings: none
- Model: claude-sonnet-5-5, claude-haiku-5-5, 12,345 tokens in (9,000 from cache), 678 out, price unknown
- Time: 42 s

</details>

{MARKER}"""
    )
    assert review_faults(body) == []


def test_a_review_of_preferences_alone() -> None:
    """They are minor items; a block of code as explanation, or none at all, keeps the form."""
    findings = [
        a_finding(severity="MEDIUM", kind="preference", explanation="```python\nreturn sum(values)\n```"),
        a_finding(severity="MINOR", kind="preference", path="pkg/__init__.py", title="Say __all__", explanation=""),
    ]

    body = review_body(a_scope(), a_judgement(findings), a_telling())

    assert (
        body.partition("## Observations\n\n")[2].partition("\n\n</details>")[0]
        == """\
### Preference

[MEDIUM] src/app.py (12): The total is read before it is set
Optional:
```python
return sum(values)
```

[MINOR] `pkg/__init__.py` (12): Say \\_\\_all\\_\\_

## Verdict

:yellow_circle: **Ready to merge with minor items** -- 2 findings, none of them blocking"""
    )
    assert review_faults(body) == []


def test_one_minor_finding_is_counted_in_the_singular() -> None:
    """Words agree with their number."""
    body = review_body(a_scope(), a_judgement([a_finding(severity="MINOR")]), a_telling())

    assert ":yellow_circle: **Ready to merge with minor items** -- 1 finding, not blocking\n" in body


def test_what_was_not_read_is_not_called_good() -> None:
    """Without a file to read there is nothing to find, and the verdict says so."""
    scope = a_scope([], [Skipped("uv.lock", "lock file")])

    body = review_body(scope, a_judgement(), a_telling(what_changed=[]))

    assert "## What Changed\n\n1 file; the reviewer did not sum the change up.\n" in body
    assert ":green_circle: **Ready to merge** -- there was nothing to read\n" in body
    assert "- Coverage: read 0 of 1 file, 0 of 0 hunks\n" in body
    assert review_faults(body) == []


def test_coverage_says_how_many_of_how_many_files() -> None:
    """The verdict of a partial look says that it is partial."""
    some = review_body(a_scope([a_file()], [Skipped("a.png", "binary")]), a_judgement(), a_telling())
    every = review_body(a_scope([a_file("a.py"), a_file("b.py")]), a_judgement(), a_telling())

    assert "-- nothing found in 1 of 2 files\n" in some
    assert "-- nothing found in all 2 files\n" in every


def test_a_long_list_of_files_is_cut_with_their_number() -> None:
    """A hundred are named."""
    skipped = [Skipped(f"vendor/{number}.js", "vendored") for number in range(150)]

    body = review_body(a_scope(skipped=skipped), a_judgement(), a_telling())

    assert body.count(" -- vendored\n") == 100
    assert "- vendor/99.js -- vendored\n- and 50 files more\n" in body


def test_sums_of_several_batches_keep_their_own_shape() -> None:
    """A list or a block of code stays within its item."""
    what_changed = ["First:\n\n- one\n- two", "Second:\n```\n</details>\n\u2028\n```\nand more"]

    body = review_body(a_scope(), a_judgement(), a_telling(what_changed=what_changed))

    assert (
        """## What Changed

- First:

  - one
  - two
- Second:
  ```
  </details>
  \u2028
  ```
  and more

## Verdict"""
        in body
    )
    assert review_faults(body) == []


def test_where_a_review_is_too_long_explanations_go_first() -> None:
    """Every finding is still named, and the review says what is missing."""
    findings = [a_finding(title=f"Concern {number}", explanation="<" * 9_000) for number in range(5)]

    body = review_body(a_scope(), a_judgement(findings), a_telling())

    assert len(body) <= BODY_LIMIT
    assert "&lt;" not in body
    assert body.count("[MAJOR] src/app.py (12): Concern") == 5
    assert "\n\nThe explanations were left out: this review would have been longer than GitHub takes.\n\n" in body
    assert "<summary>Review Details</summary>" in body
    assert review_faults(body) == []


def test_where_that_does_not_do_the_details_go_too() -> None:
    """What was held back matters less than what is told."""
    dropped = [Dropped(a_finding(title="<" * 300), "below the severity floor MAJOR")] * 90

    body = review_body(a_scope(), a_judgement([a_finding()], dropped), a_telling())

    assert len(body) <= BODY_LIMIT
    assert "[MAJOR] src/app.py (12): The total is read before it is set\n" in body
    assert body.endswith(
        "\n\nThe explanations and the details were left out:"
        f" this review would have been longer than GitHub takes.\n\n{MARKER}"
    )
    assert review_faults(body) == []


def test_at_the_very_least_the_verdict_is_told() -> None:
    """However many findings there are, and however long the summary is."""
    body = review_body(a_scope(), a_judgement([a_finding()]), a_telling(what_changed=["<" * 90_000]))

    assert (
        body
        == f"""\
<details><summary>Kodiai Review Summary</summary>

## Verdict

:red_circle: **Address before merging** -- 1 MAJOR with impact

</details>

The findings and the details were left out: this review would have been longer than GitHub takes.

{MARKER}"""
    )
    assert review_faults(body) == []


def test_an_inline_comment_with_a_suggestion() -> None:
    """Severity and title, the mechanism, the change for one click, the marker."""
    told = kept(a_finding())

    body = comment_body(told, "    total = 0\n    return total\n")

    assert (
        body
        == f"""\
**[MAJOR] The total is read before it is set**

An empty list leaves `total` unset, so the first report fails.

```suggestion
    total = 0
    return total
```

<!-- kodiai:finding id={told.id} -->"""
    )
    assert comment_faults(body) == []


def test_an_inline_comment_without_a_suggestion() -> None:
    """A preference says that it is one."""
    told = kept(a_finding(kind="preference", severity="MINOR"))

    body = comment_body(told, None)

    assert (
        body
        == f"""\
**[MINOR] The total is read before it is set**

Optional: An empty list leaves `total` unset, so the first report fails.

<!-- kodiai:finding id={told.id} -->"""
    )
    assert comment_faults(body) == []


def test_a_suggestion_that_takes_lines_away_is_an_empty_block() -> None:
    """With an empty line in it GitHub would put an empty line there instead."""
    taken_away = comment_body(kept(a_finding()), "")
    emptied = comment_body(kept(a_finding()), "\n")

    assert "\n\n```suggestion\n```\n\n" in taken_away
    assert "\n\n```suggestion\n\n```\n\n" in emptied


def test_a_comment_that_would_be_too_long_goes_without_its_suggestion() -> None:
    """GitHub refuses the whole review for one comment that is too long."""
    told = kept(a_finding(title="<" * 9_000, explanation="<" * 90_000))

    body = comment_body(told, "x = 1\n" * 9_000)

    assert len(body) <= BODY_LIMIT
    assert "suggestion" not in body
    assert body.endswith(f"…\n\n<!-- kodiai:finding id={told.id} -->")
    assert comment_faults(body) == []
