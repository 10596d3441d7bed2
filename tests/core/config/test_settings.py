"""The deployment's settings, from parameters by name."""

import json
import traceback

import pytest

from kodiai.core.config.settings import DeploymentSettings, RepositoryLists, WebhookSettings
from kodiai.core.errors import Broken
from kodiai.core.model.prices import Price
from tests.tables import each_row

PREFIX = "/kodiai/prod"
KEY = "-----BEGIN RSA PRIVATE KEY-----\nprivate-key-secret\n-----END RSA PRIVATE KEY-----"
WEBHOOK = {"webhook/secret": "current-secret"}
APP = {"github/app-id": "12345", "github/private-key": KEY}
DEPLOYMENT = {
    **WEBHOOK,
    **APP,
    "github/api-url": "https://api.github.com",
    "github/timeout-seconds": "20",
    "github/publish": "post",
    "anthropic/api-key": "anthropic-secret",
    "anthropic/base-url": "https://api.anthropic.com",
    "models/reviewer": "claude-sonnet-5-5",
    "models/replies": "claude-haiku-5-5",
    "models/fallback": "claude-opus-5-5",
    "models/provider": "anthropic",
    "models/tiers": '{"trivial": {"effort": "low"}, "lite": {"effort": "medium"}, "full": {"effort": "high"}}',
    "embeddings/model": "titan-embed-text-v2",
    "embeddings/voyage-base-url": "https://api.voyageai.com",
    "limits/batch-tokens": "60000",
    "limits/parallel-calls": "4",
    "limits/tool-turns": "24",
    "limits/input-tokens-per-review": "1500000",
    "limits/tool-tokens-per-batch": "100000",
    "limits/tool-tokens-per-review": "400000",
    "limits/read-files": "400",
    "limits/archive-bytes": "200000000",
    "limits/answer-seconds": "240",
    "limits/publish-seconds": "30",
    "limits/quiet-seconds": "60",
    "limits/retention-days": "400",
    "spending/per-pull-request-usd": "5",
    "spending/per-repository-per-day-usd": "50",
    "spending/per-owner-per-month-usd": "500",
    "spending/tools-share": "0.5",
}
SECRETS = [
    "current-secret",
    "previous-secret",
    "private-key-secret",
    "anthropic-secret",
    "token-secret",
    "voyage-secret",
]


def _without(*names: str) -> dict[str, str]:
    return {name: text for name, text in DEPLOYMENT.items() if name not in names}


def test_a_whole_deployment_is_read() -> None:
    """Every parameter of the template and every secret of the operator has its place; a token serves as an App does."""
    settings = DeploymentSettings.from_parameters(DEPLOYMENT, PREFIX)
    by_token = DeploymentSettings.from_parameters(_without(*APP) | {"github/token": "token-secret"}, PREFIX).github

    github, anthropic, models = settings.github, settings.anthropic, settings.models
    assert (github.api_url, github.app_id, github.publish) == ("https://api.github.com", "12345", "post")
    assert [github.private_key and github.private_key.get_secret_value(), github.token] == [KEY, None]
    assert (by_token.token and by_token.token.get_secret_value(), by_token.app_id) == ("token-secret", None)
    assert anthropic is not None
    assert (anthropic.api_key.get_secret_value(), anthropic.base_url) == (
        "anthropic-secret",
        "https://api.anthropic.com",
    )
    assert (models.reviewer, models.replies) == ("claude-sonnet-5-5", "claude-haiku-5-5")
    price = Price(input=2, output=10, cache_read=0.1, cache_write=2.5, context=1_000_000)
    assert models.prices["claude-sonnet-5-5"] == price
    assert (settings.embeddings.model, settings.embeddings.index) == ("titan-embed-text-v2", "titan-embed-text-v2-1024")
    for group, read in (("limits", settings.limits), ("spending", settings.spending)):
        names = {name: field.alias for name, field in type(read).model_fields.items()}
        assert read.model_dump() == {name: float(DEPLOYMENT[str(alias)]) for name, alias in names.items()}, group


def test_a_model_of_voyage_needs_a_key() -> None:
    """It is named where it is missing; with another model, or without any, nobody needs one."""
    values = DEPLOYMENT | {"embeddings/model": "voyage-3.5-lite"}

    with pytest.raises(Broken, match=r"^Parameters are missing: /kodiai/prod/embeddings/voyage-api-key\.$"):
        DeploymentSettings.from_parameters(values, PREFIX)
    voyage = DeploymentSettings.from_parameters(values | {"embeddings/voyage-api-key": "voyage-secret"}, PREFIX)
    off = DeploymentSettings.from_parameters(DEPLOYMENT | {"embeddings/model": "off"}, PREFIX)

    assert voyage.embeddings.voyage_api_key is not None
    assert voyage.embeddings.voyage_api_key.get_secret_value() == "voyage-secret"
    assert voyage.embeddings.voyage_base_url == "https://api.voyageai.com"
    assert voyage.embeddings.index == "voyage-3.5-lite-1024"
    assert off.embeddings.index is None


