"""Mentions: our handle as a word of its own, in the words of a person."""

import random
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.conversation.mention import comment_lines, handles
from kodiai.core.github.comment import may_mention
from tests.tables import each_row

OURS = handles("kodiai[bot]", ())
TRACE = "\n".join(f'  File "/srv/@kodiai/app_{line}.py", line {line}, in run  # @kodiai review' for line in range(60))

CALLS: list[tuple[str, list[str]]] = [
    ("@kodiai review", ["review"]),
    ("@kodiai[BOT], review", ["review"]),
    ("review, @kodiai.", ["review, ."]),
    ("Hey @kodiai, why is this a bug?", ["Hey why is this a bug?"]),
    ("Why  is this\ta bug, @kodiai?", ["Why is this a bug, ?"]),
    ("@kodiai: Why is `Parser.x` null in [the docs](https://example.com)?", ["Why is `Parser.x` null in the docs?"]),
    ("I agree with @kodiai's finding", ["I agree with kodiai's finding"]),
    ("@kodiai’s finding is wrong", ["kodiai’s finding is wrong"]),
    ("I think @kodiai is wrong", ["I think kodiai is wrong"]),
    ("@kodiai is this wrong?", ["is this wrong?"]),
    ("@kodiai propose what @kodiai said", ["propose what kodiai said"]),
    ("(@kodiai) why?", ["() why?"]),
    ("@kodiai", [""]),
    ("@kodiai,\r\nreview\r\nsoon", ["review"]),
    ("Hi @kodiai!  \nWhy?", ["Why?"]),
    ("@kodiai\n\nreview", [""]),
    ("thanks @kodiai\nI'll merge it", ["thanks"]),
    ("@kodiai\n@kodiai review", ["", "review"]),
    ("See below.\n\n@kodiai pause\nand then\n@kodiai resume", ["pause", "resume"]),
    ("> by design\n\n@kodiai why?", ["why?"]),
    ("* one\n\n  1. @kodiai review", ["review"]),
    ("- [ ] @kodiai review", ["[ ] review"]),
    ("| who | what |\n|---|---|\n| @kodiai | review |", ["| | review |"]),
    ("@kodiai **re**view", ["review"]),
    ("<b>@kodiai</b> review", ["review"]),
    ("<details><summary>More</summary>\n\n@kodiai review\n\n</details>", ["review"]),
    ("<a name='top'> here\n\n@kodiai review", ["review"]),
    ("@kodiai review <!-- soon -->", ["review"]),
    ("@kodiai ~~review~~ pause", ["… pause"]),
    ("@kodiai ![](shot.png) why?", ["… why?"]),
    ("🚀@kodiai🚀", ["🚀🚀"]),
    ("❤️@kodiai❤️ review", ["❤️❤️ review"]),
    ("مرحبا @kodiai هل يمكنك الشرح؟", ["مرحبا هل يمكنك الشرح؟"]),
    ("\u2067שלום \u2066@kodiai\u2069 מה שלומך\u2069", ["\u2067שלום \u2066\u2069 מה שלומך\u2069"]),
    ("请@kodiai看看", ["请看看"]),
    ("Salut @kodiai, ça va&nbsp;?", ["Salut , ça va ?"]),
    (f"@kodiai why?\n\n```\n{TRACE}\n```", ["why?"]),
    ("word " * 3_190 + "\n\n@kodiai review", ["review"]),
    ("I like List<String> more.\n\n@kodiai review", ["review"]),
    ("<template>x</template>\n\n@kodiai review", ["review"]),
    ("So.[^1]\n\n[^1]: See.\n\n@kodiai review", ["review"]),
    ("On Mon, 3 Feb 2025, Ann <a@example.com> wrote:\n> So?\n\n@kodiai review", ["review"]),
    ("> Am 03.02.25 um 09:00 schrieb Ann:\n> So?\n\n@kodiai review", ["review"]),
    ("```\nOn Mon, 3 Feb 2025, Ann <a@example.com> wrote:\n```\n@kodiai review", ["review"]),
    ("Since 2025-02-03 14:00 we see:\n```\nTraceback\n```\n@kodiai why?", ["why?"]),
    ("See\n\n    at 2025-02-03 14:00 from Ann:\n\n@kodiai why?", ["why?"]),
    ("@kodiai at 2025-02-03 14:00 the build said:\n\nboom", ["at 2025-02-03 14:00 the build said:"]),
    ("Ask Ann <a@example.com>.\nThen:\n\n@kodiai review", ["review"]),
    ("Acked-by: A <a@x.io>\nAcked-by: B <b@x.io>\nAcked-by: C <c@x.io>\n\n@kodiai review", ["review"]),
    ("a | b\n---- | ----\n1 | 2\n\n@kodiai review", ["review"]),
]
INVISIBLE = (
    "template, noscript, script, style, dialog, datalist, option, object, svg, math, title, textarea, iframe, audio,"
    " video, canvas, rp, p hidden, b HIDDEN='', i style='color:#fff'"
)
CALLS_NOBODY = [
    "",
    "kodiai review",
    "@ kodiai review",
    "@kodiais review",
    "@kodiai@example.social",
    "@@kodiai review",
    "@kodiai.dev review",
    "@kodiai[0]",
    "@kodiai[bot]s",
    "@kodiaié",
    "@kodiai\u0301",
    "@kodiai\u200b-dev",
    "me\u200b@kodiai",
    "**@kodiai**-dev review",
    "@kod**iai** review",
    "@kodiai`-dev` review",
    "Write to kodiai@acme.com or me@kodiai.dev to get a review",
    "é@kodiai",
    "curl -d body=@kodiai",
    "＠kodiai review",
    "@\u212aodiai review",
    "@kod\u200biai review",
    "@kod&#105;ai review",
    "<pre>\n\n@kodiai review\n\n</pre>",
    "<blockquote>\n\n@kodiai review\n\n</blockquote>",
    "~@kodiai review~",
    '[1]: https://example.com "@kodiai review"',
    "![@kodiai](shot.png)",
    "so <a href='https://example.com'>@kodiai</a>",
    "<https://example.com/@kodiai>",
    "https://example.com/ann,@kodiai",
    "octo/@kodiai review",
    "git@kodiai:octo/hello.git",
    "so <b title='@kodiai review'>it</b> is",
    "Thanks!\n\n-- \n@kodiai fan",
    "Yes\n\nSent from my phone, @kodiai",
    "Yes.\n\nOn Mon, 3 Feb 2025, Ann <a@example.com>\nwrote:\n> @kodiai review",
    "Yes.\r\n\r\nFrom: ann\r\nSent: Monday\r\nTo: octo/hello\r\n\r\n@kodiai review",
    *(f"so <{tag}>\n@kodiai review</{tag}>" for tag in INVISIBLE.split(", ")),
    "<template>\n\n</b>\n\n@kodiai review\n\n</template>",
    "<template/>\n\n@kodiai review",
    "so <template><b title='</template>'>\n@kodiai review\n</b></template>",
    "<template>\n\n<!-- </template> -->\n\n@kodiai review",
    "<div hidden>\n\n<div>\n\n</div>\n\n@kodiai review\n\n</div>",
    '<div title="\n\n@kodiai review\n\n">',
    "<div><!--\n\n@kodiai review\n\n-->",
    "So.[^1]\n\n[^1]: See\n@kodiai review",
    "[^1]:\n    @kodiai review",
    *(
        f"{header}\n\n@kodiai review"
        for header in (
            "On Mon, Feb 3, 2025 at 9:00 AM Ann <a@example.com> wrote:",
            "Yes.\n\nOn Mon, Feb 3, 2025 at 9:00 AM Ann ***@***.***> wrote:\nSo.",
            "On Mon, Feb 3, 2025 at 9:00 AM Ann of the Build Team <\na@example.com> wrote:",
            "Yes.\nOn Monday, February 3, 2025 at 9:00 AM,\nAnn <a@example.com> wrote:",
            "Am Mo., 3. Feb. 2025 um 09:00 Uhr schrieb Ann <a@example.com>:",
            "Am 03.02.25 um 09:00 schrieb Ann:",
            "Yes.\n\n     On Monday, February 3, 2025, 09:00:00 AM, Ann <a@example.com> wrote:  ",
            "\u202bבתאריך 3 בפבר׳ 2025 ב-9:00 מאת \u202aAnn\u202c\u200f <\u202aa@example.com\u202c\u200f>:\u202c",
            "Le lun. 3 févr. 2025 à 09:00, Ann <a@example.com> a écrit :",
            "El lun, 3 feb 2025 a las 9:00, Ann (<a@example.com>)\nescribió:",
            "2025年2月3日(月) 9:00 Ann <a@example.com>:",
            "Ann <a@example.com> 于2025年2月3日周一 09:00写道：",
            "Von: a@example.com\nGesendet: Montag, 3. Februar 2025 09:00\nAn: octo/hello\nBetreff: Re: So",
            "**De :** Ann <a@example.com>\n**Envoyé :** lundi 3 février 2025 09:00\n**À :** octo\n**Objet :** So",
            "-----Ursprüngliche Nachricht-----",
            "---------- Forwarded message ---------",
        )
    ),
]


