"""What a short reply in a review thread says about its finding, by rule: where there is doubt, it says nothing."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from kodiai.core.conversation.command import command
from kodiai.core.conversation.mention import Line, lines
from kodiai.core.conversation.spoken import SHOWN, as_spoken

Meaning = Literal["wont_fix", "by_design", "acknowledged", "done", "disagrees"]

_LONG = 40  # words; of a longer reply only the opening counts
_READ = 1_000  # characters; what follows them is not looked at
_OPENING = 5  # words that may stand before the phrase that opens a long reply


def _any(phrases: str) -> re.Pattern[str]:
    """Compile a table with a phrase on each line; ^ and $ are the ends of a clause."""
    return re.compile("|".join(phrase.strip() for phrase in phrases.strip().splitlines()), re.MULTILINE)


_IT = "(?:it|this|that|these|those|them)"
_FINDING = "(?:bug|comment|finding|issue|nit|one|point|problem|report|suggestion|thing|warning)"
_CHANGE = "(?:address|chang|fix|refactor|touch|updat)(?:e|es|ed|ing)?"
_MEAN = "(?:going|planning|plan|want|willing)"
_KEEP = "(?:leave|leaving|left|keep|keeping|kept)"
_SKIP = "(?:skip(?:ping|ped)?|ignor(?:e|ed|ing)|dismiss(?:ed|ing)?)"
_PART = _any(r"""
    \bthe (?:first|second|third|former|latter|rest|remaining|others?)\b
    \bpart(?:ly|ial|ially)\b
    \b(?:some|one|most) of\b|\bone is\b|\bsome$
    \b(?:all but|almost|except|half|mostly|nearly)\b
