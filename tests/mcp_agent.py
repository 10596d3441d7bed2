"""A coding agent as the MCP server sees it: the official client, with a token of a person."""

import re
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import anyio
import httpx2
from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client

T = TypeVar("T")

Mode = Literal["auto", "legacy", "2026-07-28"]

TOOLS = (
    "list_open_findings",
    "get_finding",
    "request_review",
    "submit_proposal",
    "get_proposal",
    "list_proposals",
    "claim_proposal",
    "release_claim",
    "give_verdict",
    "apply_proposal",
    "close_proposal",
)
"""The tools, in the order in which they are listed."""


@dataclass(frozen=True)
class McpAgent:
    """An agent that connects again for each call: nothing is kept between two calls.

    `mode` is which revisions of the protocol it speaks: "legacy" are those that begin with `initialize`.
    """

    url: str
    token: str
    mode: Mode = "auto"

    def call(self, tool: str, **arguments: Any) -> types.CallToolResult:
        """Call a tool. The client checks the result against the tool's output schema."""

        async def call(client: Client) -> types.CallToolResult:
            return await client.call_tool(tool, arguments)

        return self._connected(call)

    def tools(self) -> list[types.Tool]:
        """List the tools."""

        async def listed(client: Client) -> list[types.Tool]:
            return list((await client.list_tools()).tools)

        return self._connected(listed)

    def negotiated(self) -> tuple[str, str | None, str | None]:
        """Connect only: the revision, the name of the server, and its instructions, as far as the client asked."""

        async def connected(client: Client) -> tuple[str, str | None, str | None]:
            server = client.server_info
            return client.protocol_version, server.name if server is not None else None, client.instructions

        return self._connected(connected)

    def _connected(self, use: Callable[[Client], Awaitable[T]]) -> T:
        async def run() -> T:
            headers = {"Authorization": f"Bearer {self.token}"}
            async with httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60) as http:
                transport = streamable_http_client(self.url, http_client=http)
                async with Client(transport, mode=self.mode) as client:
                    return await use(client)

        # In a thread of its own: a browser that another test has opened keeps an event loop in this one.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(anyio.run, run).result()


def told(result: types.CallToolResult) -> str:
    """The text of a result that is no error, and has nothing but that text: clients show models nothing else then."""
    assert (result.is_error, result.structured_content) == (False, None), text_of(result)
    assert len(text_of(result).encode()) <= 8_000
    return text_of(result)


def made_again(diff: str, rejection: str) -> str:
    """A diff with the lines that were found in place of those that it expected, as its rejection shows both."""
    expected, found = (re.search(rf"  {name}:\n((?:    \|.*\n?)+)", rejection) for name in ("expected", "found"))
    assert expected is not None
    assert found is not None
    for before, now in zip(expected[1].splitlines(), found[1].splitlines(), strict=True):
        diff = diff.replace(f" {before.strip()[1:]}\n", f" {now.strip()[1:]}\n", 1)
    return diff


def text_of(result: types.CallToolResult) -> str:
    """The text of a tool's result."""
    [block] = result.content
    assert isinstance(block, types.TextContent)
    return block.text
