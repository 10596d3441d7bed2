"""The rules of ruff that are reported, and how severe each is: those that are rarely wrong about what they say."""

from dataclasses import dataclass

from kodiai.core.findings.finding import Category, Kind, Severity
from local.model.offline.ruff import SYNTAX_ERROR, UNKNOWN_NAME


@dataclass(frozen=True)
class Rule:
    """The weight of a rule's findings."""

    severity: Severity
    category: Category
    kind: Kind


def _rules(codes: str, severity: Severity, category: Category, kind: Kind = "impact") -> dict[str, Rule]:
    return dict.fromkeys(codes.split(), Rule(severity, category, kind))


_DOES_NOT_COMPILE = f"""
    {SYNTAX_ERROR} F404 F407 F621 F622 F701 F702 F704 F706 F707
    PLE0115 PLE0117 PLE0118 PLE1142 PLE1700
"""
_RAISES = f"""
    {UNKNOWN_NAME} F823 F501 F502 F503 F505 F506 F507 F508 F509 F521 F524 F525 B016 B030
    PLE0100 PLE0101 PLE0237 PLE0241 PLE0302 PLE0303 PLE0304 PLE0305 PLE0307 PLE0308 PLE0309 PLE0604 PLE0605 PLE0643
    PLE1132 PLE1205 PLE1206 PLE1507 PLE1519 PLE1520 PLW0245 PLW1501 RUF008 RUF016
"""
_IS_WRONG = "F631 F634 B002 B031 B035 PLW0133 PLW0177 RUF026"
_MAY_BE_WRONG = """
    F402 F523 F601 F602 F632 F811 F901 B003 B005 B006 B015 B023 B025 B029 B032 B034 B039
    PLR0124 PLW0128 PLW0406 PLW1507 RUF018 RUF024 RUF034 SIM220 SIM221 SIM222 SIM223
"""
RULES: dict[str, Rule] = {
    **_rules(_DOES_NOT_COMPILE, "CRITICAL", "correctness"),
    **_rules(f"{_RAISES} {_IS_WRONG}", "MAJOR", "correctness"),
    **_rules(_MAY_BE_WRONG, "MEDIUM", "correctness"),
    **_rules("F504 F522 F841 B033 W605", "MINOR", "correctness", "preference"),
    **_rules("S201 S304 S323 S501 S502 S503 S505 S506 S507 S602 S605 S608 PLE2502", "MAJOR", "security"),
    **_rules("S301 S305 S306 S307 S609", "MEDIUM", "security"),
    **_rules("B012 PLW2101 T100 ASYNC105", "MAJOR", "reliability"),
    **_rules("S113 B022 RUF006 ASYNC100", "MEDIUM", "reliability"),
    **_rules("E722", "MEDIUM", "reliability", "preference"),
    **_rules("ASYNC251", "MAJOR", "performance"),
    **_rules("ASYNC210 ASYNC220 ASYNC221 ASYNC222 ASYNC250", "MEDIUM", "performance"),
    **_rules("PT010 PLW0129", "MEDIUM", "tests"),
    **_rules("PT014 RUF030", "MINOR", "tests", "preference"),
}
