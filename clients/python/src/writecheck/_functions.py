"""The functions that a guard runs: which ones it accepts, and how it gets their results."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ._guard import Go
from .decisions import Outcome, WriteStopped


def may_write(decided: Go | Outcome[Any]) -> Go:
    if isinstance(decided, Outcome):
        raise WriteStopped(decided)
    return decided


def intent_of(source: Any) -> Callable[..., Any]:
    """A fixed intent stands for every call of the function, whatever its arguments."""
    return source if callable(source) else lambda *_args, **_kwargs: source


def must_not_generate(function: object) -> None:
    """The body of a generator would run when somebody iterates, perhaps long after the allow has expired."""
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError("a generator runs after its guard is done; guard the function that iterates it")


def must_run_now(function: object) -> None:
    must_not_generate(function)
    if inspect.iscoroutinefunction(function):
        raise TypeError("this guard is for plain functions; use AsyncClient for a coroutine function")


def must_be_coroutine_function(function: object) -> None:
    if not inspect.iscoroutinefunction(function):
        raise TypeError("this guard is for coroutine functions; use Client for a plain function")


async def awaited(result: Any) -> Any:
    return await result if inspect.isawaitable(result) else result


def ran_now(result: Any) -> Any:
    """A coroutine would run when somebody awaits it, or never."""
    if inspect.iscoroutine(result):
        result.close()
        raise TypeError("the write made a coroutine that nobody runs; use AsyncClient")
    return result
