"""Words that look like a leaked secret, and words that only look odd."""

import base64
import random
import string
import uuid

import pytest

from kodiai.core.text.secrets import Secret, high_entropy_token, masked, secret_in, secrets_in
from tests.tables import each_row

_LONG = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
_JWT = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMjM0NSJ9.c2lnbmF0dXJlLW9mLWEtdG9rZW4"

_SECRETS = [
    ("an AWS access key", "AKIA" + "IOSFODNN7EXAMPLE", "AKIA…"),
    ("an AWS access key", "ASIA" + "Y34FZKBOKMUTVV7A", "ASIA…"),
    ("an AWS secret key", "aws_secret_access_key = " + _LONG, "aws_secret_access_key = a1B2…"),
    ("an AWS secret key", '"SecretAccessKey": "' + _LONG + '"', '"SecretAccessKey": "a1B2…"'),
    *(("a GitHub token", f"gh{kind}_" + _LONG[:36], f"gh{kind}_…") for kind in "pousr"),
    ("a GitHub token", "ghp_" + "a" * 36, "ghp_…"),
    ("a GitHub token", "ghs_123456_" + _JWT, "ghs_…"),
    ("a GitHub token", "ghs_" + _LONG * 20, "ghs_…"),
    ("a GitHub token", "github_pat_" + "11ABCDEFG0_" + _LONG * 2, "gith…"),
    ("a GitLab token", "glpat-" + _LONG[:20], "glpa…"),
    ("an Anthropic key", "sk-ant-api03-" + _LONG, "sk-a…"),
    ("an OpenAI key", "sk-proj-" + _LONG, "sk-p…"),
    ("an OpenAI key", "sk-" + "a" * 48, "sk-a…"),
    ("a Slack token", "xoxb-" + "123456789012-abcdefABCDEF", "xoxb…"),
    ("a Slack webhook", "https://hooks.slack.com/services/" + "T0000AAAA/B0000AAAA/abcdefABCDEF12345678",
     "https://hooks.slack.com/services/T000…"),
    ("a Discord webhook", "https://discord.com/api/webhooks/" + "123456789012345678/" + _LONG,
     "https://discord.com/api/webhooks/1234…"),
    ("a Discord bot token", "MTk4NjIyNDgzNDcxOTI1MjQ4" + ".Cl2FMQ." + _LONG[:27], "MTk4…"),
    ("a Telegram bot token", "123456789:" + "AAF" + _LONG[:32], "1234…"),
    ("a Google API key", "AIza" + _LONG[:35], "AIza…"),
    ("a Google OAuth secret", "GOCSPX-" + _LONG[:28], "GOCS…"),
    ("a Stripe key", "sk_live_" + _LONG[:24], "sk_l…"),
    ("a Stripe key", "rk_test_" + _LONG[:24], "rk_t…"),
    ("a SendGrid key", "SG." + _LONG[:22] + "." + _LONG + "abc", "SG.a…"),
    ("an npm token", "npm_" + _LONG[:36], "npm_…"),
    ("a PyPI token", "pypi-AgEIcHlwaS5vcmc" + _LONG, "pypi…"),
    ("a Hugging Face token", "hf_" + "abcdefghijklmnopqrstuvwxyzABCDEFGH", "hf_a…"),
    ("an Azure account key", "AccountName=x;AccountKey=" + _LONG * 2 + "abcdef==;x",
     "AccountName=x;AccountKey=a1B2…;x"),
    ("a JSON web token", "Bearer " + _JWT, "Bearer eyJh…"),
    ("a private key", "-----BEGIN RSA PRIVATE KEY-----\n" + _LONG + "\n-----END RSA PRIVATE KEY-----\nand more",
     "-----BEGIN RSA PRIVATE KEY-----…\nand more"),
    ("a private key", "-----BEGIN PRIVATE KEY-----\\n" + _LONG, "-----BEGIN PRIVATE KEY-----…"),
    ("a password in an address", "postgres://user:pass@host/db", "postgres://user:…@host/db"),
    ("a password in an address", "redis://:hunter2@10.0.0.1", "redis://:…@10.0.0.1"),
    ("a password in an address", "https://me:" + _LONG + "@git.example", "https://me:…@git.example"),
]  # fmt: skip


