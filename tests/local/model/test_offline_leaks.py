"""Which secrets the offline reviewer knows, what it takes for a placeholder, and that it repeats none."""

import base64
import hashlib
import json

import pytest

from tests.local.model.conftest import Review

LETTERS = "".join(
    char for char in base64.b64encode(hashlib.sha512(b"nobody's").digest() * 3).decode() if char.isalnum()
)
HEX = hashlib.sha512(b"nobody's").hexdigest()
UPPER = "".join(char for char in LETTERS.upper() if char not in "0189")


def encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


WEB_TOKEN = f"{encoded({'alg': 'HS256', 'typ': 'JWT'})}.{encoded({'sub': 'somebody'})}.{LETTERS[:43]}"
KEY_TITLE = "-----BEGIN " + "RSA PRIVATE KEY-----"
KEY_LINE = LETTERS[:64]

# Put together here, so that no secret stands in this file.
SECRETS = {
    "AWS access key id": ("AKIA" + UPPER[:16], "CRITICAL"),
    "AWS session key id": ("ASIA" + UPPER[:16], "CRITICAL"),
    "GitHub personal token": ("ghp_" + LETTERS[:36], "CRITICAL"),
    "GitHub OAuth token": ("gho_" + LETTERS[:36], "CRITICAL"),
    "GitHub user-to-server token": ("ghu_" + LETTERS[:36], "CRITICAL"),
    "GitHub server token, short": ("ghs_" + LETTERS[:36], "CRITICAL"),
    "GitHub server token, long": (f"ghs_123456_{WEB_TOKEN}", "CRITICAL"),
    "GitHub refresh token": ("ghr_" + LETTERS[:76], "CRITICAL"),
    "GitHub fine-grained token": (f"github_pat_{LETTERS[:22]}_{LETTERS[22:81]}", "CRITICAL"),
    "GitLab token": ("glpat-" + LETTERS[:20], "CRITICAL"),
    "Slack bot token": (f"xoxb-{HEX[:12]}-{LETTERS[:24]}", "CRITICAL"),
    "Slack webhook": (f"https://hooks.slack.com/services/T{UPPER[:9]}/B{UPPER[:9]}/{LETTERS[:24]}", "CRITICAL"),
    "Google API key": ("AIza" + LETTERS[:35], "CRITICAL"),
    "Google OAuth secret": ("GOCSPX-" + LETTERS[:28], "CRITICAL"),
    "Stripe live key": ("sk_" + "live_" + LETTERS[:24], "CRITICAL"),
    "Stripe restricted key": ("rk_" + "live_" + LETTERS[:24], "CRITICAL"),
    "Stripe test key": ("sk_" + "test_" + LETTERS[:24], "MEDIUM"),
    "Stripe webhook secret": ("whsec_" + LETTERS[:32], "CRITICAL"),
    "Anthropic key": ("sk-ant-api03-" + LETTERS[:80], "CRITICAL"),
    "OpenAI key": ("sk-" + LETTERS[:48], "CRITICAL"),
    "OpenAI project key": ("sk-proj-" + LETTERS[:60], "CRITICAL"),
    "SendGrid key": (f"SG.{LETTERS[:22]}.{LETTERS[22:65]}", "CRITICAL"),
    "npm token": ("npm_" + LETTERS[:36], "CRITICAL"),
    "PyPI token": ("pypi-AgEIcHlwaS5vcmc" + LETTERS[:60], "CRITICAL"),
    "Hugging Face token": ("hf_" + "".join(char for char in LETTERS if char.isalpha())[:34], "CRITICAL"),
    "DigitalOcean token": ("dop_v1_" + HEX[:64], "CRITICAL"),
    "JSON web token": (WEB_TOKEN, "MAJOR"),
}


@pytest.mark.parametrize(("secret", "severity"), SECRETS.values(), ids=SECRETS.keys())
@pytest.mark.parametrize("path", ["src/settings.py", "web/app.ts", "docs/setup.md"])
def test_a_secret_is_found_and_not_repeated(findings: Review, path: str, secret: str, severity: str) -> None:
    """It is on its line, its category is security, and no field has more of it than four characters."""
    found = findings(path, f'first = 1\nvalue = "{secret}"\n')

    assert [(each["start_line"], each["severity"], each["category"]) for each in found] == [(2, severity, "security")]
    begins = secret.removeprefix("https://")[:4]
    assert f"{begins}…" in str(found[0]["title"])
    assert secret[:24] not in json.dumps(found)
    assert secret[-12:] not in json.dumps(found)
    assert str(found[0]["quote"]).startswith('value = "')


def test_the_header_of_a_private_key_is_quoted_and_the_key_is_not(findings: Review) -> None:
    """The key's own lines stay out of the review."""
    (found,) = findings("deploy/site.pem", f"{KEY_TITLE}\n{KEY_LINE}\n{KEY_LINE}\n-----END RSA PRIVATE KEY-----\n")

    assert (found["start_line"], found["severity"], found["quote"]) == (1, "CRITICAL", KEY_TITLE)
    assert found["title"] == "A private key is in the code"
    assert KEY_LINE not in str(found)


def test_a_private_key_in_one_string_is_found(findings: Review) -> None:
    """With escaped line ends it stands on one line."""
    (found,) = findings("src/a.js", f'const key = "{KEY_TITLE}\\n{KEY_LINE}\\n";\n')

    assert found["quote"] == f'const key = "{KEY_TITLE}'
    assert KEY_LINE not in str(found)


def test_code_that_looks_for_private_keys_is_no_leak(findings: Review) -> None:
    """The header alone opens no door."""
    assert findings("src/a.py", f'def is_key(text):\n    return text.startswith("{KEY_TITLE}")\n') == []


