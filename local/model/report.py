"""A reader's report, by the tools that it has for it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from local.model.answers import Reply, tool_use, tools

Json = dict[str, Any]


def a_report(
    what_changed: str = "", findings: Sequence[Mapping[str, Any]] = (), earlier: Sequence[Mapping[str, Any]] = ()
) -> Json:
    """Give a report as data; a `replacement` among its findings is for the finding's own lines."""
    return {
        "what_changed": what_changed,
        "strengths": [],
        "findings": list(findings),
        "earlier": list(earlier),
    }


def reporting(report: Mapping[str, Any] | None = None) -> Reply:
    """Report all of it in one turn, and finish; without a report there is nothing to report."""
    said = report or {}
    summary = {name: said[name] for name in ("what_changed", "strengths") if said.get(name)}
    return tools(
        *(tool_use("report_finding", **finding_call(each)) for each in said.get("findings", ())),
        *(tool_use("answer_earlier", **each) for each in said.get("earlier", ())),
        *(tool_use("check_rule", **each) for each in said.get("rulings", ())),
        tool_use("finish", **summary),
    )


def finding_call(finding: Mapping[str, Any]) -> Json:
    """Give the input of the call that reports a finding."""
    call = {"fix": "", **{name: value for name, value in finding.items() if value is not None}}
    call["mechanism"] = call.pop("explanation", call.get("mechanism", ""))
    if call.pop("pre_existing", False):
        call["older"] = True
    if isinstance(call.get("replacement"), str):
        lines = {"start_line": call.get("start_line"), "end_line": call.get("end_line")}
        call["replacement"] = {**lines, "text": call["replacement"]}
    return call


def ruling(rulings: Mapping[str, Iterable[Mapping[str, Any]]]) -> Reply:
    """Make all rulings in one turn, and finish: `rulings`, `resolutions` and `confirmations`."""
    return tools(
        *(tool_use("rule", **each) for each in rulings.get("rulings", ())),
        *(tool_use("resolve", **each) for each in rulings.get("resolutions", ())),
        *(tool_use("confirm", **each) for each in rulings.get("confirmations", ())),
        tool_use("finish"),
    )
