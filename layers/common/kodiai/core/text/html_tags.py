"""The tags and comments in HTML, as a browser reads them."""

import re

_VALUE = r"""(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)"""
_ATTRIBUTES = rf"""(?:[\s/]++|[^\s/>=]++(?:\s*+=\s*+{_VALUE})?+)*+"""
MARKUP = re.compile(
    r"<!--(?:-?>|.*?--!?>|(?P<comment>.*+))"
    r"|<(?:[!?]|/(?![A-Za-z]))[^>]*+>"
    rf"|<(?P<close>/?)(?P<name>[A-Za-z][^\s/>]*+)(?P<attributes>{_ATTRIBUTES})(?:=\s*+)?>"
    rf"""|(?P<quote></?[A-Za-z][^\s/>]*+{_ATTRIBUTES}\s*+=\s*+["'].*+)|<[!?/A-Za-z].*+""",
    re.DOTALL,
)
"""A tag or a comment; `comment` and `quote` are one that ends nowhere, so that it hides what follows."""

ATTRIBUTE = re.compile(rf"(?P<name>[^\s/>=]++)(?:\s*+=\s*+(?P<value>{_VALUE}))?+")
