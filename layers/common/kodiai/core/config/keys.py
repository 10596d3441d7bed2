"""Every key of `.kodiai.yml`: its name, meaning, unit, default, and whether it restricts what we may do.

The descriptions are those of the published JSON Schema. They are no docstrings, which would be read from the source at
each cold start.
"""

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, Strict, WithJsonSchema
from pydantic.alias_generators import to_camel

from kodiai.core.changes.globs import branch_pattern_problem, matches_branch, pattern_problem
from kodiai.core.config.strictness import Stricter, both_allow, first_of, intersection, minimum, off_wins, union
from kodiai.core.findings.finding import SEVERITIES, Severity


@dataclass(frozen=True)
class Restricts:
    """Marks a key that restricts what we do: a bad value of it is never replaced by a laxer one.

    `stricter` combines the values of the base branch and the default branch, of which the stricter one counts.
    `bad` is what happens at a bad value: nothing at all is done ("refuse"), or the feature is off ("off").
    """

    stricter: Stricter
    bad: Literal["refuse", "off"] = "refuse"


_LABEL_CHARACTERS = 50
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
Dollars = Annotated[float, Strict(), Field(ge=0, allow_inf_nan=False)]
Login = Annotated[str, Strict(), AfterValidator(_login), Field(json_schema_extra={"pattern": f"^{_LOGIN.pattern}$"})]
Bots = Annotated[Switch | tuple[Login, ...], BeforeValidator(_bots)]
Label = Annotated[str, Strict(), AfterValidator(_label)]
Glob = Annotated[str, Strict(), _pattern(pattern_problem)]
BranchGlob = Annotated[str, Strict(), _pattern(branch_pattern_problem)]
Level = Annotated[
    Severity,
    BeforeValidator(_capitals),
    WithJsonSchema({"enum": [*SEVERITIES, *(severity.lower() for severity in SEVERITIES)]}),
]

