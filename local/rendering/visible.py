"""Makes text of others safe to show: characters that would act invisibly are shown instead."""

_SHOWN = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"},  # escape sequences, backspaces
    0x7F: "␡",
    **{
        code: f"⟨U+{code:04X}⟩"
        for code in (
            *range(0x80, 0xA0),  # one-byte escape sequences
            *(0x2028, 0x2029),  # line ends that no line counter counts
            *(*range(0x202A, 0x202F), *range(0x2066, 0x206A)),  # writing direction: https://trojansource.codes
            *(*range(0xFDD0, 0xFDF0), 0xFFFE, 0xFFFF),
        )
    },
    **dict.fromkeys(range(0xD800, 0xE000), "�"),  # bytes that were no text
}


def visible(text: str) -> str:
    """Replace control characters by their pictures and changes of the writing direction by their names.

    Tabs and line feeds stay, and so does everything that people write with, in any script.
    """
    return text.translate(_SHOWN)


def visible_line(text: str) -> str:
    """The same, on one line: a line feed is shown as well."""
    return visible(text).replace("\n", "␊").replace("\t", " ")