@each_row("name", sorted(DEPLOYMENT.keys() - {"webhook/secret", "models/fallback", "models/provider"}))
def test_a_missing_parameter_is_named_whole(name: str) -> None:
    """One sentence that says what to put and where; an empty one is missing too."""
    for values in (_without(name), DEPLOYMENT | {name: " \n"}):
        with pytest.raises(Broken) as raised:
            DeploymentSettings.from_parameters(values, PREFIX)

        assert str(raised.value) == f"Parameters are missing: /kodiai/prod/{name}."


@each_row(
    ("name", "value"),
    [
        *((f"models/{role}", "claude-next") for role in ("reviewer", "replies", "fallback")),
        ("models/tiers", '{"full": {"model": "claude-next"}}'),
        ("models/tiers", '{"full": {"judge": {"model": "claude-next"}}}'),
        ("models/roles", '{"answer": {"model": "claude-next"}}'),
    ],
)
@each_row("provider", ["anthropic", "bedrock"])
def test_each_model_needs_a_price(provider: str, name: str, value: str) -> None:
    """Without one its cost would count as nothing, and no limit would ever be reached; a given one is enough."""
    values = DEPLOYMENT | {"models/provider": provider, "models/bedrock-profile": "global", name: value}
    price = {"input": 1, "output": 5, "cache_read": 0.1, "cache_write": 1.25}

    with pytest.raises(Broken, match=r"malformed: /kodiai/prod/models/prices \(there is no price for claude-next\)"):
        DeploymentSettings.from_parameters(values, PREFIX)
    settings = DeploymentSettings.from_parameters(
        values | {"models/prices": json.dumps({"claude-next": price})}, PREFIX
    )

    assert settings.models.prices["claude-next"] == Price(input=1, output=5, cache_read=0.1, cache_write=1.25)


def test_claude_on_bedrock_needs_no_key_but_a_profile() -> None:
    """The function's role opens it; where a model may answer is not for the code to choose."""
    values = _without("anthropic/api-key") | {"models/provider": "bedrock"}

    with pytest.raises(Broken, match=r"^Parameters are missing: /kodiai/prod/models/bedrock-profile\.$"):
        DeploymentSettings.from_parameters(values, PREFIX)
    settings = DeploymentSettings.from_parameters(values | {"models/bedrock-profile": "eu"}, PREFIX)

    assert settings.anthropic is None
    assert (settings.models.bedrock_profile, settings.models.reviewer) == ("eu", "claude-sonnet-5-5")


@each_row(("profile", "factor"), [("global", 1), ("us", 1.1), ("eu", 1.1), ("jp", 1.1), ("au", 1.1)])
def test_a_model_costs_a_tenth_more_where_it_stays_in_a_geography(profile: str, factor: float) -> None:
    """The price of a name is that of the profile; an id of Bedrock has the price of its own, to the letter."""
    values = DEPLOYMENT | {"models/provider": "bedrock", "models/bedrock-profile": profile}

    prices = DeploymentSettings.from_parameters(values, PREFIX).models.prices

    price = prices["claude-sonnet-5-5"]
    assert (price.input, price.output) == pytest.approx((2 * factor, 10 * factor))
    assert (price.cache_read, price.cache_write) == pytest.approx((0.1 * factor, 2.5 * factor))
    assert price.context == 1_000_000
    assert price == prices[f"{profile}.anthropic.claude-sonnet-5-5"]
    assert prices["global.anthropic.claude-sonnet-5-5"].input == 2
    assert prices["anthropic.claude-haiku-4-5-20251001-v1:0"].input == 1.1
    assert "mars.anthropic.claude-sonnet-5-5" not in prices
    assert "global.anthropic.claude-sonnet-5-5-v1:0" not in prices


def test_a_price_of_the_deployment_replaces_the_known_one() -> None:
    """As with a contract of one's own; the others stay as this version knows them."""
    own = {"input": 1.5, "output": 7, "cache_read": 0.1, "cache_write": 2}

    prices = DeploymentSettings.from_parameters(
        DEPLOYMENT | {"models/prices": json.dumps({"claude-sonnet-5-5": own})}, PREFIX
    ).models.prices

    assert prices["claude-sonnet-5-5"] == Price(input=1.5, output=7, cache_read=0.1, cache_write=2)
    assert (prices["claude-opus-5-5"].input, prices["claude-opus-5-5"].cache_read) == (4, 0.2)


