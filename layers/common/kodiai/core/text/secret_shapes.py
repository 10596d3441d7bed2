"""The shapes of secrets: what each kind of secret looks like, and how it is found in long texts."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Shape(NamedTuple):
    """A kind of secret: its name, as in "a GitHub token", and its pattern; the group `value` is the secret itself.

    One of the `anchors` is in every secret of the kind, behind where the pattern begins by one of `distances`.
    """

    name: str
    pattern: re.Pattern[str]
    anchors: tuple[re.Pattern[str], ...]
    distances: Iterable[int]

    def finds(self, text: str) -> Iterator[re.Match[str]]:
        """The matches of `finditer`; the pattern is tried only where an anchor says, and most texts have no anchor."""
        anchored = {found.start() for anchor in self.anchors for found in anchor.finditer(text)}
        if not anchored:
            return
        end = 0
        for start in sorted({at - distance for at in anchored for distance in self.distances}):
            if start >= end and (found := self.pattern.match(text, start)) is not None:
                yield found
                end = found.end()


def _shape(name: str, pattern: str, *anchors: str, distances: Iterable[int] = (0,)) -> Shape:
    return Shape(name, re.compile(pattern), tuple(map(re.compile, anchors)), distances)


_START = r"(?<![A-Za-z0-9_-])"
_ASSIGNED = r"""["'\]]{0,2}\s{0,5}(?::=|=>|[:=,])\s{0,5}["']?"""

# Behind a letter or a digit a name may begin like a token: there it counts only if it looks random.
GLUED = _shape(
    "a token",
    r"(?<=[A-Za-z0-9_-])(?P<value>(?:gh[pousr]_|github_pat_|glpat-|sk-ant-|xox[abpr]-|[rs]k_live_|npm_|pypi-Ag)"
    r"[A-Za-z0-9_-]{20,}+)",
    *("gh[pousr]_", "github_pat_", "glpat-", "sk-ant-", "xox[abpr]-", "k_live_", "npm_", "pypi-Ag"),
    distances=(0, 1),
)
"""Words that begin like a token behind a letter or a digit."""

# A token has a minimum length, below which it is an example or a prefix, and no maximum: issuers change it.
SHAPES = (
    _shape(
        "a private key",
        r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----(?P<value>"
        r"(?:[^-]|-(?!----))++-----END [A-Z0-9 ]{1,60}-----|"
        r"(?:(?:[\s>\"'+|,#*]|\\[nr]|[0-9]{1,7} \|){0,24}+[A-Za-z0-9+/=]{20,}+)++)",
        "-----BEGIN ",
    ),
    _shape(
        "an AWS access key",
        r"(?<![A-Za-z0-9])(?P<value>(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})(?![A-Za-z0-9])",
        "A[KSBC][IC]A",
    ),
    _shape(
        "an AWS secret key",
        rf"(?i:secret[_ -]?(?:access[_ -]?)?key){_ASSIGNED}(?P<value>[A-Za-z0-9/+]{{40}})(?![A-Za-z0-9/+=])",
        "[sSſ][eE][cC][rR][eE][tT]",  # some times as fast as to ignore case
    ),
    _shape(
        "a GitHub token",
        rf"{_START}(?P<value>gh[pousr]_(?:[0-9]+_eyJ[\w.-]+|[A-Za-z0-9]{{16,}}[\w.-]*))",
        "gh[pousr]_",
    ),
    _shape("a GitHub token", rf"{_START}(?P<value>github_pat_\w{{20,}})", "github_pat_"),
    _shape(
        "a GitLab token",
        rf"{_START}(?P<value>gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|soat)-[\w-]{{16,}})",
        "gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|soat)-",
    ),
    _shape("an Anthropic key", rf"{_START}(?P<value>sk-ant-[\w-]{{16,}})", "sk-ant-"),
    _shape(
        "an OpenAI key",
        rf"{_START}(?P<value>sk-(?:"
        rf"(?=[\w-]{{0,40}}?[A-Za-z0-9]{{12}})(?=[A-Za-z_-]{{0,200}}[0-9])[\w-]{{24,}}|[A-Za-z0-9]{{32,}}))",
        "sk-",
    ),
    _shape(
        "a Slack token",
        rf"{_START}(?P<value>(?:xox[a-z]|xapp)(?:\.xox[a-z])?-[0-9A-Za-z-]{{10,}})",
        *("xox[a-z]", "xapp"),
    ),
    _shape(
        "a Slack webhook",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<value>[A-Z0-9]{6,}/[\w/-]{12,})",
        r"hooks\.slack\.com/",
    ),
    _shape("a Discord webhook", r"discord(?:app)?\.com/api/webhooks/(?P<value>[0-9]{10,}/[\w-]{20,})", "discord"),
    _shape(
        "a Discord bot token",
        rf"{_START}(?P<value>[MNO][A-Za-z0-9_-]{{23,27}}\.[\w-]{{6}}\.[\w-]{{27,}})",
        r"\.(?=[\w-]{6}\.[\w-]{27})",
        distances=range(24, 29),
    ),
    _shape(
        "a Telegram bot token",
        r"(?<![A-Za-z0-9_-])(?:bot)?(?P<value>[0-9]{8,10}:[A-Za-z0-9_-]{35})(?![\w-])",
        ":(?=[A-Za-z0-9_-]{35})",
        distances=range(8, 14),
    ),
    _shape("a Google API key", rf"{_START}(?P<value>AIza[\w-]{{30,}})", "AIza"),
    _shape(
        "a Google OAuth secret",
        rf"{_START}(?P<value>GOCSPX-[\w-]{{20,}}|ya29\.[\w-]{{30,}})",
        *("GOCSPX-", r"ya29\."),
    ),
    _shape(
        "a Stripe key",
        rf"{_START}(?P<value>[rs]k_(?:live|test)_[A-Za-z0-9]{{10,}}|whsec_[A-Za-z0-9+/]{{24,}})",
        *("k_(?:live|test)_", "whsec_"),
        distances=(0, 1),
    ),
    _shape("a SendGrid key", rf"{_START}(?P<value>SG\.[\w-]{{16,}}\.[\w-]{{32,}})", r"SG\."),
    _shape("an npm token", rf"{_START}(?P<value>npm_[A-Za-z0-9]{{30,}})", "npm_"),
    _shape("a PyPI token", rf"{_START}(?P<value>pypi-Ag[\w-]{{16,}})", "pypi-Ag"),
    _shape("a Hugging Face token", rf"{_START}(?P<value>hf_[A-Za-z0-9]{{30,}})", "hf_"),
    _shape(
        "an Azure account key",
        r"(?i:\b(?:Account|SharedAccess)Key)=(?P<value>[A-Za-z0-9+/]{40,}={0,2})",
        "=(?=[A-Za-z0-9+/]{40})",
        distances=(len("AccountKey"), len("SharedAccessKey")),
    ),
    _shape("a JSON web token", rf"{_START}(?P<value>eyJ[\w-]{{8,}}\.[\w-]{{8,}}\.[\w-]{{8,}})", "eyJ"),
    _shape(
        "a password in an address",
        r"(?i:\b[a-z][a-z0-9+.-]{1,20})://[^\s:/@'\"<>`?#]{0,100}:"
        r"(?P<value>(?![$%{<*…]|[^\s@]{0,3}…)[^\s/@'\"<>`?#]{2,200})@[\w\[]",
        "://",
        distances=range(2, 22),
    ),
    GLUED,
)
"""Every kind of secret."""