@each_row(("name", "text", "shown"), _SECRETS)
def test_a_secret_is_known_by_its_shape(name: str, text: str, shown: str) -> None:
    """A secret of any length, in any place; the rest of it identifies it."""
    for around in ("{}", "see `{}`.", "```\nKEY={}\n```", '"{}"', "({}),"):
        assert secret_in(around.format(text)) == name
        assert masked(around.format(text)) == around.format(shown)
        assert secret_in(masked(around.format(text))) is None


def test_each_secret_of_a_text_is_found_with_its_place() -> None:
    """Its value only, not what is around it; of a private key nothing may be shown."""
    token, key = "ghp_" + _LONG[:36], "-----BEGIN PRIVATE KEY-----\n" + _LONG
    text = f"TOKEN={token}\n{key}\nAKIA"

    assert list(secrets_in(text)) == [
        Secret("a private key", text.index("\n" + _LONG), text.index("\nAKIA"), ""),
        Secret("a GitHub token", 6, 6 + len(token), "ghp_"),
    ]


@each_row(
    "text",
    [
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "tokens begin with ghp_, gho_, ghs_ or github_pat_", "ghp_…",
        "AKIA, ASIA", "sk-ant-...", "sk-estimator-doc-link-hover-and-focus-within-the-page-1",
        "task-12345678901234567890",
        "xoxb-", "npm_config_registry_of_the_whole_company_1", "postgres://user:${PASSWORD}@host",
        "postgres://user:<password>@host", "https://github.com/o/r", "http://localhost:8080/@scope", "a:b@c",
        "postgres://user@host", "ssh://git@github.com:22/x", "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0B",
        "text.startswith('-----BEGIN PRIVATE KEY-----')", "eyJ", "secret_key = os.environ['SECRET_KEY']",
        "https://hooks.slack.com/services/", "12:34:56", "AIza",
    ],
)  # fmt: skip
def test_a_text_that_only_speaks_of_secrets_is_none(text: str) -> None:
    """Prefixes, placeholders, names and addresses without a password."""
    assert secret_in(text) is None
    assert masked(text) == text


@each_row(
    "text",
    [
        "127b7b9e0f" * 4, "A" * 64, "0123456789abcdefABCDEF" * 3,
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", str(uuid.UUID(int=2**127 + 12345)),
        "AbstractSingletonProxyFactoryBean2Configuration", "test_the_second_push_is_compared_with_the_first_1",
        "layers/common/kodiai/core/words/incoming/Version2Draft", "Some-Very-Long-Heading-Of-A-Page-2-With-Many-Words",
        "https://example.com/a/q7RkT2mZx9Lw4VbN8cYd5FgH1jKs6PaQ3eUi", "=" * 60, "-" * 40 + "aB1",
        base64.b64encode(b"The quick brown fox jumps over the lazy dog").decode(),
        "XMLHttpRequest2EventTargetWithCredentials",
        "org/springframework/boot/autoconfigure/Web2MvcConfig", "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJ",
        "MAX_RETRIES_BEFORE_GIVING_UP_2_TIMES_Of", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaB1",
    ],
)  # fmt: skip
def test_digests_names_paths_and_words_are_not_random(text: str) -> None:
    """Nothing that is in every other review is withheld."""
    assert high_entropy_token(f"see {text}, there") is None


@pytest.mark.parametrize(
    ("alphabet", "length", "most_missed"),
    [
        (string.ascii_letters + string.digits, 40, 0.03),
        (string.ascii_letters + string.digits + "+/", 44, 0.03),
        (string.ascii_letters + string.digits + "_-", 64, 0.02),
        (string.ascii_letters + string.digits + "_-", 32, 0.08),
    ],
)
def test_a_word_that_is_drawn_by_lot_is_found(alphabet: str, length: int, most_missed: float) -> None:
    """Nearly always: words that look like words are let through."""
    draw = random.Random(1)
    words = ["".join(draw.choices(alphabet, k=length)) for _ in range(1_000)]

    missed = [word for word in words if high_entropy_token(f"key: {word}.") is None]

    assert len(missed) / len(words) <= most_missed
