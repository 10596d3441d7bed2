"""The settings that a repository's `.kodiai.yml` leads to, right or wrong."""

import json
from textwrap import dedent

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kodiai.core.config.keys import Config
from kodiai.core.config.read import misnamed, read_config
from tests.tables import each_row

REFUSAL = "`.kodiai.yml` on the base branch cannot be followed, so nothing is done until it is fixed"


def _read(text: str) -> Config:
    return read_config(dedent(text).encode())


@each_row("content", [None, b"", b"\n# nothing yet\n", b"---\n", b"review:\n", b"review: {}\nbudget:\n"])
def test_without_settings_the_defaults_are_followed(content: bytes | None) -> None:
    """No file, an empty one, or sections whose keys are all commented out."""
    assert read_config(content) == Config()


def test_every_key_can_be_set() -> None:
    """Under its name as documented, and no other."""
    text = dedent(
        """
        review:
          enabled: false
          triggers: {onOpened: false, onReadyForReview: false, onReviewRequested: false, onSynchronize: false}
          skipPaths: ["docs/", "*.md"]
          skipAuthors: ["renovate[bot]", Octocat]
          instructions: [{paths: [src/api/, "*.sql"], text: Check the rights.}]
          rules: [{id: no-print, text: Nothing prints., paths: [src/], level: error}]
          linkedIssue: warning
          guidance: [docs/style.md]
          language: zh-Hant-TW
          bots: ["dependabot[bot]"]
          outsiders: never
          labels: {only: [Ready], ignore: [wip, "on hold"]}
          baseBranches: [main, release/*]
          maxComments: 0
          severity: {minLevel: MAJOR}
          event: verdict
          check: {failOn: MAJOR}
          drafts: yes
          repeatOpen: comment
        knowledge:
          retrieval: {enabled: false, topK: 1, distanceThreshold: 1, maxContextChars: 0}
          sharing: {enabled: true}
        mention:
          enabled: off
          aliases: [reviewer]
          allowedUsers: []
          conversation: {maxTurnsPerPr: 0, contextBudgetChars: 500}
        proposals: {enabled: false, denyPaths: [.github/]}
        budget: {perPullRequest: 0.5, perRepositoryPerMonth: 100}
        """
    )

    config = read_config(text.encode())

    assert (config.problems, config.refusal) == ((), None)
    read = config.model_dump_json(by_alias=True, exclude={"problems", "refusal"})
    assert json.loads(read) == yaml.safe_load(text)
    in_small_letters = read_config(text.replace("MAJOR", "major").encode())
    assert in_small_letters == config


def fallen_back(text: str) -> str:
    """The problem of a file with a bad key, where everything else is as without it."""
    config = read_config(text.encode())
    [problem] = config.problems
    assert config.model_copy(update={"problems": ()}) == Config()
    return problem.removeprefix(".kodiai.yml: ").removesuffix(".")


BOTS = "must be true, false or a list of logins as GitHub writes them, such as renovate[bot]"
ITEM = "{paths: [a], text: Hi.}"
SHOWN = '[{"paths": ["a"], "text": "Hi."}, {"path…'
ODD_PART = "it has an empty part, “.” or “..”, which no path has"


