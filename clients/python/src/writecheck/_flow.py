"""Flows are the client's logic without input or output: they yield effects, which a driver performs."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeVar, Union

from ._exchange import Request

T = TypeVar("T")


@dataclass(frozen=True)
class Send:
    """Gives an Answer or a Failure, on the monotonic clock before `deadline` or hardly later."""

    request: Request
    deadline: float


@dataclass(frozen=True)
class Sleep:
    seconds: float


@dataclass(frozen=True)
class Call:
    """Gives what the caller's function returns, or a CallFailed if it raises."""

    function: Callable[[], Any]


@dataclass(frozen=True)
class CallFailed:
    """The caller's function raised. The exception is not kept: its frames may hold anything."""


Effect = Union[Send, Sleep, Call]
Flow = Generator[Effect, Any, T]
