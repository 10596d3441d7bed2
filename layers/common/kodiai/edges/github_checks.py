"""The checks of the head in the snapshot's answer, others' and ours, and the other pull requests of the head.

Reference: https://docs.github.com/en/graphql/reference/unions#statuscheckrollupcontext
"""

from collections.abc import Iterator

from kodiai.core.events.decide import is_ours
from kodiai.core.github.ci import CHECK_NAME, PENDING, CiAnnotation, CiCheck, CiResults, OwnCheck
from kodiai.core.json_object import JsonObject
from kodiai.edges.github_queries import CHECKS, PULL_REQUESTS


def ci_results(commit: JsonObject, *, is_shown: bool) -> CiResults:
    """The checks of others, the newest of each name; `is_shown` is whether GitHub refused to show none of them."""
    contexts = _contexts(commit)
    newest: dict[tuple[str, str, bool], JsonObject] = {}  # GitHub may require it of one App, and not of another
    for context in sorted(contexts, key=lambda each: each.get("databaseId") or 0):
        if not _is_own(context):
            name = str(context.get("name") or context["context"])
            newest[name, context["__typename"], context["isRequired"]] = context
    whole = is_shown and CHECKS in commit and not has_more(commit)
    return CiResults(tuple(_check(name, context) for (name, *_), context in sorted(newest.items())), whole)


def has_more(commit: JsonObject) -> bool:
    """Whether there are more checks than were asked for."""
    return bool(_page(commit).get("pageInfo", {}).get("hasNextPage"))


def own_checks(commit: JsonObject) -> tuple[OwnCheck, ...]:
    """Our check runs on the head, whichever pull request they are for, as far as GitHub shows them."""
    return tuple(
        OwnCheck(each["id"], each["externalId"], _word(each["conclusion"]), each["title"] or "")
        for each in _contexts(commit)
        if _is_own(each)
    )


def same_head(commit: JsonObject, head: str, number: int) -> tuple[int, ...]:
    """The numbers of the other open pull requests that have this head; GitHub names those with the commit anywhere."""
    pulls = (commit.get(PULL_REQUESTS) or {}).get("nodes") or ()
    return tuple(
        each["number"]
        for each in pulls
        if each and each["state"] == "OPEN" and each["headRefOid"] == head and each["number"] != number
    )


def _page(commit: JsonObject) -> JsonObject:
    contexts: JsonObject = (commit.get(CHECKS) or {}).get("contexts") or {}
    return contexts


def _contexts(commit: JsonObject) -> list[JsonObject]:
    return [context for context in _page(commit).get("nodes") or () if context]


def _is_own(context: JsonObject) -> bool:
    return context.get("name") == CHECK_NAME and is_ours(context["externalId"])


def _check(name: str, context: JsonObject) -> CiCheck:
    if context["__typename"] == "StatusContext":
        state = context["state"].lower()
        return CiCheck(name, PENDING if state == "expected" else state, context["isRequired"])
    return CiCheck(name, _word(context["conclusion"]) or PENDING, context["isRequired"], tuple(_annotations(context)))


def _word(conclusion: str | None) -> str | None:
    return conclusion.lower() if conclusion else None


def _annotations(context: JsonObject) -> Iterator[CiAnnotation]:
    for each in (context["annotations"] or {}).get("nodes") or ():
        if each:
            place = each["location"]
            lines = place["start"]["line"], place["end"]["line"]
            yield CiAnnotation(each["path"], *lines, each["title"] or "", each["message"])