@each_row(
    ("key", "value", "problem"),
    [
        ("maxComments", "many", 'must be a whole number, not `"many"`; `10` is used'),
        ("maxComments", "5.5", "must be a whole number, not `5.5`; `10` is used"),
        ("maxComments", "true", "must be a whole number, not `true`; `10` is used"),
        ("maxComments", "-1", "must be at least 0, not `-1`; `10` is used"),
        ("maxComments", "101", "must be at most 100, not `101`; `10` is used"),
        ("maxComments", "", "has no value; `10` is used"),
        ("drafts", "'yes'", 'must be true or false, not `"yes"`; `false` is used'),
        ("event", "APPROVE", 'must be comment or verdict, not `"APPROVE"`; `"comment"` is used'),
        ("repeatOpen", "off", 'must be list or comment, not `false`; `"list"` is used'),
        ("severity.minLevel", "5", 'must be CRITICAL, MAJOR, MEDIUM or MINOR, not `5`; `"MINOR"` is used'),
        ("bots", "all", f'{BOTS}, not `"all"`; `false` is used'),
        ("bots", "[octocat, 5]", f'{BOTS}, not `["octocat", 5]`; `false` is used'),
        ("bots", "", "has no value; `false` is used"),
        ("triggers", "always", 'must be a mapping of keys, not `"always"`'),
        ("language", "German", 'must be the tag of a language, such as de or pt-BR, not `"German"`; it is ignored'),
        ("language", "no", "must be a text, not `false`; it is ignored"),
        ("instructions", "Be kind.", 'must be a list, not `"Be kind."`; `[]` is used'),
        ("instructions", "[Be kind.]", '(item 1) must be a mapping of keys, not `"Be kind."`; `[]` is used'),
        ("instructions", "[{paths: [a]}]", "(item 1, `text`) must be given; `[]` is used"),
        ("instructions", "[{paths: [a], text: }]", "(item 1, `text`) has no value; `[]` is used"),
        ("instructions", "[{paths: [a], text: ''}]", '(item 1, `text`) must be a text, not `""`; `[]` is used'),
        (
            "instructions",
            "[{paths: [], text: Hi.}]",
            "(item 1, `paths`) must be a list with an entry, not `[]`; `[]` is used",
        ),
        (
            "instructions",
            f"[{ITEM}, {{paths: [b, ../c], text: Hi.}}]",
            f'(item 2, `paths`, item 2) must be a pattern that we can follow: {ODD_PART}, not `"../c"`; `[]` is used',
        ),
        (
            "instructions",
            "[{paths: [a], text: Hi., when: never}]",
            "(item 1, `when`) must be left out, as it is not a known key; `[]` is used",
        ),
        (
            "instructions",
            f"[{{paths: [a], text: {'x' * 4_001}}}]",
            f'(item 1, `text`) must be at most 4,000 characters, not `"{"x" * 39}…`; `[]` is used',
        ),
        ("instructions", f"[{f'{ITEM}, ' * 51}]", f"must be at most 50 entries, not `{SHOWN}`; `[]` is used"),
        ("maxComment", "5", "is not a known key and is ignored; perhaps `review.maxComments` is meant"),
    ],
)
def test_a_bad_key_of_reviews_that_restricts_nothing_falls_back_alone(key: str, value: str, problem: str) -> None:
    """It is reported in the review, and everything else is followed."""
    section, _, name = f"review.{key}".rpartition(".")
    nested = f"{section.replace('.', ': {')}: {{{name}: {value}}}{'}' * section.count('.')}"

    assert fallen_back(nested) == f"`review.{key}` {problem}"


@each_row(
    ("text", "problem"),
    [
        (
            "knowledge: {retrieval: {distanceThreshold: .inf}}",
            "`knowledge.retrieval.distanceThreshold` must be a finite number, not `Infinity`; `0.3` is used",
        ),
        (
            "mention: {aliases: [kodiai, '@me']}",
            (
                "`mention.aliases` (item 2) must be a login as GitHub writes it, such as octocat or renovate[bot],"
                ' not `"@me"`; `[]` is used'
            ),
        ),
        ("max_comments: 5", "`max_comments` is not a known key and is ignored; perhaps `review.maxComments` is meant"),
        ("on: [push]", "`on` is not a known key and is ignored"),
        ("5: 6", "`5` is not a known key and is ignored"),
    ],
)
def test_a_bad_key_elsewhere_falls_back_alone_too(text: str, problem: str) -> None:
    """Also one of no section, and one that is no text."""
    assert fallen_back(text) == problem


def test_a_bad_key_does_not_affect_its_neighbors() -> None:
    """Each key falls back for itself, and each is reported."""
    config = _read(
        """
        review: {maxComments: many, drafts: true, skipPaths: [docs/]}
        knowledge: {retrieval: {topK: 0, maxContextChars: 100}}
        extra: 1
        """
    )

    assert (config.review.drafts, config.review.skip_paths, config.review.max_comments) == (True, ("docs/",), 10)
    assert (config.knowledge.retrieval.top_k, config.knowledge.retrieval.max_context_chars) == (5, 100)
    assert len(config.problems) == 3
    assert config.refusal is None


