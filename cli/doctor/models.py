"""Checks of the models: each answers one short question, and the one for embeddings embeds one word."""

from cli.doctor.deployment import Deployment
from cli.doctor.finding import Report
from kodiai.core.errors import KodiaiError
from kodiai.core.model.messages import Message, ModelRequest, Text
from kodiai.core.settings import TITAN, DeploymentSettings
from kodiai.edges.claude import Claude
from kodiai.edges.embeddings import TitanEmbeddings, VoyageEmbeddings, connect_voyage

_QUESTION = "Answer with OK."
_MOST_TOKENS = 16
_TIMEOUT_SECONDS = 30.0


def check_models(deployment: Deployment, report: Report) -> None:
    """Check every model in use, once each."""
    settings = deployment.settings
    if settings is None:
        report.add("models", "unchecked", "the parameters are not in order")
        return
    _check_embeddings(deployment, settings, report)
    roles: dict[str, list[str]] = {}
    for role in ("reviewer", "extractor", "fallback"):
        if model := getattr(settings.models, role):
            roles.setdefault(model, []).append(role)
    for tier, chosen in settings.models.tiers.items():
        if chosen.model:
            roles.setdefault(chosen.model, []).append(f"tier {tier}")
    with Claude(settings.anthropic.api_key, settings.anthropic.base_url) as claude:
        for model, used in roles.items():
            question = ModelRequest(
                model=model,
                system="You are asked whether you can be reached.",
                messages=(Message("user", (Text(_QUESTION),)),),
                max_tokens=_MOST_TOKENS,
            )
            try:
                usage = claude.answer(question, _TIMEOUT_SECONDS).usage
            except KodiaiError as error:
                name = used[0] if not used[0].startswith("tier") else "tiers"
                names = ("anthropic/api-key", "anthropic/base-url", f"models/{name}")
                text = f"{model} ({', '.join(used)}): {error}"
                report.add("models", "problem", text, "one of these is wrong:", *map(deployment.put, names))
            else:
                tokens = f"{usage.input_tokens} tokens in, {usage.output_tokens} out"
                report.add("models", "fine", f"{model} answers ({', '.join(used)}; {tokens})")


def _check_embeddings(deployment: Deployment, settings: DeploymentSettings, report: Report) -> None:
    chosen = settings.embeddings
    if chosen.index is None:
        report.add("embeddings", "note", "embeddings/model is off: nothing is remembered")
        return
    try:
        if chosen.model == TITAN:
            TitanEmbeddings(deployment.stage.client("bedrock-runtime")).embed("OK", "query")
        elif chosen.voyage_api_key is not None:
            voyage = connect_voyage(chosen.voyage_api_key, chosen.voyage_base_url)
            VoyageEmbeddings(voyage, chosen.model).embed("OK", "query")
    except KodiaiError as error:
        fix = (
            f"request access to Titan Text Embeddings V2 in {deployment.stage.region}: Bedrock console, Model access"
            if chosen.model == TITAN
            else deployment.put("embeddings/voyage-api-key")
        )
        report.add("embeddings", "problem", f"{chosen.model}: {error}", fix)
    else:
        report.add("embeddings", "fine", f"{chosen.model} embeds")
