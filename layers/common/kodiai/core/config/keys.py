"""Every key of `.kodiai.yml`: its name, meaning, unit, default, example, and whether it restricts what we may do.

The descriptions are those of the published JSON Schema and of docs/configuration.md, which are generated from here.
They are no docstrings, which would be read from the source at each cold start.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, Strict, WithJsonSchema
from pydantic.alias_generators import to_camel

from kodiai.core.changes.globs import branch_pattern_problem, matches_any, matches_whole, pattern_problem
from kodiai.core.config.strictness import (
    Stricter,
    both_allow,
    first_of,
    intersection,
    minimum,
    off_wins,
    stricter_rules,
    union,
)
from kodiai.core.findings.finding import SEVERITIES, Severity


@dataclass(frozen=True)
class Restricts:
    """Marks a key that restricts what we do: a bad value of it is never replaced by a laxer one.

    `stricter` combines the values of the base branch and the default branch, of which the stricter one counts.
    `bad` is what happens at a bad value: nothing at all is done ("refuse"), or the feature is off ("off").
    """

    stricter: Stricter
    bad: Literal["refuse", "off"] = "refuse"


@dataclass(frozen=True)
class FailsClosed:
    """Marks a key whose bad value is replaced by this one, which lets nothing pass, and not by the default."""

    value: object


STRICTEST_GATE = "MAJOR"
EVERYWHERE = ("**",)
"""The paths of a rule that is for all files."""
_LABEL_CHARACTERS = 50
_INSTRUCTIONS = 50
_INSTRUCTION_PATHS = 50
_INSTRUCTION_CHARACTERS = 4_000
_RULES = 20
_RULE_CHARACTERS = 400
_GUIDANCE = 20
_RULE_ID = re.compile(r"(?!issue(-[0-9]+)?$)[a-z][a-z0-9-]{0,39}")
# The part of BCP 47 that names what people write: a language, its script, a region. https://www.rfc-editor.org/info/bcp47
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?")
_LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,98}(\[bot\])?")


def _login(text: str) -> str:
    if not _LOGIN.fullmatch(text):
        raise ValueError("a login as GitHub writes it, such as octocat or renovate[bot]")
    return text


def _bots(value: object) -> object:
    logins = value if isinstance(value, list | tuple) else None
    if isinstance(value, bool) or (
        logins is not None and all(isinstance(each, str) and _LOGIN.fullmatch(each) for each in logins)
    ):
        return value
    raise ValueError("true, false or a list of logins as GitHub writes them, such as renovate[bot]")


def _label(text: str) -> str:
    if not text.strip() or len(text) > _LABEL_CHARACTERS:
        raise ValueError(f"the name of a label, of at most {_LABEL_CHARACTERS} characters")
    return text


def _language(text: str) -> str:
    if not _LANGUAGE.fullmatch(text):
        raise ValueError("the tag of a language, such as de or pt-BR")
    return text


def _rule_id(text: str) -> str:
    if not _RULE_ID.fullmatch(text):
        raise ValueError("a name of small letters, digits and hyphens, other than issue-1")
    return text


def _ids_differ(rules: "tuple[TeamRule, ...]") -> "tuple[TeamRule, ...]":
    twice = [name for name, times in Counter(rule.id for rule in rules).items() if times > 1]
    if twice:
        raise ValueError(f"a list in which each id stands once ({', '.join(twice)} stands more often)")
    return rules


def _off(value: object) -> object:
    """YAML reads `off` as false."""
    return "off" if value is False else value


def _pattern(problem_in: Callable[[str], str | None]) -> AfterValidator:
    def checked(text: str) -> str:
        if (problem := problem_in(text)) is not None:
            raise ValueError(f"a pattern that we can follow: {problem}")
        return text

    return AfterValidator(checked)


def _capitals(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


Switch = Annotated[bool, Strict()]
Whole = Annotated[int, Strict()]
Fraction = Annotated[float, Strict(), Field(allow_inf_nan=False)]
StrictDollars = Annotated[float, Strict(), Field(ge=0, allow_inf_nan=False)]
StrictLogin = Annotated[
    str, Strict(), AfterValidator(_login), Field(json_schema_extra={"pattern": f"^{_LOGIN.pattern}$"})
]
Bots = Annotated[Switch | tuple[StrictLogin, ...], BeforeValidator(_bots)]
Label = Annotated[str, Strict(), AfterValidator(_label)]
Language = Annotated[
    str, Strict(), AfterValidator(_language), Field(json_schema_extra={"pattern": f"^{_LANGUAGE.pattern}$"})
]
Glob = Annotated[str, Strict(), _pattern(pattern_problem)]
BranchGlob = Annotated[str, Strict(), _pattern(branch_pattern_problem)]
Level = Annotated[
    Severity,
    BeforeValidator(_capitals),
    WithJsonSchema({"enum": [*SEVERITIES, *(severity.lower() for severity in SEVERITIES)]}),
]

Outsiders = Literal["request", "always", "never"]
FailOn = Literal["never", "rules", "CRITICAL", "MAJOR"]
FailOnSetting = Annotated[
    FailOn,
    BeforeValidator(lambda value: value.lower() if _capitals(value) in ("NEVER", "RULES") else _capitals(value)),
    WithJsonSchema({"enum": ["never", "rules", "CRITICAL", "critical", "MAJOR", "major"]}),
]
RuleLevel = Literal["error", "warning", "note"]
LinkedIssueLevel = Literal["off", "note", "warning", "error"]
LinkedIssueSetting = Annotated[
    LinkedIssueLevel, BeforeValidator(_off), WithJsonSchema({"enum": ["off", False, "note", "warning", "error"]})
]


class _Keys(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        hide_input_in_errors=True,
        defer_build=True,  # an event that asks nothing reads no settings of a repository
    )


def _key(default: object, description: str, *, example: object, unit: str = "", unset: str = "") -> Any:
    """A key with what its documentation says: `unset` is what holds without it, where None says nothing."""
    facts: dict[str, Any] = {name: text for name, text in (("unit", unit), ("unset", unset)) if text}
    return Field(default=default, description=description, examples=[example], json_schema_extra=facts)


class TriggersConfig(_Keys):
    """Which events lead to a review."""

    on_opened: Switch = _key(
        True, "Review a pull request when it is opened or reopened, or its base branch is changed.", example=False
    )
    on_ready_for_review: Switch = _key(True, "Review it when it stops being a draft.", example=False)
    on_review_requested: Switch = _key(True, "Review it when the App's review is requested.", example=False)
    on_synchronize: Switch = _key(
        True, "Review it again after every push, once no newer push comes for a while.", example=False
    )


class LabelsConfig(_Keys):
    """Which pull requests are reviewed without being asked, by their labels; capitals do not matter."""

    only: Annotated[tuple[Label, ...] | None, Restricts(intersection)] = _key(
        None,
        "A pull request has to carry one of these labels; an empty list means that none is reviewed.",
        unit="labels",
        unset="all",
        example=["review"],
    )
    ignore: Annotated[tuple[Label, ...], Restricts(union)] = _key(
        (), "A pull request that carries one of these labels is not reviewed.", unit="labels", example=["wip"]
    )

    def requires(self, label: str | None) -> bool:
        """Whether a label is one that a pull request has to carry."""
        return _is_named(label, self.only or ())

    def ignores(self, label: str | None) -> bool:
        """Whether a pull request with this label is not reviewed."""
        return _is_named(label, self.ignore)


def _is_named(name: str | None, names: Iterable[str]) -> bool:
    """Whether a name is among others; GitHub's logins and labels do not tell capitals from small letters."""
    return name is not None and name.casefold() in {each.casefold() for each in names}