FOLLOWED = "must be a pattern that we can follow"
UNKNOWN = "is not a known key, and may be meant to restrict"


@each_row(
    ("text", "key", "complaint"),
    [
        ("review: {skipPaths: secrets/}", "review.skipPaths", 'must be a list, not `"secrets/"`'),
        ("review: {skipPaths: [docs/, 5]}", "review.skipPaths", "(item 2) must be a text, not `5`"),
        ("review: {skipPaths: }", "review.skipPaths", "has no value"),
        (
            "review: {skipPaths: ['!docs']}",
            "review.skipPaths",
            f'(item 1) {FOLLOWED}: exceptions with “!” are not supported, not `"!docs"`',
        ),
        ("review: {skipAuthors: [no]}", "review.skipAuthors", "(item 1) must be a text, not `false`"),
        ("review: {labels: {only: wip}}", "review.labels.only", 'must be a list, not `"wip"`'),
        ("review: {labels: {only: }}", "review.labels.only", "has no value"),
        (
            "review: {labels: {ignore: [wip, '']}}",
            "review.labels.ignore",
            '(item 2) must be the name of a label, of at most 50 characters, not `""`',
        ),
        ("review: {labels: [wip]}", "review.labels", 'must be a mapping of keys, not `["wip"]`'),
        ("review: {labels: {not: [wip]}}", "review.labels.not", UNKNOWN),
        ("review: {baseBranches: main}", "review.baseBranches", 'must be a list, not `"main"`'),
        (
            "review: {baseBranches: [main, /release]}",
            "review.baseBranches",
            f'(item 2) {FOLLOWED}: no branch begins or ends with “/”, not `"/release"`',
        ),
        ("mention: {allowedUsers: octocat}", "mention.allowedUsers", 'must be a list, not `"octocat"`'),
        ("mention: {allowedUsers: }", "mention.allowedUsers", "has no value"),
        (
            "mention: {conversation: {maxTurnsPerPr: -1}}",
            "mention.conversation.maxTurnsPerPr",
            "must be at least 0, not `-1`",
        ),
        ("proposals: {denyPaths: {a: b}}", "proposals.denyPaths", 'must be a list, not `{"a": "b"}`'),
        ("budget: {perPullRequest: $5}", "budget.perPullRequest", 'must be a number, not `"$5"`'),
        ("budget: {perPullRequest: .nan}", "budget.perPullRequest", "must be a finite number, not `NaN`"),
        ("budget: {perRepositoryPerMonth: -1}", "budget.perRepositoryPerMonth", "must be at least 0, not `-1`"),
        ("budget: 5", "budget", "must be a mapping of keys, not `5`"),
        ("review: [skipPaths]", "review", 'must be a mapping of keys, not `["skipPaths"]`'),
        ("mention: {conversation: short}", "mention.conversation", 'must be a mapping of keys, not `"short"`'),
        ("review: {skipPath: [a]}", "review.skipPath", f"{UNKNOWN}; perhaps `review.skipPaths` is meant"),
        ("skip_paths: [secrets/]", "skip_paths", f"{UNKNOWN}; perhaps `review.skipPaths` is meant"),
        ("reviews: {onOpened: false}", "reviews", f"{UNKNOWN}; perhaps `review` is meant"),
        ("kodiai: {review: {enabled: false}}", "kodiai", UNKNOWN),
        ("budget: {daily: 5}", "budget.daily", UNKNOWN),
    ],
)
def test_a_bad_key_that_restricts_refuses_everything(text: str, key: str, complaint: str) -> None:
    """With a doubt about our rights nothing is done, and the person learns why."""
    config = read_config(text.encode())

    assert config.refusal == f"{REFUSAL}: `{key}` {complaint}."
    assert config.problems == (f".kodiai.yml: `{key}` {complaint}.",)