def said_to_us(text: str, called: frozenset[str] = OURS) -> list[str]:
    """The lines of a comment that mention us."""
    return [line.text for line in comment_lines(text, called) if line.mentioned_at is not None]


@each_row(("text", "said"), CALLS)
def test_a_line_that_calls_us_is_said_to_us(text: str, said: list[str]) -> None:
    """In its own letters, without the call, and whatever else is in the comment."""
    assert said_to_us(text) == said
    assert may_mention(text)


@each_row("text", CALLS_NOBODY)
def test_shown_texts_and_other_names_mention_nobody(text: str) -> None:
    """Code, quotes, links, addresses, longer names, letters that only look alike, and what a mail program adds.

    Neither does what GitHub or a browser does not show, nor the message below a reply by mail, in any language.
    """
    assert said_to_us(text) == []


def test_we_are_called_by_our_login_and_the_configured_names() -> None:
    """However they are written; without a name nobody calls us."""
    called = handles("Kodiai-Local[bot]", ["Review-Bear", "old_name[bot]"])

    assert called == {"kodiai-local", "review-bear", "old_name"}
    assert said_to_us("@kodiai-local a\n@REVIEW-BEAR b\n@old_name[bot] c\n@kodiai d", called) == ["a", "b", "c"]
    assert said_to_us("@kodiai review", handles("", ())) == []