class SeverityConfig(_Keys):
    """The severity from which on a finding is shown."""

    min_level: Level = _key(
        "MINOR",
        "The least severity that is shown; findings below it still count, and blocking ones are always listed. "
        "Capitals do not matter.",
        example="MEDIUM",
    )


class CheckConfig(_Keys):
    """The check run."""

    fail_on: Annotated[FailOnSetting, FailsClosed(STRICTEST_GATE)] = _key(
        "never",
        "The least severity of an open finding that fails the check run, a gate where the check is required; "
        "`rules` is for failing rules with the level `error` alone. A value that is none of these counts as `MAJOR`.",
        example="CRITICAL",
    )


class Instruction(_Keys):
    """An instruction of the maintainers for files at some paths, in their words."""

    paths: Annotated[tuple[Glob, ...], Field(min_length=1, max_length=_INSTRUCTION_PATHS)] = Field(
        description="Patterns of the files that it is for, as in gitignore files.", examples=[["src/api/"]]
    )
    text: Annotated[str, Strict(), Field(min_length=1, max_length=_INSTRUCTION_CHARACTERS)] = Field(
        description="What reviewers look at there, what the code has to do, and what not to report.",
        examples=["Check that every route has a test for a caller without rights."],
    )


class TeamRule(_Keys):
    """A rule of the team, which each review rules on: pass, fail, not applicable, or cannot tell."""

    id: Annotated[str, Strict(), AfterValidator(_rule_id)] = Field(
        description="Its name, of small letters, digits and hyphens.",
        examples=["has-rollback"],
        json_schema_extra={"pattern": f"^{_RULE_ID.pattern}$"},
    )
    text: Annotated[str, Strict(), Field(min_length=1, max_length=_RULE_CHARACTERS)] = Field(
        description="The rule, in one sentence.", examples=["Every migration has a rollback."]
    )
    paths: Annotated[tuple[Glob, ...], Field(min_length=1, max_length=_INSTRUCTION_PATHS)] = Field(
        default=EVERYWHERE,
        description="Patterns of the files that it is for, as in gitignore files; without them all files.",
        examples=[["db/migrations/"]],
    )
    level: RuleLevel = Field(
        default="warning",
        description="How much it counts when it fails: `error` as MAJOR, `warning` as MEDIUM, `note` as MINOR.",
        examples=["error"],
    )

    def is_for(self, path: str) -> bool:
        """Whether it is for a file."""
        return matches_any(path, self.paths)


