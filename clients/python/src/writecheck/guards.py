"""A guard without its write yet: a context manager or a decorator that raises WriteStopped unless the write may run."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Protocol, TypeVar

from ._guard import Go
from .decisions import Decision, Outcome, WriteStopped

F = TypeVar("F", bound=Callable[..., Any])


class _Decide(Protocol):
    def __call__(self, source: Any) -> Go | Outcome[Any]: ...


class _DecideAsync(Protocol):
    def __call__(self, source: Any) -> Awaitable[Go | Outcome[Any]]: ...


class Guard:
    """`with client.guard_write(intent) as decision:` or `@client.guard_write(intent_of_arguments)`."""

    def __init__(self, source: Any, decide: _Decide) -> None:
        self._source = source
        self._decide = decide

    def admit(self) -> Decision:
        """Returns if the write may run now, and raises WriteStopped otherwise."""
        return _go(self._decide(self._source)).decision

    def __enter__(self) -> Decision:
        return self.admit()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def __call__(self, function: F) -> F:
        """The function runs only on an allow. Its intent is made from its arguments."""
        if inspect.iscoroutinefunction(function):
            raise TypeError("this guard is for plain functions; use AsyncClient for a coroutine function")
        refuse_generator_function(function)

        @functools.wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            _go(self._decide(functools.partial(_made(self._source), *args, **kwargs)))
            return ran_now(function(*args, **kwargs))

        return guarded  # type: ignore[return-value]


class AsyncGuard:
    """`async with client.guard_write(intent) as decision:` or `@client.guard_write(intent_of_arguments)`."""

    def __init__(self, source: Any, decide: _DecideAsync) -> None:
        self._source = source
        self._decide = decide

    async def admit(self) -> Decision:
        """Returns if the write may run now, and raises WriteStopped otherwise."""
        return _go(await self._decide(self._source)).decision

    async def __aenter__(self) -> Decision:
        return await self.admit()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def __call__(self, function: F) -> F:
        """The coroutine function runs only on an allow. Its intent is made from its arguments."""
        if not inspect.iscoroutinefunction(function):
            raise TypeError("this guard is for coroutine functions; use Client for a plain function")

        @functools.wraps(function)
        async def guarded(*args: Any, **kwargs: Any) -> Any:
            _go(await self._decide(functools.partial(_made(self._source), *args, **kwargs)))
            return await function(*args, **kwargs)

        return guarded  # type: ignore[return-value]


def refuse_generator_function(function: object) -> None:
    """Its body would run when somebody iterates, perhaps long after the allow has expired."""
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError("a generator runs after its guard is done; guard the function that iterates it")


def ran_now(result: Any) -> Any:
    """A coroutine would run when somebody awaits it, or never."""
    if inspect.iscoroutine(result):
        result.close()
        raise TypeError("the write made a coroutine that nobody runs; use AsyncClient")
    return result


def _go(decided: Go | Outcome[Any]) -> Go:
    if isinstance(decided, Outcome):
        raise WriteStopped(decided)
    return decided


def _made(source: Any) -> Callable[..., Any]:
    """A fixed intent stands for every call of the function, whatever its arguments."""
    return source if callable(source) else lambda *_args, **_kwargs: source