ASSIGNED = {
    "a constant": ("src/a.py", 'DB_PASSWORD = "hT7-wq9Z_kd3Xp"\n', 'DB_PASSWORD = "'),
    "an item of a dict": ("src/a.rb", 'config["api_key"] = "hT7wq9Zkd3Xp0Lm"\n', 'config["api_key"] = "'),
    "JSON": ("conf/a.json", '{"client_secret": "hT7wq9Zkd3Xp0Lm"}\n', '{"client_secret": "'),
    "YAML without quotes": ("conf/a.yaml", "auth_token: hT7wq9Zkd3Xp0Lm\n", "auth_token:"),
    "an environment file": (".env", "export SIGNING_KEY=hT7wq9Zkd3Xp0Lm\n", "export SIGNING_KEY="),
    "a typed constant": ("src/a.py", 'SECRET_KEY: str = "hT7wq9Zkd3Xp0Lm"\n', 'SECRET_KEY: str = "'),
    "an address": ("src/a.py", 'URL = "postgres://app:hT7wq9Zkd3@db.shop.io/x"\n', 'URL = "postgres://app:'),
}


@pytest.mark.parametrize(("path", "text", "quote"), ASSIGNED.values(), ids=ASSIGNED.keys())
def test_a_random_value_for_a_secret_name_is_found(findings: Review, path: str, text: str, quote: str) -> None:
    """The shape is unknown; the name says what it is, the value that it is no word."""
    (found,) = findings(path, text)

    assert (found["severity"], found["category"], found["quote"]) == ("MAJOR", "security", quote)
    assert "hT7wq9Zkd3" not in str(found)
    assert "hT7-wq9Z" not in str(found)


HARMLESS = {
    "a placeholder": 'API_KEY = "changeme-1234567"\n',
    "an example": 'API_KEY = "example-key-93f8a2"\n',
    "crosses": 'API_KEY = "xxxxxxxxxxxx9A"\n',
    "AWS's own example": 'KEY = "AKIAIOSFODNN7' + 'EXAMPLE"\n',
    "a token of crosses": f'TOKEN = "ghp_{"x" * 36}"\n',
    "a look-up in the environment": (
        'import os\n\nAPI_TOKEN = os.environ["API_TOKEN"]\nS = os.getenv("SECRET_KEY", "")\n'
    ),
    "a template": 'PASSWORD = "${DB_PASSWORD_9a}"\nTOKEN = "{{ token_9a }}"\n',
    "words": 'TOKEN_URL = "https://auth.shop.io/oauth2/token"\nPASSWORD_FIELD = "user-password-2"\n',
    "a name of a setting": 'SECRET_NAME = "prod/db/pw-9a8b7c"\n',
    "said to be fake": 'API_KEY = "hT7wq9Zkd3Xp0Lm"  # fake\n',
    "a checksum": f'INTEGRITY = "sha512-{HEX[:60]}"\n',
    "a commit id": f'COMMIT = "{HEX[:40]}"\n',
    "a local address": 'URL = "postgres://app:hT7wq9Zkd3@localhost/x"\n',
    "a class of a style sheet": 'CLASS = "sk-estimator-doc-link-hover-and-focus-within-the-page-1"\n',
    "a number of tokens": "MAX_TOKENS = 16384\n",
}


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS.keys())
def test_what_only_looks_secret_is_left_alone(findings: Review, text: str) -> None:
    """Placeholders, look-ups, words and checksums are no secrets."""
    assert findings("src/settings.py", text) == []


def test_tests_and_prose_are_not_guessed_at(findings: Review) -> None:
    """Made-up passwords belong there; known shapes are still told, as less grave."""
    guessed = 'PASSWORD = "hT7wq9Zkd3Xp0Lm"\n'
    token, _ = SECRETS["GitHub personal token"]

    assert findings("tests/test_login.py", guessed) == []
    assert findings("docs/login.md", guessed) == []
    (found,) = findings("tests/test_login.py", f'TOKEN = "{token}"\n')
    assert found["severity"] == "MEDIUM"
    assert str(found["explanation"]).startswith("The file belongs to tests, so this may be made up; if it is not:")


def test_a_secret_is_hidden_from_every_other_finding_of_its_line(findings: Review) -> None:
    """The line has another problem, whose quote would have shown the secret; so would a fix."""
    token, _ = SECRETS["GitHub personal token"]
    code = f'def go():\n    headers = {{"auth": "{token}", "escape": "\\d"}}\n    return 1\n'

    found = findings("src/a.py", code)

    assert len(found) == 3
    assert token not in json.dumps(found)
    assert {each["quote"] for each in found} == {'    headers = {"auth": "'}
    assert [each["replacement"] for each in found] == [None, None, None]


def test_two_secrets_of_one_line_do_not_show_each_other(findings: Review) -> None:
    """Each is quoted from behind the one before it."""
    first, second = SECRETS["GitHub personal token"][0], SECRETS["Google API key"][0]

    found = findings("a.txt", f"use {first} and also {second} here\n")

    assert sorted(str(each["quote"]) for each in found) == [" and also", "use"]
    assert first not in str(found)
    assert second not in str(found)


def test_a_line_that_is_nothing_but_a_secret_is_quoted_by_its_beginning(findings: Review) -> None:
    """A finding must quote something."""
    token, _ = SECRETS["GitHub personal token"]

    (found,) = findings("token.txt", f"{token}\n")

    assert found["quote"] == "ghp_"


def test_a_very_long_line_is_searched(findings: Review) -> None:
    """Generated files hide secrets too."""
    token, _ = SECRETS["Stripe live key"]

    (found,) = findings("web/app.js", "a" * 300_000 + f' "{token}" ' + "b" * 300_000 + "\n")

    assert found["severity"] == "CRITICAL"
    assert len(str(found["quote"])) <= 200
