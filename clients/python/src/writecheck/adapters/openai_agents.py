"""OpenAI Agents SDK: a function tool that runs only on a valid allow."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any, TypeVar

from ..strict_json import StrictJsonError, parse_json
from ._arguments import InvalidArguments
from ._stopped import said
from .tools import ToolGuard, call_id_from

Tool = TypeVar("Tool")
# The SDK's text for an exception, unless the tool has its own `failure_error_function`.
_SDK_FAILURE = "An error occurred while running the tool."
# The SDK marks tools that run in a thread with it, and refuses a timeout for them: the thread would continue writing.
_RUNS_IN_A_THREAD = "__agents_sync_function_tool__"


def guard_tool(tool: Tool, guard: ToolGuard) -> Tool:
    """The same `FunctionTool`, guarded; if it is stopped, its output is the message that says why.

    The guard needs an AsyncClient. The mapping gets the arguments as the model sent them.
    """
    given: Any = tool
    invoke = given.on_invoke_tool
    name = given.name

    async def on_invoke_tool(context: Any, text: str) -> Any:
        call_id = call_id_from(name, getattr(context, "tool_call_id", None))
        arguments = _arguments_in(text)
        asking = guard if arguments is not None else _refusing(guard)
        called = await asking.acall(
            name, arguments or {}, lambda: invoke(context, text), call_id, _has_failed
        )
        return said(called)

    if getattr(invoke, _RUNS_IN_A_THREAD, False):
        setattr(on_invoke_tool, _RUNS_IN_A_THREAD, True)
    guarded = copy.copy(given)
    guarded.on_invoke_tool = on_invoke_tool
    result: Tool = guarded
    return result


def _arguments_in(text: str) -> dict[str, Any] | None:
    """None if two readers could disagree about what the model sent."""
    try:
        arguments = parse_json(text or "{}")
    except StrictJsonError:
        return None
    return arguments if isinstance(arguments, dict) else None


def _refusing(guard: ToolGuard) -> ToolGuard:
    def refuse(_arguments: dict[str, Any]) -> Any:
        raise InvalidArguments("the arguments are not one JSON object without duplicates")

    return replace(guard, intent=refuse)


def _has_failed(output: Any) -> bool:
    return isinstance(output, str) and output.startswith(_SDK_FAILURE)
