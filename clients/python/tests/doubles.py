"""The frameworks if they are installed, else small doubles of their documented interfaces.

The doubles stand for `langchain_core.tools.StructuredTool`, `langchain_core.messages.ToolMessage`, the request that
LangGraph's `ToolNode` gives to `wrap_tool_call`, and `agents.FunctionTool` with its `ToolContext`.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import types
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
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


@dataclass
class ToolContext:
    """As `agents.tool_context.ToolContext`."""

    context: Any
    tool_name: str
    tool_call_id: str


@dataclass
class FunctionTool:
    """As `agents.FunctionTool`."""

    name: str
    description: str
    params_json_schema: dict[str, Any]
    on_invoke_tool: Callable[[ToolContext, str], Awaitable[Any]]
    strict_json_schema: bool = True
    is_enabled: bool = field(default=True)
