"""The deployment's settings, from the parameters below one prefix; docs/configuration.md lists them."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Json,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from kodiai.core.changes.globs import branch_pattern_problem, matches_whole
from kodiai.core.changes.tier import Tier
from kodiai.core.errors import Broken, Refused
from kodiai.core.model.prices import BedrockProfile, Dollars, Effort, Price, known_prices


def _web_address(text: str) -> str:
    if not text.startswith(("https://", "http://")) or any(character.isspace() for character in text):
        raise ValueError("not a web address")
    return text.rstrip("/")


def _private_key(secret: SecretStr) -> SecretStr:
    text = secret.get_secret_value()
    if not (text.startswith("-----BEGIN ") and text.endswith(" PRIVATE KEY-----")):
        raise ValueError("not a private key in PEM")
    return secret


def _repository_patterns(text: object) -> tuple[str, ...]:
    patterns = re.split(r"[,\s]+", str(text).strip(", \n"))
    for number, pattern in enumerate(patterns, 1):
        if _REPOSITORY_PATTERN.fullmatch(pattern) is None:
            raise ValueError(f"pattern {number} is not OWNER/NAME, with “*” and “?” for any characters")
        if problem := branch_pattern_problem(pattern):
            raise ValueError(f"pattern {number}: {problem}")
    return tuple(pattern.lower() for pattern in patterns)


_REPOSITORY_PATTERN = re.compile(r"[A-Za-z0-9_.*?-]+/[A-Za-z0-9_.*?-]+")
RepositoryPatterns = Annotated[tuple[str, ...], BeforeValidator(_repository_patterns)]
WebAddress = Annotated[str, AfterValidator(_web_address)]
PrivateKey = Annotated[SecretStr, AfterValidator(_private_key)]
TITAN = "titan-embed-text-v2"
EMBEDDING_DIMENSIONS = 1_024
Provider = Literal["anthropic", "bedrock"]
"""The provider of the models. The group of settings of that name is read with that provider alone."""
Role = Literal["replies", "answer", "draft", "proposal"]
"""Read replies, answer people, draft changes, review proposals."""

# The models think on their own, at a level of each that a new one may change.
_EFFORTS: Mapping[Tier | Role, Effort] = {
    "trivial": "low",
    "lite": "medium",
    "full": "high",
    "replies": "low",
    "answer": "medium",
    "draft": "medium",
    "proposal": "high",
}


class ChosenModel(NamedTuple):
    """A model, and how much it thinks."""

    model: str
    effort: Effort


class BadParameters(Broken):
    """Parameters are `missing`, by their names relative to the prefix, or `malformed`, each with the reason."""

    def __init__(self, prefix: str, missing: Sequence[str], malformed: Sequence[tuple[str, str]]) -> None:
        self.missing, self.malformed = tuple(missing), tuple(malformed)
        parts = {
            "missing": [f"{prefix}/{name}" for name in missing],
            "malformed": [f"{prefix}/{name} ({why})" for name, why in malformed],
        }
        named = [f"{how}: {', '.join(names)}" for how, names in parts.items() if names]
        super().__init__(f"Parameters are {'; '.join(named)}.")


class _Settings(BaseModel):
    """A group of settings; each field's alias is its parameter's name relative to the prefix."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        populate_by_name=True,
        hide_input_in_errors=True,
        defer_build=True,  # ingest needs one group of these, and starts quicker without the others
    )

    @classmethod
    def from_parameters(cls, values: Mapping[str, str], prefix: str) -> Self:
        """Build it from values by relative name. Raises Broken naming every parameter that is missing or malformed.

        No value is part of its text. The line end that a secret from a file has is dropped, and so is an empty value.
        """
        stripped = {name: text.strip() for name, text in values.items()}
        try:
            return cls.model_validate(
                {name: text for name, text in stripped.items() if text}, by_alias=True, by_name=False
            )
        except ValidationError as error:
            missing, malformed = [], []
            for each in error.errors(include_input=False):
                name, *field = (str(part) for part in each["loc"] if part not in cls.model_fields)
                if each["type"] == "missing" and not field:
                    missing.append(name)
                else:
                    where = f"{'.'.join(field)}: " if field else ""
                    malformed.append((name, f"{where}{each['msg'].removeprefix('Value error, ')}"))
        raise BadParameters(prefix, missing, malformed)


