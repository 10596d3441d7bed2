"""Descriptions as people and bots write them, and the intent in them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kodiai.core.changes.intent import intent
from kodiai.core.text.incoming import incoming
from tests.tables import each_row

TEMPLATE = """\
<!-- Thank you! Please read CONTRIBUTING.md first. -->
## Description

Please say what changes, and why.

Fixes #<!-- the issue's number -->

## Type of change

- [ ] Bug fix (a change that breaks nothing and fixes something)
- [ ] New feature
  - [ ] with a page in the manual
- [ ] It needs another change first,
      which is linked below
* Deployment
  * [ ] needs a migration

## Screenshots

_Delete this section if there is nothing to see._

<details>
<summary>Logs</summary>

Paste logs here

</details>

## How was it tested?

```sh
make test
```

**Reviewers**
@octo/core

| Question | Answer |
|---|---|
| Breaks something? | yes/no |
| Licence | MIT |

---

- [ ] I have signed the agreement
"""
LOGS = "Paste logs here\n\n    502 Bad Gateway"
CODE = "```md\n- [ ] a box in code\n<!-- a comment in code -->\n\n\n## A heading in code\n```"
FILLED = (
    TEMPLATE.replace(
        "Fixes #<!-- the issue's number -->", "The loop :rocket: ends. 🎉\nSee `<!-- it -->`.\n\nFixes #12"
    )
    .replace("- [ ] Bug", "- [X] Bug")
    .replace("[ ] with", "[x] with")
    .replace("[ ] It", "[x] It")
    .replace("[ ] needs", "[x] needs")
    .replace("Paste logs here", LOGS)
    .replace("tested?\n", f"tested?\n\n{CODE}\n")
    .replace("yes/no", "no")
)
MEANT = f"""\
## Description

The loop :rocket: ends. 🎉
See `<!-- it -->`.

Fixes #12

## Type of change

- [X] Bug fix (a change that breaks nothing and fixes something)
- [ ] New feature
  - [x] with a page in the manual
- [x] It needs another change first,
  which is linked below
* Deployment
  * [x] needs a migration

## Screenshots

```
502 Bad Gateway
```

## How was it tested?

{CODE}

**Reviewers**