class ReviewConfig(_Keys):
    """The reviews and their form."""

    enabled: Annotated[Switch, Restricts(off_wins, "off")] = _key(
        True, "Whether pull requests are reviewed at all.", example=False
    )
    triggers: TriggersConfig = Field(default=TriggersConfig(), description="Which events lead to a review.")
    skip_paths: Annotated[tuple[Glob, ...], Restricts(union)] = _key(
        (),
        "Files that are neither read nor shown to the model, by patterns as in gitignore files.",
        unit="patterns",
        example=["docs/", "*.svg"],
    )
    skip_authors: Annotated[tuple[StrictLogin, ...], Restricts(union)] = _key(
        (), "Authors whose pull requests are not reviewed.", unit="logins", example=["octocat"]
    )
    instructions: Annotated[tuple[Instruction, ...], Field(max_length=_INSTRUCTIONS)] = _key(
        (),
        f"What reviewers should know of the files at some paths: at most {_INSTRUCTIONS} entries with `paths`,"
        f" patterns as in gitignore files, and `text`, at most {_INSTRUCTION_CHARACTERS:,} characters.",
        unit="`paths` with a `text`",
        example=[{"paths": ["src/api/"], "text": "Check that every route has a test for a caller without rights."}],
    )
    rules: Annotated[
        tuple[TeamRule, ...], Field(max_length=_RULES), AfterValidator(_ids_differ), Restricts(stricter_rules)
    ] = _key(
        (),
        f"Rules that each review rules on: at most {_RULES} entries with an `id`, a `text` of one sentence, `paths`, "
        "and a `level`: `error`, `warning` or `note`.",
        unit="rules",
        example=[{"id": "has-rollback", "text": "Every migration has a rollback.", "paths": ["db/"], "level": "error"}],
    )
    linked_issue: Annotated[LinkedIssueSetting, FailsClosed("error")] = _key(
        "note",
        "The level of what the issues that the pull request closes ask for, and it does not do. "
        "A value that is none of these counts as `error`.",
        example="warning",
    )
    guidance: Annotated[tuple[Glob, ...], Field(max_length=_GUIDANCE)] = _key(
        (),
        "Further files of the base branch that say how code is written here, by patterns as in gitignore files.",
        unit="patterns",
        example=["docs/conventions.md"],
    )
    language: Language | None = _key(
        None,
        "The language of findings and summaries, by its tag. The program's own sentences stay English.",
        unit="language tag",
        unset="English",
        example="pt-BR",
    )
    bots: Bots = _key(
        False,
        "Whether pull requests of bots are reviewed without being asked: all, none, or those of these logins.",
        unit="logins",
        example=["renovate[bot]"],
    )
    outsiders: Annotated[Outsiders | None, Restricts(first_of("never", "request", None, "always"))] = _key(
        None,
        "Whether pull requests of people without write access are reviewed. Without it `request` in public "
        "repositories, `always` in private and internal ones.",
        unset="by visibility",
        example="request",
    )
    labels: LabelsConfig = Field(
        default=LabelsConfig(),
        description="Which pull requests are reviewed without being asked, by their labels; capitals do not matter.",
    )
    base_branches: Annotated[tuple[BranchGlob, ...] | None, Restricts(both_allow)] = _key(
        None,
        "Only pull requests into these branches are reviewed without being asked.",
        unit="patterns of branches",
        unset="all",
        example=["main", "release/*"],
    )
    max_comments: Annotated[Whole, Field(ge=0, le=100)] = _key(
        10,
        "The most inline comments of one review; further findings have their texts in its body.",
        unit="comments",
        example=5,
    )
    severity: SeverityConfig = Field(
        default=SeverityConfig(), description="The severity from which on a finding is shown."
    )
    event: Literal["comment", "verdict"] = _key(
        "comment",
        "`comment` only comments. `verdict` requests changes while a finding blocks, and approves when none does, "
        "everything was read and no required check of others has failed.",
        example="verdict",
    )
    check: CheckConfig = Field(default=CheckConfig(), description="The check run.")
    drafts: Switch = _key(False, "Whether drafts are reviewed without being asked.", example=True)
    repeat_open: Literal["list", "comment"] = _key(
        "list",
        "Where findings that are merely still open are listed after a push: in the check run, or in a review too.",
        example="comment",
    )

    def skips_author(self, login: str) -> bool:
        """Whether this person's pull requests are not reviewed."""
        return _is_named(login, self.skip_authors)

    def reviews_bot(self, login: str) -> bool:
        """Whether this bot's pull requests are reviewed without being asked."""
        return self.bots if isinstance(self.bots, bool) else _is_named(login, self.bots)

    def takes_outsiders(self, *, is_private: bool) -> Outsiders:
        """Whether pull requests of people without write access are reviewed, in a repository that is private or not."""
        return self.outsiders or ("always" if is_private else "request")

    def reviews_into(self, branch: str) -> bool:
        """Whether pull requests into this branch are reviewed without being asked."""
        return self.base_branches is None or any(matches_whole(branch, each) for each in self.base_branches)


