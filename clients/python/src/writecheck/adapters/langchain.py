"""LangChain and LangGraph: guards for single tools, and one for every tool call of an agent."""

from __future__ import annotations

import copy
import functools
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from ..decisions import Cause, Outcome, local_decision
from ._messages import stop_message
from ._stopped import Stopped, said
from .tools import ToolGuard, call_id_from

Tool = TypeVar("Tool")


def guard_tool(tool: Tool, guard: ToolGuard) -> Tool:
    """The same tool, guarded; if it is stopped, its output is the message that says why.

    For tools made by `@tool` or `StructuredTool`. A guard with a Client serves `invoke`, one with an AsyncClient
    `ainvoke`; the other way then refuses to run.
    """
    given: Any = tool
    function: Any = getattr(given, "func", None)
    coroutine: Any = getattr(given, "coroutine", None) or function
    if coroutine is None:
        raise TypeError("guard_tool needs a tool with a function; guard the calls of the agent instead")
    guarded = copy.copy(given)

    def arguments_of(kwargs: Mapping[str, Any]) -> dict[str, Any]:
        # What LangGraph injects is not from the model.
        return {name: kwargs[name] for name in _names_of(given) if name in kwargs}

    if function is not None:

        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            running = functools.partial(function, *args, **kwargs)
            return said(guard.call(given.name, arguments_of(kwargs), running))

        guarded.func = run

    @functools.wraps(coroutine)
    async def arun(*args: Any, **kwargs: Any) -> Any:
        running = functools.partial(coroutine, *args, **kwargs)
        return said(await guard.acall(given.name, arguments_of(kwargs), running))

    guarded.coroutine = arun
    result: Tool = guarded
    return result


@dataclass(frozen=True)
class CallGuard:
    """Every tool call of an agent: `write` maps tools to guards, `read` lists those that change nothing.

    It refuses a tool that is in neither, so a tool added later is not a gap. Give `wrap` (or `awrap`, for asyncio) to
    LangGraph's `ToolNode`, or to LangChain's decorator `wrap_tool_call`, as the last in the list: anything after it
    could change the checked arguments.
    """

    write: Mapping[str, ToolGuard]
    read: Collection[str] = ()

    def wrap(self, request: Any, execute: Callable[[Any], Any]) -> Any:
        name, guard = self._guard_of(request)
        if guard is None:
            return execute(request) if name in self.read else _message(request, _unlisted(name))
        run = functools.partial(execute, request)
        return _message(request, guard.call(name, _arguments(request), run, _call_id(request), _has_failed))

    async def awrap(self, request: Any, execute: Callable[[Any], Awaitable[Any]]) -> Any:
        name, guard = self._guard_of(request)
        if guard is None:
            return await execute(request) if name in self.read else _message(request, _unlisted(name))
        run = functools.partial(execute, request)
        called = await guard.acall(name, _arguments(request), run, _call_id(request), _has_failed)
        return _message(request, called)

    def _guard_of(self, request: Any) -> tuple[str, ToolGuard | None]:
        name = request.tool_call["name"]
        # A tool in both lists is a write.
        return name, self.write.get(name)


def _names_of(tool: Any) -> list[str]:
    schema = tool.tool_call_schema
    fields = schema.get("properties") if isinstance(schema, dict) else schema.model_fields
    return list(fields or ())


def _arguments(request: Any) -> Mapping[str, Any]:
    arguments = request.tool_call.get("args")
    return arguments if isinstance(arguments, Mapping) else {}


def _call_id(request: Any) -> str | None:
    config = getattr(getattr(request, "runtime", None), "config", None) or {}
    thread = (config.get("configurable") or {}).get("thread_id", "")
    return call_id_from(request.tool_call["name"], request.tool_call.get("id"), thread)


def _has_failed(output: Any) -> bool:
    return getattr(output, "status", None) == "error"


def _message(request: Any, result: Any) -> Any:
    if not isinstance(result, Stopped):
        return result
    from langchain_core.messages import ToolMessage  # type: ignore[import-not-found,unused-ignore]

    call = request.tool_call
    return ToolMessage(
        content=result.message, name=call["name"], tool_call_id=call.get("id") or "", status="error"
    )


def _unlisted(tool: str) -> Stopped:
    """An unlisted tool may write: it is not run, whatever its name promises."""
    message = f"the tool `{tool[:64]}` is neither mapped to an intent nor listed as read"
    outcome: Outcome[Any] = Outcome(False, local_decision(Cause("invalid_intent", message)))
    return Stopped(tool, stop_message(outcome), outcome, {})