def test_each_role_has_its_model_and_effort() -> None:
    """Without an exception the reviewer's model, or that of replies, with the usual effort; the judge is as the reader.

    No effort is left to the model: a new one may have another.
    """
    plain = DeploymentSettings.from_parameters(DEPLOYMENT, PREFIX).models
    exceptions = {
        "models/tiers": json.dumps(
            {
                "lite": {"model": "claude-haiku-5-5", "effort": "low", "judge": {"effort": "max"}},
                "full": {"effort": "high", "judge": {"model": "claude-opus-5-5"}},
            }
        ),
        "models/roles": json.dumps({"replies": {"effort": "max"}, "answer": {"model": "claude-opus-5-5"}}),
    }
    chosen = DeploymentSettings.from_parameters(DEPLOYMENT | exceptions, PREFIX).models

    assert plain.reader("full") == plain.judge("full") == ("claude-sonnet-5-5", "high")
    assert plain.role("replies") == ("claude-haiku-5-5", "low")
    assert plain.role("answer") == plain.role("draft") == ("claude-sonnet-5-5", "medium")
    assert plain.role("proposal") == ("claude-sonnet-5-5", "high")
    assert (chosen.reader("trivial"), chosen.judge("trivial")) == (("claude-sonnet-5-5", "low"),) * 2
    assert chosen.reader("lite") == ("claude-haiku-5-5", "low")
    assert chosen.judge("lite") == ("claude-haiku-5-5", "max")
    assert (chosen.reader("full"), chosen.judge("full")) == (("claude-sonnet-5-5", "high"), ("claude-opus-5-5", "high"))
    assert chosen.role("replies") == ("claude-haiku-5-5", "max")
    assert (chosen.role("answer"), chosen.role("draft")) == (
        ("claude-opus-5-5", "medium"),
        ("claude-sonnet-5-5", "medium"),
    )


def test_all_that_is_missing_or_malformed_is_named_at_once() -> None:
    """Nobody wants to learn of them one deployment at a time."""
    values = _without("github/private-key", "models/reviewer") | {
        "limits/tool-turns": "many",
        "github/publish": "maybe",
    }

    with pytest.raises(Broken) as raised:
        DeploymentSettings.from_parameters(values, PREFIX)

    assert str(raised.value) == (
        "Parameters are missing: /kodiai/prod/github/private-key, /kodiai/prod/models/reviewer; "
        "malformed: /kodiai/prod/github/publish (Input should be 'post' or 'dry-run'), "
        "/kodiai/prod/limits/tool-turns "
        "(Input should be a valid integer, unable to parse string as an integer)."
    )


EMBEDDING_MODELS = "^(titan-embed-text-v2|voyage-[a-z0-9.-]{1,40}|off)$"
NO_NAME = "is not OWNER/NAME, with “*” and “?” for any characters"


@each_row(
    ("name", "value", "why"),
    [
        ("github/api-url", "api.github.com", "not a web address"),
        ("github/api-url", "https://api github.com", "not a web address"),
        ("github/app-id", "my-app", "String should match pattern '^[0-9]+$'"),
        ("github/private-key", "private-key-secret", "not a private key in PEM"),
        ("anthropic/base-url", "file:///etc/passwd", "not a web address"),
        ("embeddings/voyage-base-url", "voyage", "not a web address"),
        ("embeddings/model", "Titan", f"String should match pattern '{EMBEDDING_MODELS}'"),
        ("limits/tool-turns", "0", "Input should be greater than or equal to 1"),
        ("limits/read-files", "1e9", "Input should be a valid integer, unable to parse string as an integer"),
        ("spending/per-pull-request-usd", "none", "Input should be a valid number, unable to parse string as a number"),
        ("spending/per-repository-per-day-usd", "inf", "Input should be a finite number"),
        ("spending/per-owner-per-month-usd", "-1", "Input should be greater than or equal to 0"),
        ("spending/tools-share", "1.5", "Input should be less than or equal to 1"),
        ("models/provider", "vertex", "Input should be 'anthropic' or 'bedrock'"),
        ("models/bedrock-profile", "mars", "Input should be 'global', 'us', 'eu', 'jp' or 'au'"),
        (
            "models/roles",
            '{"extractor": {}}',
            "extractor.[key]: Input should be 'replies', 'answer', 'draft' or 'proposal'",
        ),
        ("repositories/allow", "acme", f"pattern 1 {NO_NAME}"),
        ("repositories/deny", "a/b, /c", f"pattern 2 {NO_NAME}"),
        ("repositories/allow", ",", f"pattern 1 {NO_NAME}"),
        ("repositories/allow", "acme/x**", "pattern 1: “**” stands alone between slashes"),
        ("models/prices", "{", "Invalid JSON: EOF while parsing an object at line 1 column 1"),
        ("models/prices", "[]", "Input should be a valid dictionary"),
        ("models/prices", '{"m": {"input": 1}}', "m.output: Field required"),
        (
            "models/prices",
            '{"m": {"input": -1, "output": 1, "cache_read": 1, "cache_write": 1}}',
            "m.input: Input should be greater than or equal to 0",
        ),
    ],
)
def test_a_malformed_parameter_is_named_with_the_reason(name: str, value: str, why: str) -> None:
    """And with nothing of its value, which may be a secret in the wrong place."""
    with pytest.raises(Broken) as raised:
        DeploymentSettings.from_parameters(DEPLOYMENT | {name: value}, PREFIX)

    assert f"malformed: /kodiai/prod/{name} ({why})" in str(raised.value)


