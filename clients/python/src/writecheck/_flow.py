"""Flows are logic without input or output: they yield effects, which a driver performs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeVar, Union

from ._exchange import Request
from ._settings import Settings

T = TypeVar("T")


@dataclass(frozen=True)
class Send:
    """Gives an Answer or a Failure, on the monotonic clock before `deadline` or hardly later."""

    request: Request
    deadline: float
    # The address to send it to; the service if None.
    settings: Settings | None = None


@dataclass(frozen=True)
class Sleep:
    seconds: float


@dataclass(frozen=True)
class Call:
    """Gives what the caller's function returns, or a CallFailed if it raises, takes too long or cannot be called."""

    function: Callable[[], Any]
    timeout_seconds: float | None = None

    def late(self) -> CallFailed:
        return CallFailed(f"took longer than {self.timeout_seconds:g} s")


@dataclass(frozen=True)
class CallFailed:
    """The caller's function gave nothing. An exception is not kept: its frames may hold anything."""

    why: str = "raised an error"


Effect = Union[Send, Sleep, Call]
Flow = Generator[Effect, Any, T]


def drive(flow: Generator[Any, Any, T], perform: Callable[[Any], Any]) -> T:
    """Raises what `perform` raises in the flow, which may turn it into a block."""
    value: Any = None
    error: BaseException | None = None
    while True:
        try:
            effect = flow.send(value) if error is None else flow.throw(error)
        except StopIteration as stop:
            result: T = stop.value
            return result
        value = error = None
        try:
            value = perform(effect)
        except BaseException as raised:
            error = raised


async def drive_async(flow: Generator[Any, Any, T], perform: Callable[[Any], Awaitable[Any]]) -> T:
    """A cancelled call ends its flow too."""
    value: Any = None
    error: BaseException | None = None
    while True:
        try:
            effect = flow.send(value) if error is None else flow.throw(error)
        except StopIteration as stop:
            result: T = stop.value
            return result
        value = error = None
        try:
            value = await perform(effect)
        except BaseException as raised:
            error = raised