""")
_ONLY_IT = (
    rf"(?= {_IT}\b| the {_FINDING}\b| (?:now|here|anything|for now|either|sorry|thanks|as)\b"
    rf"| in this (?:branch|pr|release|version)\b| (?:{_PART.pattern})|$)"
)
_PLACE = rf"(?:#\d|\w+ \d|\w+/\w+#\d|{SHOWN}|(?:here|issue|ticket|jira|linear|backlog|milestone|board)\b)"
_OTHER = "(?:another|dedicated|different|follow up|following|future|later|new|next|own|separate|subsequent|upcoming)"
_WORK = r"(?:change|cleanup|issue|iteration|mr|patch|pr|pull request|refactoring|release|sprint|task|ticket)\b"
_PUSHED = r"(?:#\d|[0-9a-f]{7,40}\b|(?:\w+ ){0,2}(?:commit|patch|push|revision|version)\b)"
_COMMIT = rf"(?:{SHOWN}|{_PUSHED})"
_BY_US = "(?:(?:i|we|all|everything|got|(?:all|everything|it|this|that) (?:has|is) been|have|already|also|just|now) )*"
_BE = "(?:(?:i|we|all|everything|it|this|that|is|are|was|were|has|have|been|already|also|just|now|should now be) )*"
_FIXED = r"(?:fixed|addressed|resolved|corrected|solved)\b"
_DONE = rf"(?:{_FIXED}|done|handled|sorted|taken care of)"
_EDITED = (
    r"(?:added|adjusted|applied|changed|cleaned up|deleted|dropped|extracted|improved|moved|reduced|refactored|removed"
    r"|renamed|replaced|reverted|reworked|rewritten|simplified|switched|tweaked|updated)\b"
)
_OF_CODE = (
    r"(?!.*\b(?:on purpose|by design|(?:intentional|deliberate)(?:ly)?|backlog|branch|comment|conflicts?|follow up"
    r"|label|next pr|reviewers?|slack|ticket|title|todo)\b)"
)
_CHECK = "(?:check|cover|document|ensur|escap|guard|handl|prevent|protect|saniti[sz]|test|validat|verif)"

_SAYS: dict[Meaning, re.Pattern[str]] = {
    "wont_fix": _any(rf"""
        (?:^|\b(?:i|we|they|and|so) (?:really |just |also )?)will not (?:be )?(?:{_CHANGE}|do){_ONLY_IT}
        (?:^|\b{_IT} |\bthe {_FINDING} )will not (?:be|get) {_CHANGE}{_ONLY_IT}
        \b(?:as|a|is|status) (?:a )?will not fix\b
        (?:^|\b(?:i am|we are|i do|we do|and|so) )not (?:{_MEAN} to )?(?:{_CHANGE}|do|doing){_ONLY_IT}
        \bdecided (?:not to {_CHANGE}|to {_KEEP})\b
        \b(?:no need|nothing|no plans?) to {_CHANGE}\b
        \bno (?:code )?(?:changes?|fix|action) (?:is |are )?(?:needed|necessary|required|planned)\b
        \bnot worth (?:it|fixing|changing|addressing|doing|the \w+)\b
        \b(?:{_KEEP}|stays?|staying|fine|good|ok|okay) (?:\S+ ){{0,3}}?as (?:it )?is(?=$| (?:for|here|in|now|on)\b)
        \b{_KEEP} (?:{_IT} )?(?:alone|unchanged|(?:like )?(?:this|that)(?: way)?$)
        ^(?:i will |we will |let us )?{_KEEP} {_IT}(?: for now)?$
        ^(?:i am |we are )?{_SKIP}(?: {_IT}| the)?(?: {_FINDING})?(?: (?:please|for now|here|then|in this pr))?$
        \b(?:(?:i|we|you) (?:can|will|should)|let us|going to) (?:just |safely )?{_SKIP}(?: {_IT})?(?: {_FINDING})?$
        \b(?:prefer (?:to )?{_KEEP}|would rather (?:keep|leave|not))\b
    """),
    "by_design": _any(rf"""
        (?<!must be )(?<!should be )\b(?:by design|on purpose)\b
        (?:^|\b(?:works?|working|behaves?|behaving|is|are) )(?:exactly )?as (?:intended|designed|expected)$
        (?:^|\b(?:is|are|was|were|been) )(?:\w+ly |very )*(?:intentional|deliberate)(?=$| (?:and|as|here)\b)
        (?:^|\b(?:is|are|was|were) )(?:\w+ly )?(?:intended|expected)(?=$| (?:and|here|behaviou?r|{SHOWN})\b)
        (?:^|\b(?:i|we|is|are|was|were|been|{_IT}|done|left|kept|did) )(?:\w+ )?(?:intentionally|deliberately)\b
        \b(?:intentionally|deliberately)$
        \b(?:conscious|deliberate|intentional) (?:\w+ )?(?:behaviou?r|choice|decision|design|trade ?off)\b
        ^(?:(?:it|this|that) is )?(?:a )?design (?:choice|decision)$
        \bis the (?:expected|intended|desired) behaviou?r\b
        (?:^|\bit is )a feature\b
        \b(?:designed|meant to (?:be|work)) (?:like this|like that|this way|that way)$
        \bhow it (?:should|is meant to) (?:be|work)$
        \bwhat (?:i|we) (?:want|wanted|intended)$
        \bwe want {_IT}(?: to be)?(?: like this| like that| this way| that way)?$
    """),
    "acknowledged": _any(rf"""
        ^(?:acknowledged|acknowledging|ack|acked|noted|duly noted)(?: (?:as|for|here|this|thanks)\b.*)?$
        \bi acknowledge {_IT}\b
        (?<!no )\bknown (?:bug|gap|issue|limitation|problem|risk|trade ?off)\b
        ^(?:(?:it|this|that) is )?(?:already )?known$
        ^(?:i|we) (?:already )?know(?: about)?(?: {_IT})?$
        ^(?:i am |we are )?(?:already |well |fully )?aware(?: of (?:{_IT}|the {_FINDING}))?$
        (?<!was )(?<!added )(?<!changed )(?<!introduced )\b(?:in|for|as|to|into) (?:\w+ )?(?:{_OTHER} )+{_WORK}
        \b(?:in|for|as) an? follow up\b|^follow up (?:pr|pull request|issue|ticket|task)\b
        ^(?:much )?later$|\bfor later$|^next (?:pr|sprint|release|iteration)$|^not in this pr$
        (?:^|\b(?:will|to|can|should|let us) )(?:be )?(?:{_CHANGE}|do|done|handle)(?: \w+){{0,3}} (?:later|separately)$
        \btrack(?:ed|ing) (?:{_IT} )?(?:separately|elsewhere)\b
        \btrack(?:ed|ing) (?:{_IT} )?(?:as|at|by|in|under|via|with) (?:(?:an?|the|our|another|separate) )*{_PLACE}
        \b(?:filed|opened|created|raised) (?:{_PLACE}|an? (?:\w+ )?(?:issue|task|ticket)\b)
        (?<!goes )(?<!go )\b(?:out of|outside|outside of|beyond|not in) (?:the )?scope(?=$| (?:for|of|in this pr)\b)
        \b(?:added|adding|left|leaving|put) (?:{_IT} as )?an? todo\b
        \b(?:backlog|tech(?:nical)? debt|accepted risk|acceptable risk|risk (?:is )?accept(?:ed|able))\b
        \b(?:i|we) accept (?:the risk|{_IT})\b
    """),
    "done": _any(rf"""
        (?:^|\band ){_BY_US}{_FIXED}(?! (?:at|length|number|point|set|size|to|value|width)\b){_OF_CODE}
        ^{_BE}{_DONE}(?:$| (?:and|differently|now|too)\b| as (?:you )?(?:requested|suggested)\b){_OF_CODE}
        ^{_BE}{_DONE} (?:in|with) {_COMMIT}{_OF_CODE}
        \bshould be {_FIXED}(?= now\b| (?:in|with) {_COMMIT})
        ^{_BY_US}{_EDITED}(?! (?:my|the pr)\b){_OF_CODE}(?: \S+){{0,8}}$
        \b(?:pushed|committed) (?:an? |the |my )?(?:change|correction|fix)\b
        ^fix (?:is )?(?:pushed\b|in {_COMMIT})
    """),
    "disagrees": _any(rf"""
        \bdisagree\b|\b(?:do|would) not (?:really |quite )?agree\b
        \b(?:i|we) do not think (?:so\b|{_IT} is (?:an? )?(?:\w+ )?(?:bug|correct|issue|problem|right|true|valid)\b)
        \bfalse (?:alarm|positive)\b|\bnon issue\b|\bhallucinat
        \bnot an? (?!known\b)(?:\w+ )?(?:bug|concern|issue|problem)\b(?! (?:to|with)\b)
        \bno (?!known\b|problem$)(?:\w+ )?(?:bug|concern|issue|problem)\b(?! (?:to|with)\b)
        \b(?:{_IT}|{_FINDING}|bot) is (?:\w+ly |just )?(?:wrong|incorrect|invalid|mistaken|nonsense|untrue)\b(?! to\b)
        \b(?:{_IT}|{_FINDING}|bot) is not (?:accurate|correct|right|true|valid)\b(?! to\b)
        ^(?:wrong|incorrect|untrue|nonsense|not (?:accurate|applicable|correct|relevant|right|true|valid)|n/a)$
        \byou (?:are (?:mistaken|wrong)|(?:have )?mis(?:read|understood|understand))\b|\bdoes not apply\b
        \bis (?:not (?:applicable|possible|reachable|relevant)|impossible|irrelevant|unreachable)\b(?! to\b)
        \b(?:(?:can|will) (?:not|never)|does not|never) (?:\w+ )?(?:happens?|occurs?)\b
        \b(?:can (?:not|never) (?:\w+ )?be|is never) (?:called|empty|negative|nil|none|null|reached|undefined|zero)\b
        \bguaranteed (?:by|that|to)\b
        \balready (?:being |been )?(?:caught\b|done (?:above|at|below|by|in)\b|{_CHECK}\w*\b(?! in {_PUSHED}))
        \b(?:is|are|gets?) {_CHECK}\w* (?:(?:at|by|in|on)\b(?! {_PUSHED})|(?:above|before|below|earlier|upstream)\b)
    """),
}

_UNLESS = r"(?!\s*(?:unless|until|except)\b)"  # belongs to what stands before it
_SENTENCE = re.compile(rf"((?<![.!?:;])[.!?:;]++(?=[\s)]|\Z)|\n){_UNLESS}")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n")
_STATEMENT = re.compile(rf"(?:\s[-–—]+\s|—|[()]|\bbecause\b|\bsince\b){_UNLESS}")
_CLAUSE = re.compile(r",(?=\s|\Z)|(?<!\ball) (?=but\b|though\b|however\b)")
_AROUND = " .,!?:;()*~_/\\-–—…\"'"
_COURTESY = re.compile(
    r"^(?:(?:thanks?(?: you)?(?: (?:a lot|so much))?(?: for (?:the|this|your) \w+)?|thx|hi|hey|hello|ok|okay|yes|yep"
    r"|yeah|sure|right|sorry|agreed|i agree|indeed|true|(?:good|great|nice) (?:catch|find|point|spot)|hmm?|oh|ah|oops"
    r"|fyi|please|and|but|so|then|@[\w-]+)(?: |$))+"
)
_ASK = "(?:is|are|was|were|do|does|did|can|could|should|shall|would|will|has|have)(?: not)?"
_QUESTION = _any(rf"""
    ^{_ASK} (?:i|we|you|he|she|they|{_IT}|there|the)\b
    ^(?:why|how|what (?:if|about|is|do|does))\b
