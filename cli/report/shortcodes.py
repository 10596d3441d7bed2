"""Emoji shortcodes of the kinds that reviews are written with, as GitHub shows them."""

import re

_SHORTCODE = re.compile(r":([a-z0-9_+-]+):")
_EMOJI = {
    "+1": "👍",
    "-1": "👎",
    "arrow_right": "➡️",
    "arrows_counterclockwise": "🔄",
    "black_circle": "⚫",
    "blue_circle": "🔵",
    "bug": "🐛",
    "bulb": "💡",
    "eyes": "👀",
    "green_circle": "🟢",
    "heavy_check_mark": "✔️",
    "hourglass": "⌛",
    "information_source": "ℹ️",
    "large_blue_circle": "🔵",
    "lock": "🔒",
    "memo": "📝",
    "new": "🆕",
    "no_entry": "⛔",
    "orange_circle": "🟠",
    "question": "❓",
    "red_circle": "🔴",
    "rocket": "🚀",
    "rotating_light": "🚨",
    "shield": "🛡️",
    "sparkles": "✨",
    "tada": "🎉",
    "test_tube": "🧪",
    "thumbsdown": "👎",
    "thumbsup": "👍",
    "warning": "⚠️",
    "white_check_mark": "✅",
    "white_circle": "⚪",
    "wrench": "🔧",
    "x": "❌",
    "yellow_circle": "🟡",
    "zap": "⚡",
}


def with_emoji(text: str) -> str:
    """Put emoji in the place of their shortcodes; what is no shortcode we know stays as it is."""
    return _SHORTCODE.sub(lambda found: _EMOJI.get(found[1], found[0]), text)