| Breaks something? | no |"""


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_half_filled_form_is_reduced_to_the_authors_words(end: str) -> None:
    """It keeps the headings above that, and what was ticked; all lines end alike."""
    filled = FILLED.replace("\n", end)

    meant = intent(filled, ["Another form", TEMPLATE])

    assert meant == MEANT


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_empty_form_says_nothing(end: str) -> None:
    """Other spaces, bullets and case make no difference, nor does a part that somebody left out."""
    whole = TEMPLATE.replace("\n", end)
    changed = (
        whole.replace("* ", "-  ").replace("Please", "please").replace("- [ ] New feature", "").replace("#<", "# <")
    )

    assert (intent(whole, [TEMPLATE]), intent(changed, [TEMPLATE])) == ("", "")


CASES = {
    "nothing": ("", ""),
    "blank lines": ("\n \n\t\n", ""),
    "plain words": ("Fix the parser\n", "Fix the parser"),
    "blank lines between": ("\n\nOne\n\n \n\nTwo\n\n", "One\n\nTwo"),
    "a comment over several lines": ("One\n<!-- a\n\nb -->\nTwo", "One\n\nTwo"),
    "comments that are definitions": ("One\n\n[//]: # (a)\n[comment]: <> (b)\n\nTwo", "One\n\nTwo"),
    "code that is indented": ("One\n\n    - [ ] a\n    <!-- b -->", "One\n\n```\n- [ ] a\n<!-- b -->\n```"),
    "code in a list": ("- One\n  ~~~\n  - [ ] a\n\n\n  ~~~\n- [ ] Two", "- One\n  ```\n  - [ ] a\n\n\n  ```"),
    "a fence that is not closed": ("```\n- [ ] a\n<!-- b -->", "```\n- [ ] a\n<!-- b -->\n```"),
    "boxes of all kinds": (
        "* [ ] a\n+ [ ] b\n1. [ ] c\n2. [x] d\n- [ ]\n- [x]e\n- [ ](f)",
        "2. [x] d\n- [x]e\n- [ ](f)",
    ),
    "a box in a quote": ("> - [ ] a\n> - [x] b", "> - [x] b"),
    "a box with its wrapped text": ("- [ ] a\n  b\n\nc", "c"),
    "a box with something inside": ("- [ ] a\n- [ ] b\n  - c", "- [ ] b\n  - c"),
    "boxes within boxes": ("- [ ] a\n  - [ ] b\n    - [ ] c\n- d", "- d"),
    "headings with nothing below": ("# a\n\n## b\n\n### c\n\n## d\n\nOne\n\n## e", "# a\n\n## d\n\nOne"),
    "a heading over nothing but a box": ("One\n\n## Checklist\n- [ ] a", "One"),
    "a heading that names an issue": ("## Fixes #12\n\n## Tests", "## Fixes #12"),
    "rules that part nothing": ("One\n\n---\n\n- [ ] a\n\n---\n\nTwo\n\n***", "One\n\n___\n\nTwo"),
    "badges": ("[![CI](https://x/badge.svg)](https://x) One ![v](https://img.shields.io/v.svg)", "One"),
    "a badge in HTML": ('a <a href="https://x"><img alt="b" src="https://x/badge/b"></a>', "a"),
    "pictures": ("![](https://x/a.svg) [![](https://x/a.png)](https://x)",) * 2,
    "other people's words": ("Réparer 🔧 l’analyse\n\n- 修复 #1", "Réparer 🔧 l’analyse\n\n- 修复 #1"),
}


@each_row(("body", "meant"), CASES.values(), ids=CASES)
def test_lines_that_say_nothing_are_left_out_without_a_form_too(body: str, meant: str) -> None:
    """Comments, badges, boxes that nobody ticked, and headings over nothing go; everything else stays."""
    assert intent(body, []).strip(" ") == meant


DEPENDABOT = """\
Bumps [lodash](https://github.com/lodash/lodash) from 4.17.20 to 4.17.21.
<details>
<summary>Release notes</summary>
<blockquote><p>Closes a hole.</p></blockquote>
</details>
<br />

[![Dependabot compatibility score](https://dependabot-badges.githubapp.com/badges/compatibility_score?a=b&c=d)](https://x)

Dependabot will resolve any conflicts with this PR as long as you don't alter it yourself.

[//]: # (dependabot-automerge-start)
[//]: # (dependabot-automerge-end)

---

<details>
<summary>Dependabot commands and options</summary>
<br />

You can trigger Dependabot actions by commenting on this PR:
- `@dependabot rebase` will rebase this PR

</details>
"""
RENOVATE = """\
This PR contains the following updates:

| Package | Change | Age |
|---|---|---|
| [httpx](https://x) | `0.27.0` -> `0.28.1` | [![age](https://developer.mend.io/api/mc/badges/a/b)](https://x) |

---

### Release Notes

<details>
<summary>encode/httpx (httpx)</summary>

### [`v0.28.1`](https://x)

- Fix a case.

</details>

---

### Configuration

📅 **Schedule**: Branch creation - At any time (no schedule defined).

🔕 **Ignore**: Close this PR and you won't be reminded about this update again.

---

- [ ] <!-- rebase-check -->If you want to rebase/retry this PR, check this box

---

This PR was generated by [Mend Renovate](https://mend.io/renovate/).
<!--renovate-debug:eyJ-->
"""
RELEASED = """\
This PR contains the following updates:

| Package | Change | Age |
|-|-|-|
| [httpx](https://x) | `0.27.0` -> `0.28.1` |  |

### Release Notes

<details>
<summary>encode/httpx (httpx)</summary>

### [`v0.28.1`](https://x)

- Fix a case.

</details>
"""
AGENT = """\
## Summary

- Retry on 502

## Test plan
- [ ] Look at it

🤖 Generated with [Claude Code](https://claude.com/claude-code)

Co-Authored-By: Claude <noreply@anthropic.com>
"""


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        (DEPENDABOT, DEPENDABOT[: DEPENDABOT.index("<br />")]),
        (RENOVATE, RELEASED),
        (AGENT, "## Summary\n\n- Retry on 502"),
    ],
    ids=["Dependabot", "Renovate", "an agent"],
)  # fmt: skip
def test_bots_say_what_they_changed_and_not_how_they_work(body: str, meant: str) -> None:
    """Their commands, settings and signatures at the end go; what is released stays."""
    assert intent(body, []) == meant.rstrip()


@pytest.mark.parametrize(
    ("body", "form"),
    [
        ("This PR was generated by Renovate, and then I fixed it.\n\nCo-authored-by: ann\n\nIt works.", ""),
        ("/kind bug", "<!--\n/kind bug\n/kind feature\n-->\n"),
    ],
    ids=["bots speak at the very end only", "a line that the author took out of a comment"],
)
def test_peoples_words_stay(body: str, form: str) -> None:
    """Though a bot, or a comment of the form, has such words too."""
    assert intent(f"{body}\n", [form]) == body


PIECES = [
    *"<!-- --> ` `` # ## - * > 1. <details> </details> <summary>tips</summary> <pre> </pre> <br> <img </a>".split(),
    *"a [ ] ( ![ [![ x.svg) ](badge) \\ 🎉 \ufe0f \0 \ud800 \x0c \u2028 \xa0 \n \n\n \r\n \r".split(" "),
    *("- [ ] ", "- [x] ", "> ", "  ", "    ", "# ", "[//]: # (", "<img src='badge'>", "<a href=x>"),
    *("```\n", "~~~\n", "---\n", "===\n", "**L**\n", "Text\n", "| a |\n|---|\n"),
    *("Co-authored-by: x\n", "## Configuration\n📅\n"),
]
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=40).map("".join)


@given(body=TEXTS, form=TEXTS, mixed=st.booleans())
@settings(max_examples=200)
def test_any_text_is_read_to_its_end(body: str, form: str, mixed: bool) -> None:
    """Nothing raises, and nothing becomes longer than what its readers see."""
    templates = [form, body[: len(body) // 2]] if mixed else [form]

    meant = intent(body, templates)

    assert len(meant) <= len(incoming(body))


@given(
    code=st.lists(st.sampled_from(["- [ ] a", "<!-- b -->", "# c", "---", "", "  ", "\t", "**L**", "d `e"]), min_size=1)
)
@settings(max_examples=100)
def test_code_is_left_to_the_byte(code: list[str]) -> None:
    """Neither its content matters, nor what is left out around it."""
    block = "\n".join(["```md", *code, "```"])

    meant = intent(f"# a\n<!-- b -->\n- [ ] c\n\n{block}\n\n- [ ] d\n## e\n", ["**L**\n---\nd `e\n"])

    assert meant == f"# a\n\n{block}"


@each_row(
    ("pieces", "length"),
    [(("`a``b```c", "a <!--", "> ", "- ", "1. ", "| a ", "<a "), 65_000), (("[![", "- [ ] a\n", "# a\n"), 8_000)],
)
def test_no_description_is_too_deep_or_too_long(pieces: tuple[str, ...], length: int) -> None:
    """GitHub takes 65,536 characters, whatever they are."""
    for piece in pieces:
        body = f"{piece * (length // len(piece))}\n\nThe end."

        assert intent(body, []).endswith("The end.")