""")
_CONDITION = r"\b(?:if|unless|until|assuming|provided|in case|as long as|once (?:we|i|you|it|this|that|the|ci))\b"
_IF_FIRST = re.compile(_CONDITION)
_IF_LATER = re.compile(rf"{_CONDITION}|\b(?:or not|right|correct)$", re.MULTILINE)
_NEGATION = re.compile(r"\b(?:not|never|no longer|nor|neither|hardly|without|nobody|nothing)(?: \w+){0,4} ?\Z")
_DOUBT = _any(rf"""
    {_CONDITION}
    \b(?:maybe|perhaps|possibly|might|may|could|would be|not sure|unsure|unclear|wonder\w*|whether|hopefully)\b
    \b(?:doubt|hard to|no way|none of|rarely|according to|(?<!i )(?<!i can )confirm)\b
    \b(?:(?<!i )(?:said|says?|claims?|claimed|wrote|told)|(?:you|he|she|they) (?:thinks?|meant?)|believes|thinks)\b
""")
_BELIEF = _any(r"""
    \b(?:i|we) (?:think|thought|believe|guess|assume|suspect|feel|would say)\b
    \b(?:imh?o|afaik|iirc|probably|likely|presumably|apparently|seems?|looks?|appears?)\b
""")
_WILL = (
    "(?:will|shall|am going to|are going to|need to|have to|should|must|want to|can)(?: also| just| still| probably)?"
)
_PLAN = _any(rf"""
    (?:^|\b(?:i|we|and|but|so) ){_WILL} (?:{_CHANGE}|be fixing|correct|do|push|remove|resolve|revert|rewrite|rework)\b
    (?:^|\b(?:i|we|and|but|so) ){_WILL} (?:check|investigate|look|think|try)\b
    (?:^|\b(?:am|are) )(?:fixing|checking|investigating|looking into|working on)(?: \w+)?$
    ^on it$|^wip$|\blet me\b
