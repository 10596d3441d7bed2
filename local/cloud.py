"""An AWS account on one machine into which the real SAM CLI deploys: what it deploys runs here."""

import copy
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from local.aws import LocalAws
from local.aws.protocol import REGION
from local.cloudformation.resource_types import ResourceTypes
from local.cloudformation.service import CloudFormation
from local.cloudformation.stacks import DeployedStack, Resource, Version
from local.lambdas import LocalSystem
from local.lambdas.resources import describe
from local.lambdas.stack import Attributes, Stack
from local.lambdas.system import PSEUDO_PARAMETERS, Deployed
from local.lambdas.template import FUNCTION, read_template, with_globals

TEMPLATE = Path(__file__).resolve().parent.parent / "template.yaml"
_SOURCES = ("CodeUri", "ContentUri")


class LocalCloud:
    """A local AWS with CloudFormation; a context manager.

    The functions of a deployed stack run from the source tree of `template`, whatever was uploaded: that was built for
    another processor. Everything else is as the deployed template and its parameters say.
    An upgrade ends what runs; its message comes again.
    `environment` makes the SAM CLI, the AWS CLI and boto3 speak to it. `systems` are the running stacks by their names.
    `account_concurrency` is how many functions may run at a time in the account, which limits what can be reserved.
    `messages_api` answers for Claude on Bedrock; without it the account has no access to Claude.
    """

    def __init__(
        self,
        template: Path = TEMPLATE,
        *,
        account_concurrency: int = 1000,
        messages_api: ASGIApp | None = None,
    ) -> None:
        self.systems: dict[str, LocalSystem] = {}
        self._template = template
        self._account_concurrency = account_concurrency
        self._messages_api = messages_api

    def __enter__(self) -> Self:
        with ExitStack() as started:
            self.aws = started.enter_context(LocalAws(messages_api=self._messages_api))
            self._types = ResourceTypes(self.aws, self._account_concurrency)
            self.aws.add("cloudformation", CloudFormation(self.aws, self._types, self._start, self._stop))
            self.aws.add("lambda", self._account_settings)
            started.callback(self._stop_all)
            self._started = started.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._started.close()

    @property
    def environment(self) -> dict[str, str]:
        """The environment in which a command finds this account, and no other."""
        return {**self.aws.endpoints, "AWS_REGION": REGION, "SAM_CLI_TELEMETRY": "0", "SAM_CLI_POLL_DELAY": "0.2"}

    def _start(self, stack: DeployedStack, version: Version, resources: Mapping[str, Resource]) -> None:
        """Run the functions of a stack, in the place of those of its earlier version."""
        if not any(each["Type"] == FUNCTION for each in version.original["Resources"].values()):
            return
        [api] = [
            self._types.apis[each.physical_id] for each in resources.values() if each.physical_id in self._types.apis
        ]
        system = LocalSystem(
            self._template,
            self.aws,
            Deployed(stack.name, self._functions(version, resources), api),
        )
        system.__enter__()
        self._stop(stack.name)
        self.systems[stack.name] = system

    def _functions(self, version: Version, resources: Mapping[str, Resource]) -> Stack:
        """Return the stack that was given, before its transforms, over what was made of it, and with our sources."""

        def known(name: str, given: Mapping[str, Any]) -> Attributes:
            return resources[name].attributes if name in resources else describe(name, given)

        sources = read_template(self._template)["Resources"]
        template = with_globals(copy.deepcopy(dict(version.original)))
        for name, resource in template["Resources"].items():
            for key in resource.get("Properties", {}).keys() & _SOURCES:
                if name not in sources:
                    raise ValueError(f"{self._template} has no {name}, whose sources would run")
                resource["Properties"][key] = sources[name]["Properties"][key]
        return Stack(template, version.parameters, PSEUDO_PARAMETERS, {}, known, {})

    def _stop(self, name: str) -> None:
        if system := self.systems.pop(name, None):
            system.__exit__()

    def _stop_all(self) -> None:
        for name in list(self.systems):
            self._stop(name)
        for api in self._types.apis.values():
            api.stop()

    async def _account_settings(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer GetAccountSettings, all that is here of Lambda's API."""
        limit = {
            "ConcurrentExecutions": self._account_concurrency,
            "UnreservedConcurrentExecutions": self._types.unreserved,
        }
        known = Request(scope, receive).url.path.rstrip("/") == "/2016-08-19/account-settings"
        response = JSONResponse({"AccountLimit": limit} if known else {}, 200 if known else 404)
        await response(scope, receive, send)
