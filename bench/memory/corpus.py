"""The corpus: findings of invented repositories, the same problems in other words, and pull requests."""

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from zlib import crc32

import yaml
from pydantic import BaseModel, ConfigDict

from kodiai.core.findings.finding import Category, Severity
from kodiai.core.memory.recall import query_text
from kodiai.core.memory.remembered import RememberedFinding

REPOSITORIES = Path(__file__).parent / "repositories"


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Report(_Form):
    """What a reviewer says about a problem; `mechanism` is the explanation in the reviewer's own words."""

    path: str
    title: str
    problem: str
    mechanism: str

    @property
    def text(self) -> str:
        """The text that is embedded, as of a posted finding."""
        return f"{self.title}\n\n{self.problem}\n\n{self.mechanism}"


class CorpusFinding(Report):
    """A finding. `kind` names what sort of mistake it is: many findings of many repositories have the same.

    `again` reports the same problem in other words, at another place of the repository.
    """

    id: str
    severity: Severity
    category: Category
    kind: str
    again: Report | None = None


class PullRequest(_Form):
    """What is known of a pull request before its review; `recalls` are the ids of the findings it should recall."""

    title: str
    paths: tuple[str, ...]
    symbols: tuple[str, ...]
    recalls: tuple[str, ...]

    @property
    def text(self) -> str:
        """The text that is embedded."""
        return query_text(self.title, self.paths, self.symbols)


class CorpusRepository(_Form):
    """An invented repository, "owner/name", with its findings."""

    repository: str
    language: str
    about: str
    findings: tuple[CorpusFinding, ...]
    pull_requests: tuple[PullRequest, ...]

    @property
    def id(self) -> int:
        """Its invented id."""
        return crc32(self.repository.encode())

    @cached_property
    def remembered(self) -> dict[str, RememberedFinding]:
        """Its findings as the memory has them, by id; each was found on a pull request of its own."""
        return {
            finding.id: RememberedFinding(
                repository_id=self.id,
                repository=self.repository,
                number=number,
                finding=finding.id,
                severity=finding.severity,
                category=finding.category,
                path=finding.path,
                title=finding.title,
                problem=finding.problem,
                outcome="open",
            )
            for number, finding in enumerate(self.findings, start=1)
        }


def read_corpus(files: Iterable[Path] | None = None) -> tuple[CorpusRepository, ...]:
    """Read the repositories of these files, or all. Raises ValidationError and YAMLError."""
    paths = sorted(REPOSITORIES.glob("*.yaml")) if files is None else files
    return tuple(CorpusRepository.model_validate(yaml.safe_load(path.read_text(encoding="utf-8"))) for path in paths)
