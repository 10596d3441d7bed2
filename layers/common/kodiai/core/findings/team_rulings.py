"""The rulings of one reader on the team's rules and on what the linked issues ask for, each checked when it comes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from kodiai.core.changes.team_ruling import ISSUE, MOST_CRITERIA, PULL_REQUEST_TEXTS, TeamRuling, is_criterion
from kodiai.core.findings.locate import locate
from kodiai.core.findings.source import Source
from kodiai.core.json_object import JsonObject
from kodiai.core.model.tool import BadCall, read_call, tool
from kodiai.core.text.layout import short_text

CHECK_RULE = "check_rule"
NOT_RULED = "nobody has ruled on it"
_WHY_WORDS, _CRITERION_WORDS, _MOST_LOOKED_AT = 40, 25, 20

CHECK_RULE_TOOL = tool(CHECK_RULE, "Rule on one rule of the team, or on one thing that an issue asks for.", TeamRuling)


@dataclass
class TeamRulings:
    """The rulings on the rules with the ids `asked`, and on the criteria of the linked issues.

    `criteria` are those of earlier reviews by their ids, None if nobody asks about the issues.
    """

    source: Source
    asked: frozenset[str]
    criteria: Mapping[str, str] | None = None
    _recorded: dict[str, TeamRuling] = field(default_factory=dict)
    _refused: set[str] = field(default_factory=set)

    @property
    def rulings(self) -> tuple[TeamRuling, ...]:
        """The rulings that code could follow, of two about one rule the last; nobody can tell about the others."""
        unruled = (
            TeamRuling(rule=name, result="cannot_tell", why=NOT_RULED, criterion=self._criteria.get(name, ""))
            for name in sorted(self._wanted - self._recorded.keys())
        )
        return (*self._recorded.values(), *unruled)

    def take(self, given: JsonObject) -> str:
        """Record a ruling. Raises BadCall."""
        ruling = read_call(TeamRuling, given)
        name = self._name(ruling)
        self._refused.add(name)
        criterion = self._criteria.get(name, _criterion(ruling) if is_criterion(name) else "")
        words = {"rule": name, "why": short_text(ruling.why, _WHY_WORDS), "criterion": criterion}
        self._recorded[name] = self._checked(ruling.model_copy(update=words))
        self._refused.discard(name)
        return f"Recorded about {name}."

    def missing(self) -> Iterator[str]:
        """The rulings that are still missing, in words."""
        if self._refused:
            yield f"refused and not corrected: the rulings on {', '.join(sorted(self._refused))}"
        if unruled := sorted(self._wanted - self._recorded.keys() - self._refused):
            yield f"no ruling on {', '.join(unruled)}"
        if self.criteria is not None and not any(each.is_criterion for each in self._recorded.values()):
            yield f"no ruling on what the linked issues ask for ({ISSUE})"

    @property
    def _wanted(self) -> frozenset[str]:
        return self.asked.union(self.criteria or ())

    @property
    def _criteria(self) -> dict[str, str]:
        """All criteria so far, by their ids."""
        found = {name: each.criterion for name, each in self._recorded.items() if each.is_criterion}
        return {**(self.criteria or {}), **found}

    def _name(self, ruling: TeamRuling) -> str:
        """The id of the rule or criterion that a ruling is about. Raises BadCall."""
        if ruling.rule in self.asked or (self.criteria is not None and ruling.rule in self._criteria):
            return ruling.rule
        if self.criteria is None or ruling.rule != ISSUE:
            raise BadCall(f"{ruling.rule} is none of the rules that you are asked about")
        criterion = _criterion(ruling)
        if not criterion:
            raise BadCall("name what the issue asks for as its criterion")
        known = {" ".join(text.split()).casefold(): name for name, text in self._criteria.items()}
        if criterion.casefold() in known:
            return known[criterion.casefold()]
        if len(known) >= MOST_CRITERIA:
            raise BadCall(f"there are {MOST_CRITERIA} criteria already: rule on the ones that matter most")
        numbers = (int(name.rpartition("-")[2]) for name in self._criteria)
        return f"{ISSUE}-{max(numbers, default=0) + 1}"

    def _checked(self, ruling: TeamRuling) -> TeamRuling:
        """The ruling with the code that it shows as it is there. Raises BadCall if it shows nothing."""
        if not ruling.why.strip():
            raise BadCall(f"The ruling on {ruling.rule} is refused: it has no reason")
        if ruling.result in ("not_applicable", "cannot_tell"):
            return ruling.model_copy(update={"path": "", "quote": "", "looked_at": ()})
        looked_at = self._looked_at(ruling)
        if not ruling.quote:
            return ruling.model_copy(update={"path": "", "looked_at": looked_at})
        place = locate(ruling.quote, ruling.path, None, self.source)
        if place is None:
            raise BadCall(f"The ruling on {ruling.rule} is refused: its quote does not stand in {ruling.path}")
        return ruling.model_copy(update={"path": place.path, "quote": place.quote, "looked_at": looked_at})

    def _looked_at(self, ruling: TeamRuling) -> tuple[str, ...]:
        """The files, folders and texts that were looked at, which are needed where there is no line to show."""
        if not (ruling.looked_at or ruling.quote):
            raise BadCall(
                f"The ruling on {ruling.rule} is refused: it needs a line of code as `path` and `quote`, "
                "or in `looked_at` the files that you looked at"
            )
        found = {path: self._found(path) for path in ruling.looked_at}
        if missing := [path for path, name in found.items() if name is None]:
            texts = ", ".join(sorted(PULL_REQUEST_TEXTS))
            raise BadCall(
                f"The ruling on {ruling.rule} is refused: there is no file or folder {', '.join(missing)}, "
                f"and it is none of {texts}"
            )
        return tuple(dict.fromkeys(filter(None, found.values())))[:_MOST_LOOKED_AT]

    def _found(self, path: str) -> str | None:
        """The path of a file or folder as it is in the repository, or the name of a text; None if there is none."""
        if path in PULL_REQUEST_TEXTS:
            return path
        folder = f"{path.strip('/')}/"
        return self.source.find(path) or (folder if self.source.has_folder(folder) else None)


def _criterion(ruling: TeamRuling) -> str:
    """The criterion that a ruling names, on one line."""
    return short_text(" ".join(ruling.criterion.split()), _CRITERION_WORDS)