class RetrievalConfig(_Keys):
    """The retrieval of earlier findings."""

    enabled: Annotated[Switch, Restricts(off_wins, "off")] = _key(
        True, "Whether findings are remembered and recalled; rules are followed in any case.", example=False
    )
    top_k: Annotated[Whole, Field(ge=1, le=100)] = _key(
        5, "The most findings recalled for one review.", unit="findings", example=10
    )
    distance_threshold: Annotated[Fraction, Field(ge=0, le=2)] = _key(
        0.3,
        "The largest cosine distance, from 0 (the same) to 2, at which a finding is still recalled, or counts as a "
        "dismissal of the same kind.",
        unit="cosine distance",
        example=0.25,
    )
    max_context_chars: Annotated[Whole, Field(ge=0, le=20_000)] = _key(
        2_000, "The most that is recalled in one question to the model.", unit="characters", example=4_000
    )


class SharingConfig(_Keys):
    """Findings shared between the repositories of one owner."""

    enabled: Annotated[Switch, Restricts(off_wins, "off")] = _key(
        False,
        "Whether this repository reads the findings of its owner's other sharing repositories, and offers its own.",
        example=True,
    )


class KnowledgeConfig(_Keys):
    """The memory from review to review."""

    retrieval: RetrievalConfig = Field(default=RetrievalConfig(), description="The retrieval of earlier findings.")
    sharing: SharingConfig = Field(
        default=SharingConfig(), description="Findings shared between the repositories of one owner."
    )


