"""Pitfalls: the prompts that a batch of files is reviewed with, by the languages of its paths."""

from collections.abc import Iterable
from pathlib import PurePosixPath

from kodiai.core.changes.globs import matches_any
from kodiai.core.code.language import language_of

# Languages whose prompt is that of another one.
_LIKE = {"bash": "shell", "cpp": "c", "tsx": "javascript", "typescript": "javascript"}
# Endings of languages that no grammar of ours reads.
_ENDINGS = {
    "java": ".kt .kts",
    "javascript": ".svelte .vue",
    "pipelines": ".tf .tofu",
    "shell": ".ksh .zsh",
    "sql": ".sql",
}
_BY_ENDING = {ending: name for name, endings in _ENDINGS.items() for ending in endings.split()}
_PIPELINES = """
/.github/workflows/*.yml /.github/workflows/*.yaml action.yml action.yaml .gitlab-ci.yml /.circleci/config.yml
azure-pipelines.yml bitbucket-pipelines.yml Jenkinsfile Containerfile Dockerfile Dockerfile.* *.Dockerfile *.dockerfile
""".split()


def pitfalls(paths: Iterable[str]) -> tuple[str, ...]:
    """Name the prompts with the pitfalls of these files, each once, in alphabetical order."""
    return tuple(f"pitfalls/{name}" for name in sorted({_pitfalls_of(path) for path in paths} - {""}))


def _pitfalls_of(path: str) -> str:
    if matches_any(path, _PIPELINES):
        return "pipelines"
    ending = PurePosixPath(path).suffix.lower()
    language = language_of(path) or ""
    return _BY_ENDING.get(ending) or _LIKE.get(language, language)