class WebhookSettings(_Settings):
    """The settings of ingest: the webhook's secrets."""

    secret: SecretStr = Field(alias="webhook/secret")
    previous_secret: SecretStr | None = Field(default=None, alias="webhook/secret-previous")

    def secrets(self) -> tuple[str, ...]:
        """The secrets that a webhook may be signed with, the current one first."""
        both = (self.secret, self.previous_secret)
        return tuple(secret.get_secret_value() for secret in both if secret is not None)


class RepositoryLists(_Settings):
    """Which repositories are served: patterns of "owner/name", of which `deny` wins; without `allow` all others are.

    Names are compared without regard to capitals, as GitHub does.
    """

    allow: RepositoryPatterns = Field(default=(), alias="repositories/allow")
    deny: RepositoryPatterns = Field(default=(), alias="repositories/deny")

    def why_not(self, repository: str) -> str | None:
        """Say why a repository is not served, None if it is."""
        name = repository.lower()
        if any(matches_whole(name, pattern) for pattern in self.deny):
            return f"repositories/deny names {repository}"
        if self.allow and not any(matches_whole(name, pattern) for pattern in self.allow):
            return f"repositories/allow does not name {repository}"
        return None

    def check(self, repository: str) -> None:
        """Raise Refused if a repository is not served."""
        why = self.why_not(repository)
        if why is not None:
            raise Refused(why)


class GitHubSettings(_Settings):
    """The access to GitHub: as an App (id and private key), or with a token instead.

    `timeout_seconds` is the longest wait for one answer.
    """

    api_url: WebAddress = Field(alias="github/api-url")
    timeout_seconds: float = Field(alias="github/timeout-seconds", gt=0, le=120)
    token: SecretStr | None = Field(default=None, alias="github/token")
    app_id: str | None = Field(default=None, alias="github/app-id", pattern=r"^[0-9]+$")
    private_key: PrivateKey | None = Field(default=None, alias="github/private-key")
    publish: Literal["post", "dry-run"] = Field(alias="github/publish")

    @field_validator("app_id", "private_key")
    @classmethod
    def _needed_without_a_token(cls, value: object, given: ValidationInfo) -> object:
        if value is None and given.data.get("token") is None:
            raise PydanticCustomError("missing", "Field required")
        return value

    @property
    def dry_run(self) -> bool:
        """Whether nothing is written to GitHub."""
        return self.publish == "dry-run"


class ApiSettings(_Settings):
    """The settings of the API: access to GitHub with the caller's token, and retention."""

    NAMES: ClassVar = ("github/api-url", "github/timeout-seconds", "limits/retention-days")

    api_url: WebAddress = Field(alias="github/api-url")
    timeout_seconds: float = Field(alias="github/timeout-seconds", gt=0, le=120)
    retention_days: int = Field(alias="limits/retention-days", ge=90, le=3_650)


class SweepSettings(_Settings):
    """A sweep's settings besides GitHub's: how long ago a pull request may have been opened or pushed to, in hours.

    0 leaves pull requests alone. `retention_days` is how long things are kept.
    """

    NAMES: ClassVar = ("sweep/pull-request-hours", "limits/retention-days")

    pull_request_hours: float = Field(alias="sweep/pull-request-hours", ge=0, le=72)
    retention_days: int = Field(alias="limits/retention-days", ge=90, le=3_650)


class AnthropicSettings(_Settings):
    """The access to the Messages API."""

    api_key: SecretStr = Field(alias="anthropic/api-key")
    base_url: WebAddress = Field(alias="anthropic/base-url")