class ConversationConfig(_Keys):
    """The length of a conversation."""

    max_turns_per_pr: Annotated[Whole, Field(ge=0, le=1_000), Restricts(minimum)] = _key(
        10,
        "The most answers on one pull request, and the most replies of an author without write access that a model "
        "reads there, and in each review. Commands of people who may write do not count, except for drafts of changes.",
        unit="answers",
        example=20,
    )
    context_budget_chars: Annotated[Whole, Field(ge=500, le=100_000)] = _key(
        8_000, "The most of a thread that one answer is given to read.", unit="characters", example=12_000
    )


class MentionConfig(_Keys):
    """Answers to those who mention us."""

    enabled: Annotated[Switch, Restricts(off_wins, "off")] = _key(True, "Whether mentions are answered.", example=False)
    aliases: tuple[StrictLogin, ...] = _key(
        (),
        "Further handles that count as a mention, without the @. The App's own always does: its login without `[bot]`.",
        unit="handles",
        example=["reviewer"],
    )
    allowed_users: Annotated[tuple[StrictLogin, ...] | None, Restricts(intersection)] = _key(
        None,
        "The only people who are answered or may give commands; an empty list means nobody. GitHub's permissions apply "
        "too. Plain replies in threads count by those alone.",
        unit="logins",
        unset="everybody",
        example=["octocat"],
    )
    conversation: ConversationConfig = Field(default=ConversationConfig(), description="The length of a conversation.")


class ProposalsConfig(_Keys):
    """Changes that are reviewed before they are made."""

    enabled: Annotated[Switch, Restricts(off_wins, "off")] = _key(
        True, "Whether changes may be proposed and applied.", example=False
    )
    deny_paths: Annotated[tuple[Glob, ...], Restricts(union)] = _key(
        (),
        "Files that no proposal may touch, by patterns as in gitignore files.",
        unit="patterns",
        example=["/.github/"],
    )


class BudgetConfig(_Keys):
    """The budgets for the model, in US dollars; without a key there is no such limit."""

    per_pull_request: Annotated[StrictDollars | None, Restricts(minimum)] = _key(
        None,
        "The most that the model may cost for one pull request.",
        unit="US dollars",
        unset="no limit",
        example=2.5,
    )
    per_repository_per_month: Annotated[StrictDollars | None, Restricts(minimum)] = _key(
        None,
        "The most for all of a repository's pull requests in one calendar month (UTC).",
        unit="US dollars",
        unset="no limit",
        example=100,
    )


class SettingsFile(_Keys):
    """The settings of Kodiai: `.kodiai.yml` of a repository, or of its owner's `.github` repository."""

    review: ReviewConfig = Field(default=ReviewConfig(), description="The reviews and their form.")
    knowledge: KnowledgeConfig = Field(default=KnowledgeConfig(), description="The memory from review to review.")
    mention: MentionConfig = Field(default=MentionConfig(), description="Answers to those who mention us.")
    proposals: ProposalsConfig = Field(
        default=ProposalsConfig(), description="Changes that are reviewed before they are made."
    )
    budget: BudgetConfig = Field(default=BudgetConfig(), description="What may be spent on the model.")


class Config(SettingsFile):
    """The settings as they are followed, and what was wrong with the file.

    `problems` are sentences in Markdown that the review shows. With a `refusal`, also one, nothing else is done.
    """

    problems: tuple[str, ...] = ()
    refusal: str | None = None

    @property
    def key(self) -> str:
        """A key of all that changes what a review of the same code says: another key, another full review."""
        relevant = self.review.model_dump_json(include={"skip_paths", "max_comments", "severity"})
        if self.review.rules:
            relevant += self.review.model_dump_json(include={"rules"})
        return hashlib.sha256(relevant.encode()).hexdigest()[:16]
