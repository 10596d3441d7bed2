"""Claims: what a finding rests on that the program itself can hold against facts."""

from kodiai.core.findings.claims import lookups, names, places, syntax, wishes
from kodiai.core.findings.claims.facts import Checked, Facts
from kodiai.core.findings.finding import Finding

__all__ = ["Checked", "Facts", "check"]

_REFUTING = (syntax.refuted, names.bound, names.used, places.beyond_the_file, lookups.unnamed_cve, lookups.no_callers)
_DOUBTING = (lookups.unseen_callers, lookups.unnamed_numbers)


def check(finding: Finding, facts: Facts) -> Checked:
    """Hold what a finding claims against the facts.

    It is refuted only by what its title or the first sentence of its explanation claims, and only where nothing in
    its whole text says that it is meant in another way: a true finding is never dropped for how it is worded.
    """
    against = next((why for rule in _REFUTING for why in rule(finding, facts)), None)
    caveats = dict.fromkeys(why for rule in _DOUBTING for why in rule(finding, facts))
    return Checked(against, "; ".join(caveats) or None, wishes.only_asks(finding))