@each_row("value", ["nope", "'false'", "'true'", "1", "0", "[]", "{a: 1}", ""])
def test_a_bad_enabled_means_not_enabled(value: str) -> None:
    """Whatever was written, it was not clearly a yes; each switch is off for itself."""
    config = _read(
        f"""
        review: {{enabled: {value}}}
        mention: {{enabled: {value}}}
        knowledge: {{retrieval: {{enabled: {value}}}, sharing: {{enabled: {value}}}}}
        proposals: {{enabled: {value}}}
        """
    )

    switches = (config.review, config.mention, config.knowledge.retrieval, config.knowledge.sharing, config.proposals)
    assert (any(each.enabled for each in switches), config.refusal) == (False, None)
    assert len(config.problems) == 5
    assert all(problem.endswith("; `false` is used.") for problem in config.problems)


@pytest.mark.parametrize(("word", "meaning"), [("yes", True), ("on", True), ("no", False), ("off", False)])
def test_yamls_other_words_for_true_and_false_mean_what_they_mean_in_yaml(word: str, meaning: bool) -> None:
    """They are booleans before we see them."""
    assert read_config(f"review: {{enabled: {word}}}".encode()).review.enabled is meaning


@each_row(
    ("content", "reason"),
    [
        (b"review: {enabled: true", "it is not YAML (line 1)"),
        (b"review:\n  enabled: true\n enabled: false\n", "it is not YAML (line 3)"),
        (b"review: \x00", "it is not YAML, or has a value that is none"),
        (b"\tx: 1", "it is not YAML (line 1)"),
        (b"review: \xff", "it is not UTF-8"),
        ("review: {}".encode("utf-16"), "it is not UTF-8"),
        (b"just words", "it is not a mapping of keys"),
        (b"- review", "it is not a mapping of keys"),
        (b"5", "it is not a mapping of keys"),
        (b"review: {}\n---\nreview: {}\n", "it is not YAML (line 2)"),
        (b"review: {}\nreview: {enabled: false}\n", "it has a key twice (line 2)"),
        (b"review:\n  enabled: true\n  enabled: false\n", "it has a key twice (line 3)"),
        (b"? [a]\n: 1\n", "it has a key that is no text (line 1)"),
        (b"review: !!python/object/apply:os.getcwd []", "it has a tag (line 1)"),
        (b"review: {maxComments: !!int ''}", "it has a tag (line 1)"),
        (b"a: &a [x]\nb: *a\n", "it has an alias (line 2)"),
        (b"a: &a [*a]\n", "it has an alias (line 1)"),
        (b"[" * 10_000, "it is nested too deeply (line 1)"),
        (b"review: {maxComments: " + b"9" * 5_000 + b"}", "it is not YAML, or has a value that is none"),
        (b"review: {maxComments: 2001-99-99}", "it is not YAML, or has a value that is none"),
        (b"#" * (64 * 1024 + 1), "it is over 64 KiB"),
    ],
)
def test_a_file_that_cannot_be_read_safely_refuses_everything(content: bytes, reason: str) -> None:
    """Nobody knows its restrictions, nor whether it has a gate."""
    gated = read_config(b"review: {check: {failOn: MAJOR}}")

    assert read_config(content) == gated.model_copy(update={"refusal": f"{REFUSAL}: {reason}."})


def test_a_file_of_nothing_but_mistakes_is_reported_in_bounds() -> None:
    """Twenty of them, shortened, and how many more."""
    config = read_config("".join(f"{'k' * 100}{number}: 1\n" for number in range(500)).encode())

    assert len(config.problems) == 21
    assert config.problems[-1] == ".kodiai.yml: 480 more of its keys are wrong."
    assert max(len(problem) for problem in config.problems) < 200


def test_a_text_of_the_file_cannot_leave_its_code_span() -> None:
    """The sentence is posted on GitHub: no mention, no markup, no invisible character of the file's."""
    config = read_config(b'"x` @everyone <b>\\u202E \\uD800": 1\nreview: {drafts: "` @octocat `"}')

    assert config.problems == (
        ".kodiai.yml: `review.drafts` must be true or false, not `\"' @octocat '\"`; `false` is used.",
        ".kodiai.yml: `x' @everyone <b>� ?` is not a known key and is ignored.",
    )