Outsiders = Literal["request", "always", "never"]
FailOn = Literal["never", "CRITICAL", "MAJOR"]
Gate = Annotated[
    FailOn,
    BeforeValidator(lambda value: "never" if _capitals(value) == "NEVER" else _capitals(value)),
    WithJsonSchema({"enum": ["never", "CRITICAL", "critical", "MAJOR", "major"]}),
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


class TriggersConfig(_Keys):
    """Which events lead to a review."""

    on_opened: Switch = Field(
        default=True, description="Review a pull request when it is opened or reopened, or its base branch is changed."
    )
    on_ready_for_review: Switch = Field(default=True, description="Review it when it stops being a draft.")
    on_review_requested: Switch = Field(default=True, description="Review it when our review is requested.")
    on_synchronize: Switch = Field(
        default=True, description="Review it again after every push, once no newer push comes for a while."
    )


class LabelsConfig(_Keys):
    """Which pull requests are reviewed without being asked, by their labels; capitals do not matter."""

    only: Annotated[tuple[Label, ...] | None, Restricts(intersection)] = Field(
        default=None,
        description="A pull request has to carry one of these labels. With an empty list none is reviewed.",
    )
    ignore: Annotated[tuple[Label, ...], Restricts(union)] = Field(
        default=(), description="A pull request that carries one of these labels is not reviewed."
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
    """How severe a finding has to be to be shown."""

    min_level: Level = Field(
        default="MINOR",
        description=(
            "The least severity that is shown: CRITICAL, MAJOR, MEDIUM or MINOR. Findings below it still count."
        ),
    )


class CheckConfig(_Keys):
    """What the check run does."""

    fail_on: Gate = Field(
        default="never",
        description=(
            "The least severity of an open finding that fails the check run, a gate where the check is required."
        ),
    )


class ReviewConfig(_Keys):
    """What is reviewed, and how it is reported."""

    enabled: Annotated[Switch, Restricts(off_wins, "off")] = Field(
        default=True, description="Whether pull requests are reviewed at all."
    )
    triggers: TriggersConfig = Field(default=TriggersConfig(), description="Which events lead to a review.")
    skip_paths: Annotated[tuple[Glob, ...], Restricts(union)] = Field(
        default=(), description="Patterns of files that are neither read nor shown to the model, as in gitignore files."
    )
    skip_authors: Annotated[tuple[Login, ...], Restricts(union)] = Field(
        default=(), description="Logins whose pull requests are not reviewed."
    )
    bots: Bots = Field(
        default=False,
        description=(
            "Whether pull requests of bots are reviewed without being asked: all, none, or those of these logins."
        ),
    )
    outsiders: Annotated[Outsiders | None, Restricts(first_of("never", "request", None, "always"))] = Field(
        default=None,
        description=(
            "Whether authors without write access are reviewed; without it on request in public "
            "repositories, else always."
        ),
    )
    labels: LabelsConfig = Field(
        default=LabelsConfig(),
        description=("Which pull requests are reviewed without being asked, by their labels; capitals do not matter."),
    )
    base_branches: Annotated[tuple[BranchGlob, ...] | None, Restricts(both_allow)] = Field(
        default=None,
        description=(
            "Patterns of branches: only pull requests into these are reviewed without being asked. Without it all are."
        ),
    )
    max_comments: Annotated[Whole, Field(ge=0, le=100)] = Field(
        default=10, description="The most inline comments of one review; further findings are lines in its body."
    )
    severity: SeverityConfig = Field(
        default=SeverityConfig(), description="How severe a finding has to be to be shown."
    )
    event: Literal["comment", "verdict"] = Field(
        default="comment",
        description="Whether a review only comments, or requests changes and approves by its verdict.",
    )
    check: CheckConfig = Field(default=CheckConfig(), description="What the check run does.")
    drafts: Switch = Field(default=False, description="Whether drafts are reviewed without being asked.")
    repeat_open: Literal["list", "comment"] = Field(
        default="list",
        description=(
            "Where findings that are merely still open are reported after a push: in the check run, or in a review too."
        ),
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
        return self.base_branches is None or any(matches_branch(branch, each) for each in self.base_branches)


class RetrievalConfig(_Keys):
    """What is recalled of earlier findings."""

    enabled: Annotated[Switch, Restricts(off_wins, "off")] = Field(
        default=True, description="Whether findings are remembered and recalled; rules are followed in any case."
    )
    top_k: Annotated[Whole, Field(ge=1, le=100)] = Field(
        default=5, description="The most findings recalled for one review."
    )
    distance_threshold: Annotated[Fraction, Field(ge=0, le=2)] = Field(
        default=0.3,
        description=(
            "The largest cosine distance at which a finding is still recalled or counts, from 0 (the same) to 2."
        ),
    )
    max_context_chars: Annotated[Whole, Field(ge=0, le=20_000)] = Field(
        default=2_000, description="The most characters of recalled findings in one question to the model."
    )


class SharingConfig(_Keys):
    """Findings shared between the repositories of one owner."""

    enabled: Annotated[Switch, Restricts(off_wins, "off")] = Field(
        default=False,
        description=(
            "Whether this repository reads the findings of its owner's other sharing repositories, and offers its own."
        ),
    )


class KnowledgeConfig(_Keys):
    """What is remembered from review to review."""

    retrieval: RetrievalConfig = Field(default=RetrievalConfig(), description="What is recalled of earlier findings.")
    sharing: SharingConfig = Field(
        default=SharingConfig(), description="Findings shared between the repositories of one owner."
    )


class ConversationConfig(_Keys):
    """How long a conversation may become."""

    max_turns_per_pr: Annotated[Whole, Field(ge=0, le=1_000), Restricts(minimum)] = Field(
        default=10, description="The most answers on one pull request."
    )
    context_budget_chars: Annotated[Whole, Field(ge=500, le=100_000)] = Field(
        default=8_000, description="The most characters of a thread that one answer is given to read."
    )


class MentionConfig(_Keys):
    """Answers to those who mention us."""

    enabled: Annotated[Switch, Restricts(off_wins, "off")] = Field(
        default=True, description="Whether mentions are answered."
    )
    aliases: tuple[Login, ...] = Field(
        default=(), description="Further handles that count as a mention, without the @."
    )
    allowed_users: Annotated[tuple[Login, ...] | None, Restricts(intersection)] = Field(
        default=None,
        description=(
            "The only logins that are answered. Without it everybody with the permission is, with an empty list nobody."
        ),
    )
    conversation: ConversationConfig = Field(
        default=ConversationConfig(), description="How long a conversation may become."
    )


class ProposalsConfig(_Keys):
    """Changes that are reviewed before they are made."""

    enabled: Annotated[Switch, Restricts(off_wins, "off")] = Field(
        default=True, description="Whether changes may be proposed and applied."
    )
    deny_paths: Annotated[tuple[Glob, ...], Restricts(union)] = Field(
        default=(), description="Patterns of files that no proposal may touch, as in gitignore files."
    )


class BudgetConfig(_Keys):
    """What may be spent on the model, in US dollars; without a key there is no such limit."""

    per_pull_request: Annotated[Dollars | None, Restricts(minimum)] = Field(
        default=None, description="The most for one pull request, in US dollars."
    )
    per_repository_per_month: Annotated[Dollars | None, Restricts(minimum)] = Field(
        default=None,
        description=("The most for all of a repository's pull requests in one calendar month (UTC), in US dollars."),
    )


class SettingsFile(_Keys):
    """The settings of Kodiai for one repository: `.kodiai.yml` on the base branch, and on the default branch."""

    review: ReviewConfig = Field(default=ReviewConfig(), description="What is reviewed, and how it is reported.")
    knowledge: KnowledgeConfig = Field(
        default=KnowledgeConfig(), description="What is remembered from review to review."
    )
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
        return hashlib.sha256(relevant.encode()).hexdigest()[:16]