class EmbeddingSettings(_Settings):
    """The model that embeds the remembered findings: Titan on Bedrock, a model of Voyage, or "off".

    `is_offline` is whether it compares words alone: the stand-in of the local system does.
    """

    model: str = Field(alias="embeddings/model", pattern=rf"^({TITAN}|voyage-[a-z0-9.-]{{1,40}}|off)$")
    voyage_base_url: WebAddress = Field(alias="embeddings/voyage-base-url")
    voyage_api_key: SecretStr | None = Field(default=None, alias="embeddings/voyage-api-key")
    is_offline: bool = Field(default=False, alias="embeddings/offline")

    @field_validator("voyage_api_key")
    @classmethod
    def _needed_with_voyage(cls, value: object, given: ValidationInfo) -> object:
        if value is None and given.data.get("model", "").startswith("voyage-"):
            raise PydanticCustomError("missing", "Field required")
        return value

    @property
    def index(self) -> str | None:
        """The name of the index, which cannot mix vectors of different models or lengths; None if there is none."""
        return None if self.model == "off" else f"{self.model}-{EMBEDDING_DIMENSIONS}"


class ModelChoice(BaseModel):
    """The model of a task (None: the usual one), and its effort (None: the usual one of the task)."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    model: str | None = None
    effort: Effort | None = None


class TierModels(ModelChoice):
    """The model that reads the changes of a tier, and the one that judges (None: the same, with the same effort)."""

    judge: ModelChoice | None = None


class Models(_Settings):
    """Which model does what, over which provider, and what each costs and holds, by model id.

    `replies` reads replies in threads, `reviewer` does all else; `tiers` and `roles` are exceptions from both.
    `fallback` answers instead of an overloaded one, with the same effort; without it the message waits.
    `prices` are the known ones and the deployment's own. Each of the models needs one: else nobody could say what is
    spent. `is_offline` is whether deterministic checks answer instead of a model: such a review has no verdict.
    `is_rules_only` is whether a review rules on the team's rules and does nothing else.
    """

    provider: Provider = Field(default="anthropic", alias="models/provider")
    bedrock_profile: BedrockProfile | None = Field(default=None, alias="models/bedrock-profile")
    reviewer: str = Field(alias="models/reviewer")
    replies: str = Field(alias="models/replies")
    fallback: str | None = Field(default=None, alias="models/fallback")
    tiers: Json[dict[Tier, TierModels]] = Field(alias="models/tiers")
    roles: Json[dict[Role, ModelChoice]] = Field(default_factory=dict, alias="models/roles")
    prices: Json[dict[str, Price]] = Field(alias="models/prices")
    is_offline: bool = Field(default=False, alias="models/offline")
    is_rules_only: bool = Field(default=False, alias="models/rules-only")

    @field_validator("bedrock_profile")
    @classmethod
    def _needed_with_bedrock(cls, value: object, given: ValidationInfo) -> object:
        if value is None and given.data.get("provider") == "bedrock":
            raise PydanticCustomError("missing", "Field required")
        return value

    @field_validator("prices")
    @classmethod
    def _for_every_model(cls, own: dict[str, Price], given: ValidationInfo) -> dict[str, Price]:
        named = given.data
        profile = named.get("bedrock_profile") if named.get("provider") == "bedrock" else None
        prices = {**known_prices(profile), **own}
        tiers: Collection[TierModels] = named.get("tiers", {}).values()
        judges = [each.judge for each in tiers if each.judge is not None]
        chosen: Iterable[ModelChoice] = (*tiers, *judges, *named.get("roles", {}).values())
        usual = [named.get(role) for role in ("reviewer", "replies", "fallback")]
        for model in (*usual, *(each.model for each in chosen)):
            if model is not None and model not in prices:
                raise ValueError(f"there is no price for {model}")
        return prices

    def reader(self, tier: Tier) -> ChosenModel:
        """The model that reads the changes of a tier, with its effort."""
        return _chosen(self.tiers.get(tier), ChosenModel(self.reviewer, _EFFORTS[tier]))

    def judge(self, tier: Tier) -> ChosenModel:
        """The model that judges the findings in the changes of a tier, with its effort."""
        chosen = self.tiers.get(tier, TierModels()).judge
        return _chosen(chosen, self.reader(tier))

    def role(self, role: Role) -> ChosenModel:
        """The model for work without a tier, with its effort."""
        usual = self.replies if role == "replies" else self.reviewer
        return _chosen(self.roles.get(role), ChosenModel(usual, _EFFORTS[role]))

    def price(self, tier: Tier) -> Price:
        """The price of the model that reads the changes of a tier."""
        return self.prices[self.reader(tier).model]


def _chosen(choice: ModelChoice | None, usual: ChosenModel) -> ChosenModel:
    return usual if choice is None else ChosenModel(choice.model or usual.model, choice.effort or usual.effort)


class Limits(_Settings):
    """The limits of one review: tokens, questions at the same time, turns with tools, files, bytes of an archive.

    `input_tokens_per_review` are those of all questions of a review, those of the cache weighted by their price.
    `batch_tokens` are those of the changes in one question, `tool_tokens_per_batch` and `tool_tokens_per_review` those
    that tools show in all conversations about one batch, and in all of a review.
    `answer_seconds` is the longest wait for one answer of a model.
    `publish_seconds` is kept free at the end of an invocation, so that results can still be posted.
    `quiet_seconds` is how long no newer push may come before a push is reviewed; 0 does not wait.
    `retention_days` is how long what is stored is kept after the last run that concerns it.
    """

    batch_tokens: int = Field(alias="limits/batch-tokens", ge=300, le=500_000)
    input_tokens_per_review: int = Field(alias="limits/input-tokens-per-review", ge=10_000, le=100_000_000)
    parallel_calls: int = Field(alias="limits/parallel-calls", ge=1, le=16)
    tool_turns: int = Field(alias="limits/tool-turns", ge=1, le=200)
    tool_tokens_per_batch: int = Field(alias="limits/tool-tokens-per-batch", ge=1_000, le=2_000_000)
    tool_tokens_per_review: int = Field(alias="limits/tool-tokens-per-review", ge=1_000, le=20_000_000)
    read_files: int = Field(alias="limits/read-files", ge=1, le=3_000)
    archive_bytes: int = Field(alias="limits/archive-bytes", ge=1_000_000, le=2_000_000_000)
    answer_seconds: float = Field(alias="limits/answer-seconds", gt=0, le=840)
    publish_seconds: float = Field(alias="limits/publish-seconds", gt=0, le=300)
    quiet_seconds: float = Field(alias="limits/quiet-seconds", ge=0, le=600)
    retention_days: int = Field(alias="limits/retention-days", ge=90, le=3_650)


class SpendingCaps(_Settings):
    """The most that the models may cost, in US dollars, whatever the repositories' settings say; 0 stops everything.

    `tools_share` is the share of what a review may still spend that its questions may take while tools are in use.
    """

    per_pull_request: Dollars = Field(alias="spending/per-pull-request-usd")
    per_repository_per_day: Dollars = Field(alias="spending/per-repository-per-day-usd")
    per_owner_per_month: Dollars = Field(alias="spending/per-owner-per-month-usd")
    tools_share: float = Field(alias="spending/tools-share", ge=0, le=1)


class DeploymentSettings(_Settings):
    """Everything that a review needs to know of its deployment; `anthropic` is None where Bedrock answers instead."""

    github: GitHubSettings
    anthropic: AnthropicSettings | None = None
    models: Models
    embeddings: EmbeddingSettings
    limits: Limits
    spending: SpendingCaps
    repositories: RepositoryLists

    def as_dry_run(self) -> Self:
        """The same settings, by which nothing is written to GitHub."""
        return self.model_copy(update={"github": self.github.model_copy(update={"publish": "dry-run"})})

    @model_validator(mode="before")
    @classmethod
    def _grouped(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Give every group all parameters, of which each takes its own; one that may be required is None if missing."""
        sometimes = ("github/app-id", "github/private-key", "embeddings/voyage-api-key", "models/bedrock-profile")
        given = {**dict.fromkeys(sometimes), "models/prices": "{}", **values}
        left_out = {*get_args(Provider)} - {given.get("models/provider", "anthropic")}
        return {**values, **dict.fromkeys(cls.model_fields.keys() - left_out, given)}