def test_the_base_branch_neither_speaks_for_us_nor_opens_a_gate_by_a_mistake() -> None:
    """`problems` and `refusal` are ours and no keys of the file; the default of a gate would open it."""
    speaking, gated = read_config(b"problems: [a]\nrefusal: b\n"), read_config(b"review: {check: {failOn: minor}}")

    assert [each.split(" is not")[0] for each in speaking.problems] == [
        ".kodiai.yml: `problems`",
        ".kodiai.yml: `refusal`",
    ]
    said = '`review.check.failOn` must be never, rules, CRITICAL or MAJOR, not `"MINOR"`; `"MAJOR"` is used'
    assert gated.problems == (f".kodiai.yml: {said}.",)
    assert (speaking.refusal, gated.refusal, gated.review.check.fail_on) == (None, None, "MAJOR")


def test_listed_authors_bots_and_labels_are_known_whatever_their_capitals() -> None:
    """As on GitHub; a bot is named with what GitHub puts behind its name."""
    review = read_config(b"review: {bots: ['Renovate[bot]'], labels: {only: [Ready], ignore: [WIP]}}").review

    assert read_config(b"review: {skipAuthors: [OctoCat]}").review.skips_author("octocat")
    assert not review.skips_author("octocat")
    assert review.reviews_bot("renovate[bot]")
    assert not review.reviews_bot("dependabot[bot]")
    assert read_config(b"review: {bots: true}").review.reviews_bot("dependabot[bot]")
    assert review.labels.requires("ready")
    assert review.labels.ignores("wip")
    assert not review.labels.ignores("ready")


def test_the_key_changes_with_what_a_review_would_say_and_with_nothing_else() -> None:
    """Turning a trigger on must not cost a full review; skipping other paths must."""
    same = [
        "review: {drafts: true}",
        "review: {triggers: {onSynchronize: false}}",
        "review: {event: verdict}",
        "review: {bots: true}",
        "review: {labels: {only: [ready], ignore: [wip]}}",
        "review: {baseBranches: [main]}",
        "review: {linkedIssue: error, guidance: [docs/], rules: []}",
        "foo: 1",
    ]
    other = [
        "review: {skipPaths: [a]}",
        "review: {maxComments: 5}",
        "review: {severity: {minLevel: MAJOR}}",
        "review: {rules: [{id: a, text: One.}]}",
        "review: {rules: [{id: a, text: One., level: error}]}",
    ]

    assert {read_config(text.encode()).key for text in same} == {Config().key}
    assert len({Config().key, *(read_config(text.encode()).key for text in other)}) == 6


# What YAML gives a meaning to, and words of ours next to it.
WORDS = st.sampled_from(
    [
        *"review enabled skipPaths budget perPullRequest on - : ? [ ] { } &a *a !!int | > ' \" , ~".split(),
        *"5 1e999 0x_ 0b_ 1:99 << % @ ` = 2001-99-99 ---".split(),
        "\n",
        "\n  ",
    ]
)


@settings(max_examples=300)
@given(st.binary(max_size=60) | st.lists(WORDS, max_size=14).map(lambda words: " ".join(words).encode()))
def test_anything_at_all_is_a_configuration(content: bytes) -> None:
    """Followed, told, or refused, and always fit to be written into a comment."""
    config = read_config(content)

    text = "\n".join([*config.problems, config.refusal or ""])
    assert text.encode().decode() == text


def test_names_that_are_taken_for_the_settings_file() -> None:
    """Another ending, case or folder, or no dot; files that are only named after the product are none."""
    taken = [".kodiai.yaml", ".kodiai.json", "kodiai.yml", ".Kodiai.YML", "KODIAI.toml", ".github/.kodiai.yml"]
    others = [".kodiai.yml", ".kodiai", "kodiai.py", "docs/.kodiai.yml", "kodiai.schema.json", ".github/kodiai"]

    assert misnamed([*taken, *others]) == tuple(taken)
