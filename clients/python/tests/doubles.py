"""The frameworks if they are installed, otherwise small doubles of their documented interfaces.

The doubles stand for `langchain_core.tools.StructuredTool`, `langchain_core.messages.ToolMessage`, the request that
LangGraph's `ToolNode` gives to `wrap_tool_call`, and `agents.FunctionTool` with its `ToolContext`.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
import types
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

try:
    from langchain_core.messages import ToolMessage
    from langchain_core.tools import StructuredTool

    LANGCHAIN = "langchain-core"
except ImportError:
    LANGCHAIN = "a double"

    @dataclass
    class ToolMessage:  # type: ignore[no-redef]
        content: str
        name: str
        tool_call_id: str
        status: str = "success"

    @dataclass
    class _Schema:
        model_fields: dict[str, Any]

    @dataclass
    class StructuredTool:  # type: ignore[no-redef]
        name: str
        description: str
        func: Callable[..., Any] | None = None
        coroutine: Callable[..., Awaitable[Any]] | None = None

        @classmethod
        def from_function(cls, func=None, coroutine=None, name="", description=""):  # type: ignore[no-untyped-def]
            return cls(name, description, func, coroutine)

        @property
        def tool_call_schema(self) -> _Schema:
            return _Schema(dict(inspect.signature(self.func or self.coroutine).parameters))  # type: ignore[arg-type]

        def invoke(self, arguments: dict[str, Any]) -> Any:
            assert self.func is not None
            return self.func(**arguments)

        async def ainvoke(self, arguments: dict[str, Any]) -> Any:
            if self.coroutine is not None:
                return await self.coroutine(**arguments)
            return await asyncio.to_thread(self.invoke, arguments)

    core = types.ModuleType("langchain_core")
    messages = types.ModuleType("langchain_core.messages")
    messages.ToolMessage = ToolMessage  # type: ignore[attr-defined]
    sys.modules.update({"langchain_core": core, "langchain_core.messages": messages})


@dataclass
class ToolCallRequest:
    """As `langgraph.prebuilt.tool_node.ToolCallRequest`."""

    tool_call: dict[str, Any]
    tool: Any = None
    state: Any = None
    runtime: Any = None


@dataclass(eq=False)
class ToolContext:
    """As `agents.tool_context.ToolContext`; the SDK insists on the last three."""

    context: Any
    usage: Any = None
    tool_name: str = ""
    tool_call_id: str = ""
    tool_arguments: str = ""


@dataclass
class FunctionTool:
    """As `agents.FunctionTool`: a copy is made by `replace`, which binds the invoker to the copy."""

    name: str
    description: str
    params_json_schema: dict[str, Any]
    on_invoke_tool: Callable[[ToolContext, str], Awaitable[Any]]
    strict_json_schema: bool = True
    is_enabled: Any = True
    tool_input_guardrails: list[Any] | None = None
    tool_output_guardrails: list[Any] | None = None
    needs_approval: Any = False
    timeout_seconds: float | None = None

    def __post_init__(self) -> None:
        bind = getattr(self.on_invoke_tool, "__agents_bind_function_tool__", None)
        if callable(bind):
            self.on_invoke_tool = bind(self)
        runs_in_a_thread = getattr(self.on_invoke_tool, "__agents_sync_function_tool__", False)
        if self.timeout_seconds is not None and runs_in_a_thread:
            raise ValueError("FunctionTool timeout_seconds is only supported for async @function_tool handlers.")

    def __copy__(self) -> FunctionTool:
        return replace(self)


class _Invoker:
    """As the invoker of `@function_tool`: it turns an exception into a text for the model."""

    def __init__(self, function: Callable[..., Any], tool: FunctionTool | None = None) -> None:
        self.function = function
        self.tool = tool
        if not inspect.iscoroutinefunction(function):
            self.__agents_sync_function_tool__ = True

    def __agents_bind_function_tool__(self, tool: FunctionTool) -> _Invoker:
        return self if self.tool is tool else _Invoker(self.function, tool)

    async def __call__(self, context: ToolContext, text: str) -> Any:
        try:
            arguments = json.loads(text) if text else {}
            if inspect.iscoroutinefunction(self.function):
                return await self.function(**arguments)
            return await asyncio.to_thread(self.function, **arguments)
        except Exception as error:
            assert self.tool is not None
            return f"An error occurred while running the tool. Please try again. Error: {error}"


def function_tool(function: Callable[..., Any]) -> FunctionTool:
    """As `agents.function_tool`, without the schema."""
    return FunctionTool(function.__name__, function.__doc__ or "", {}, _Invoker(function))


async def invoke_function_tool(tool: FunctionTool, call_id: str, text: str) -> Any:
    """As the SDK's runner calls a tool."""
    context = ToolContext(None, None, tool.name, call_id, text)
    if tool.timeout_seconds is None:
        return await tool.on_invoke_tool(context, text)
    try:
        return await asyncio.wait_for(tool.on_invoke_tool(context, text), tool.timeout_seconds)
    except asyncio.TimeoutError:
        return f"Tool '{tool.name}' timed out after {tool.timeout_seconds:g} seconds."
