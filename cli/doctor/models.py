"""Checks of the models: each answers one short question, and the one for embeddings embeds one word."""

from typing import NamedTuple, get_args

from cli.doctor.deployment import Deployment
from cli.doctor.finding import Report
from kodiai.core.changes.tier import Tier
from kodiai.core.config.settings import TITAN, ChosenModel, DeploymentSettings, Models, Role
from kodiai.core.errors import KodiaiError
from kodiai.core.model.messages import Message, ModelRequest, Text
from kodiai.edges.bedrock import NoAccess
from kodiai.edges.embeddings import TitanEmbeddings, VoyageEmbeddings, connect_voyage
from kodiai.flows.model.conversation import MOST_TOKENS
from kodiai.flows.model.look_up_tools import LOOK_UPS
from kodiai.wiring import open_model

_TIMEOUT_SECONDS = 30.0


def check_models(deployment: Deployment, report: Report) -> None:
    """Check every model in use, once each."""
    settings = deployment.settings
    if settings is None:
        report.add("models", "unchecked", "the parameters are not in order")
        return
    _check_embeddings(deployment, settings, report)
    # On Bedrock with the operator's own rights: with these the first question subscribes an account to a model.
    with open_model(settings, lambda _: deployment.stage.client("bedrock-runtime")) as claude:
        refused: set[str] = set()
        for asked, uses in _uses(settings.models).items():
            model, effort = asked.chosen
            if model in refused:
                continue
            question = ModelRequest(
                model=model,
                system="You are asked whether you can be reached.",
                messages=(Message("user", (Text("Answer with OK.", ends_prefix=asked.has_tools),)),),
                answer_tokens=MOST_TOKENS,
                effort=effort,
                tools=LOOK_UPS if asked.has_tools else (),
            )
            try:
                usage = claude.answer(question, _TIMEOUT_SECONDS).usage
            except KodiaiError as error:
                what, fixes = str(error), ["one of these is wrong:", *map(deployment.put, _parameters(settings, uses))]
                if isinstance(error, NoAccess):
                    what, fixes = error.what, [error.remedy]
                report.add("models", "problem", f"{model} with {effort} effort ({', '.join(uses)}): {what}", *fixes)
                refused.add(model)
            else:
                tokens = f"{usage.prompt_tokens} tokens in, {usage.output_tokens} out"
                report.add("models", "fine", f"{model} answers with {effort} effort ({', '.join(uses)}; {tokens})")


class _Asked(NamedTuple):
    """A question as the functions ask it: the model with its effort, and whether it may use tools."""

    chosen: ChosenModel
    has_tools: bool


def _uses(models: Models) -> dict[_Asked, list[str]]:
    """Every kind of question of the functions, with the names of those who ask it so."""
    named: list[tuple[str, ChosenModel]] = []
    for tier in get_args(Tier):
        named += [(f"tier {tier}", models.reader(tier)), (f"judge of tier {tier}", models.judge(tier))]
    named += [(f"role {role}", models.role(role)) for role in get_args(Role)]
    if models.fallback is not None:
        named.append(("fallback", ChosenModel(models.fallback, models.reader("full").effort)))
    uses: dict[_Asked, list[str]] = {}
    for use, chosen in named:
        uses.setdefault(_Asked(chosen, use != "role replies"), []).append(use)
    return uses


def _parameters(settings: DeploymentSettings, uses: list[str]) -> list[str]:
    """The parameters that decide whether a model for these uses answers."""
    kinds = {use.partition(" ")[0] for use in uses}
    chosen = ["models/fallback"] if kinds == {"fallback"} else []
    chosen += ["models/reviewer", "models/tiers"] if kinds & {"tier", "judge"} else []
    chosen += ["models/replies"] if "role replies" in uses else []
    chosen += ["models/roles"] if kinds == {"role"} else []
    access = getattr(settings, settings.models.provider, None)  # Bedrock has no group: the stack gives it access
    own = [str(field.alias) for field in type(access).model_fields.values()] if access else ["models/provider"]
    return [*own, *chosen]


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
            f"check that {deployment.stage.region} has Titan Text Embeddings V2 and that no policy denies "
            "bedrock:InvokeModel; it needs no subscription"
            if chosen.model == TITAN
            else deployment.put("embeddings/voyage-api-key")
        )
        report.add("embeddings", "problem", f"{chosen.model}: {error}", fix)
    else:
        report.add("embeddings", "fine", f"{chosen.model} embeds")