""")
_POSTPONED = _any(r"""
    \b(?:later|separate(?:ly)?|follow up|next (?!commit|push)|future)\b
    \b(?:another|different|subsequent|upcoming|dedicated)\b
""")
_TAKEN_BACK = _any(r"""
    \bnot (?:yet )?(?:addressed|done|fixed|resolved)\b|\bstill (?:broken|fails|happens|open)\b
    \b(?:scratch that|never ?mind|actually,? no|on second thought)\b
    \b(?:but|however),? (?:(?!not\b|no\b)\w+ ){0,6}(?:agree|bug|breaks|broken|missed|right|should|valid)\b
""")
_BUT = r"(?!.*\b(?:but|however|though)\b)"
_AGREES = _any(rf"""
    (?<!not )(?<!not really )(?<!not quite )\bagreed?\b{_BUT}
    \b(?:good|great|nice) (?:catch|find|spot)\b{_BUT}
    \bthanks for (?:catching|finding|noticing|spotting)\b{_BUT}
    \b(?:you are right|indeed|my bad|my mistake|oops)\b{_BUT}
    ^(?:yes|yep|yeah|right|true)\b{_BUT}
""")
_NO_BECAUSE = re.compile(r"\A\W*(?:no|nope|nah)\b ?[,.:;!–—-](?:\W+\w+){3}")
_NO_ARGUMENT = re.compile(r"[?]|\b(?:thanks?|idea|sorry|forgot|missed|yet|right|catch|worries|did not|have not|will)\b")
_RECEIPT = re.compile("ack|noted|duly|i acknowledge")


class _Hit(NamedTuple):
    """A phrase that says something; `start` is its place in the statement."""

    start: int
    says: Meaning
    phrase: str


def meaning(text: str, handles: frozenset[str] = frozenset()) -> Meaning | None:
    """Tell what a reply says about the finding that it answers, None where it settles nothing by itself.

    `text` is Markdown, `handles` are our names: neither calling us nor a command says anything about a finding.
    A decision goes before a disagreement, and the first decision before the next.
    """
    return meaning_of(lines(text.strip(), handles))


def meaning_of(said: Iterable[Line]) -> Meaning | None:
    """Tell what the lines of a reply say, as `meaning` does."""
    talk = (line for line in said if command(line) is None and not line.is_only_a_call)
    whole = as_spoken(piece for line in talk for piece in line.pieces)
    words = whole[:_READ]
    statements = list(_statements(words))
    if words != whole or len(words.split()) > _LONG:
        statements = [statement for statement in statements[:1] if _opens(statement)]
    elif _TAKEN_BACK.search(words):
        return None
    if any(_leaves_open(statement) for statement in statements):
        return None
    hits = [hit for statement in statements for hit in _hits(statement)]
    if not hits:
        return "disagrees" if _NO_BECAUSE.match(words) and not _NO_ARGUMENT.search(words) else None
    return _weighed([hit for hit in hits if hit.says != "disagrees" or not _AGREES.search(words)])


def sentences(words: str) -> list[str]:
    """Take what is spoken apart into whole sentences, reasons after a colon included."""
    return [sentence for sentence in _SENTENCE_END.split(words) if sentence.strip(_AROUND)]


def settles(sentence: str) -> bool:
    """Whether a spoken sentence says what settles a finding and asks nothing. No very long one does."""
    if len(sentence) > _READ:
        return False
    statements = list(_statements(sentence))
    return all(statements) and any(hit.says != "disagrees" for each in statements for hit in _hits(each))


def _weighed(hits: list[_Hit]) -> Meaning | None:
    """Decide between phrases: work beside anything else is unclear, and to have read it is nothing beside a claim."""
    claims = {hit.says for hit in hits} & {"done", "disagrees"}
    said = [hit.says for hit in hits if not claims or not _RECEIPT.match(hit.phrase)]
    if "done" in said and len(set(said)) > 1:
        return None
    return next((says for says in said if says != "disagrees"), said[0] if said else None)


def _statements(words: str) -> Iterator[str]:
    """Take sentences apart into statements, with a clause on each line and no courtesy.

    A question and a sentence that begins with a condition state nothing: each is an empty statement.
    """
    pieces = _SENTENCE.split(words)
    for sentence, end in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        for statement in _STATEMENT.split(sentence):
            clauses = (_COURTESY.sub("", clause.strip(_AROUND)) for clause in _CLAUSE.split(statement))
            stated = "\n".join(clause for clause in clauses if clause)
            if stated:
                yield "" if "?" in end or _QUESTION.search(stated) or _IF_FIRST.match(stated) else stated


def _opens(statement: str) -> bool:
    """Whether a statement comes to the point in its first words."""
    hits = _hits(statement)
    return bool(hits) and len(statement[: hits[0].start].split()) <= _OPENING


def _leaves_open(statement: str) -> bool:
    """Whether it is a plan for this pull request, or speaks of a part of what was found."""
    if _PLAN.search(statement) and not _POSTPONED.search(statement):
        return True
    return any(_PART.search(line) and _hits(line) for line in statement.split("\n"))


def _hits(statement: str) -> list[_Hit]:
    """Find what a statement says, in its order."""
    hits = []
    last = 0
    found = ((hit.start(), hit.end(), says) for says, phrases in _SAYS.items() for hit in phrases.finditer(statement))
    for start, end, says in sorted(found):
        if not _is_silent(says, statement[:end], statement[last:start], statement[end:]):
            hits.append(_Hit(start, says, statement[start:end]))
        last = max(last, end)
    return hits


def _is_silent(says: Meaning, until: str, just_before: str, after: str) -> bool:
    """Whether a phrase is negated, in doubt or under a condition; who disagrees may think so, and say when."""
    if _NEGATION.search(just_before) or _DOUBT.search(until):
        return True
    return says != "disagrees" and bool(_BELIEF.search(until) or _IF_LATER.search(after))