WRAPS: list[Callable[[str], str]] = [
    lambda line: f"> {line}",
    lambda line: f"> so\n{line}",
    lambda line: f"`{line}`",
    lambda line: f"```\n{line}\n```",
    lambda line: f"<!-- {line} -->",
    lambda line: f"<pre>\n{line}\n</pre>",
    lambda line: f"so <code>{line}</code>",
    lambda line: f"~~{line}~~",
    lambda line: f"[{line}](https://example.com)",
    lambda line: f'[so](https://example.com "{line}")',
    lambda line: f"so\n\n    {line}",
    lambda line: line.replace("@", "\\@"),
    lambda line: line.replace("@", "&#64;"),
    lambda line: line.replace("@", "ops@"),
    lambda line: line.replace("@", "@octo/"),
    lambda line: line.replace("kodiai", "kodiai-dev"),
    lambda line: line.replace("kodiai", "kodiai/team"),
    lambda line: line.replace("@", "https://example.com/@"),
]
LINES = ["@kodiai review", "@kodiai", "hey @kodiai, why?", "by design, @kodiai!", "so @kodiai pause"]
PLAIN = ["Thanks!", "- one\n- two", "# Why", "by design", "@ann look", "a **b** c", "1. first"]


def test_no_text_of_shown_or_longer_names_calls_us_however_it_is_put_together() -> None:
    """And one line that calls us among them is heard, alone."""
    dice = random.Random(7)
    for _ in range(400):
        parts = [dice.choice(WRAPS)(dice.choice(LINES)) for _ in range(dice.randint(1, 4))]
        parts += dice.choices(PLAIN, k=dice.randint(0, 3))
        dice.shuffle(parts)
        at = dice.randint(0, len(parts))

        assert said_to_us("\n\n".join(parts)) == [], parts
        assert said_to_us("\n\n".join([*parts[:at], "@kodiai explain it", *parts[at:]])) == ["explain it"], parts


@given(st.lists(st.sampled_from(["@kodiai", "`", "> ", "\n", "[", "](", ")", "*", "~~", "\\", "<b>", "x", " ", "_"])))
def test_a_mention_is_always_worth_looking_for(parts: list[str]) -> None:
    """The cheap look misses nothing."""
    text = "".join(parts)

    assert may_mention(text) or said_to_us(text) == []
    assert not any(map(may_mention, ["", "review", "ops@example.com", "a @ b", "@", "@@", "＠kodiai"]))