@each_row(
    ("lists", "served"),
    [
        ({}, {"acme/shop", "acme/shop-api", "Octo/docs"}),
        ({"repositories/allow": " "}, {"acme/shop", "acme/shop-api", "Octo/docs"}),
        ({"repositories/allow": "acme/shop"}, {"acme/shop"}),
        ({"repositories/allow": "ACME/*\nocto/DOCS\n"}, {"acme/shop", "acme/shop-api", "Octo/docs"}),
        ({"repositories/allow": "acme/nothing,\n  acme/*,\n", "repositories/deny": "acme/shop-???"}, {"acme/shop"}),
        ({"repositories/deny": "*/docs"}, {"acme/shop", "acme/shop-api"}),
        ({"repositories/allow": "acme/**", "repositories/deny": "*/*"}, set()),
    ],
)
def test_a_repository_is_served_if_the_lists_say_so(lists: dict[str, str], served: set[str]) -> None:
    """Deny wins; without an allow list everything else is served; a pattern is for the whole name."""
    read = RepositoryLists.from_parameters(lists, PREFIX)

    assert {name for name in ("acme/shop", "acme/shop-api", "Octo/docs") if read.why_not(name) is None} == served


def test_the_webhooks_settings_need_no_more_than_their_own() -> None:
    """Ingest can read nothing else; an empty secret, which would let everybody in, is a missing one."""
    alone = WebhookSettings.from_parameters(WEBHOOK, PREFIX)
    rotated = WebhookSettings.from_parameters(WEBHOOK | {"webhook/secret-previous": "previous-secret\n"}, PREFIX)

    assert alone.secrets() == ("current-secret",)
    assert rotated.secrets() == ("current-secret", "previous-secret")
    with pytest.raises(Broken, match=r"^Parameters are missing: /kodiai/prod/webhook/secret\.$"):
        WebhookSettings.from_parameters({"webhook/secret": ""}, PREFIX)


def test_a_line_end_after_a_value_is_not_part_of_it() -> None:
    """`put-parameter --value file://…` brings one along. A newer deployment may have put more than we know.

    A field's own name is no parameter's.
    """
    more = {"future/setting": "1", "token": "token-secret", "github/api-url": "https://ghe.example/api/v3/"}
    values = {name: f"{text}\n" for name, text in DEPLOYMENT.items()}

    settings = DeploymentSettings.from_parameters(values | more, PREFIX)

    assert settings.anthropic is not None
    assert settings.anthropic.api_key.get_secret_value() == "anthropic-secret"
    assert (settings.github.api_url, settings.github.token) == ("https://ghe.example/api/v3", None)


def test_no_secret_is_ever_shown() -> None:
    """Neither in a representation, nor as JSON, nor in the trace of an error."""
    more = {
        "webhook/secret-previous": "previous-secret",
        "github/token": "token-secret",
        "embeddings/voyage-api-key": "voyage-secret",
    }
    values = DEPLOYMENT | more
    deployment, webhook = (
        DeploymentSettings.from_parameters(values, PREFIX),
        WebhookSettings.from_parameters(values, PREFIX),
    )
    shown = [repr(deployment), str(webhook), deployment.model_dump_json(), str(webhook.model_dump())]
    with pytest.raises(Broken) as raised:
        DeploymentSettings.from_parameters(
            values | {name: secret for name in {*DEPLOYMENT, "models/prices"} for secret in SECRETS}, PREFIX
        )
    shown.append("".join(traceback.format_exception(raised.value)))

    assert [secret for secret in SECRETS for text in shown if secret in text] == []
