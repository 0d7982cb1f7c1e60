"""What every adapter does with a tool call: makes its intent, asks, then runs the tool or says why not."""

from __future__ import annotations

import contextvars
import functools
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, Union

from ..aio import AsyncClient
from ..client import Client
from ..decisions import Decision, ReviewOptions, WriteStopped
from ..guards import ran_now, refuse_generator_function
from ..intents import take_snapshot
from ._arguments import InvalidArguments, with_arguments
from ._stopped import Arguments, Stopped, comment_of, not_mapped, rejected_id, said, stopped_call
from ._turns import Turn, call_id_from, take_turn

__all__ = ["InvalidArguments", "Stopped", "ToolGuard", "call_id_from", "current_decision", "with_arguments"]

F = TypeVar("F", bound=Callable[..., Any])
# The arguments come from a model: nothing about them is known.
IntentOfArguments = Union[
    Callable[[dict[str, Any]], Mapping[str, Any]], Callable[[dict[str, Any]], Awaitable[Mapping[str, Any]]]
]
_decision: contextvars.ContextVar[Decision | None] = contextvars.ContextVar(
    "writecheck_decision", default=None
)


def current_decision() -> Decision | None:
    """Inside a guarded tool: the allow it runs on, with its receipt if the guard asked for one."""
    return _decision.get()


def _never(_result: Any) -> bool:
    return False


@dataclass(frozen=True)
class ToolGuard:
    """Runs a tool only on a valid allow. Give it a Client for `call`, an AsyncClient for `acall`.

    On a pause that a person could resolve, `review` says what happens: `tell` opens a review and tells the model that
    repeating the call goes through once it is approved; `wait` waits for the reviewers; `off` opens none.
    """

    client: Client | AsyncClient
    intent: IntentOfArguments
    review: Literal["off", "tell", "wait"] = "tell"
    # How long `wait` waits.
    review_wait_seconds: float = 600.0
    receipt: bool = False
    # Gets every stopped call before the model does. What it raises reaches the framework.
    on_stopped: Callable[[Stopped], Any] | None = None

    def call(
        self,
        tool: str,
        arguments: Arguments,
        run: Callable[[], Any],
        call_id: str | None = None,
        has_failed: Callable[[Any], bool] = _never,
    ) -> Any:
        """What the tool returns, or a Stopped. `has_failed` is for tools that report a failure instead of raising."""
        client = self.client
        if not isinstance(client, Client):
            raise TypeError("this tool is called without asyncio: give its guard a Client")
        try:
            intent, fits = with_arguments(_mapped(self.intent(dict(arguments))), arguments)
        except Exception as error:
            return self._tell(not_mapped(tool, arguments, error))

        def again() -> Any:
            return with_arguments(_mapped(self.intent(dict(arguments))), arguments)[0]

        turn = take_turn(call_id, _digest_of(intent))
        is_free = True
        try:
            source = _first(intent, again) if self.review == "wait" else intent
            decision = client.guard_write(source, **self._options(turn, fits)).admit()
            is_free = False
            result = ran_now(_with_decision(decision, run))
            is_free = has_failed(result)
            return result
        except WriteStopped as stopped:
            # A guard inside the tool raises the same exception: it is the tool's.
            if not is_free:
                is_free = True
                raise
            asked = rejected_id(stopped.outcome)
            comment = None if asked is None else comment_of(client.wait_for_review(asked))
            return self._tell(stopped_call(tool, arguments, stopped.outcome, fits, comment))
        except Exception:
            is_free = True
            raise
        finally:
            turn.end(is_free)

    async def acall(
        self,
        tool: str,
        arguments: Arguments,
        run: Callable[[], Any],
        call_id: str | None = None,
        has_failed: Callable[[Any], bool] = _never,
    ) -> Any:
        """The same for asyncio. A cancelled write may still be running, so its allow is not used again."""
        client = self.client
        if not isinstance(client, AsyncClient):
            raise TypeError("this tool is called by asyncio: give its guard an AsyncClient")
        try:
            intent, fits = with_arguments(await _amapped(self.intent(dict(arguments))), arguments)
        except Exception as error:
            return await self._atell(not_mapped(tool, arguments, error))

        async def again() -> Any:
            return with_arguments(await _amapped(self.intent(dict(arguments))), arguments)[0]

        turn = take_turn(call_id, _digest_of(intent))
        is_free = True
        try:
            source = _first(intent, again) if self.review == "wait" else intent
            decision = await client.guard_write(source, **self._options(turn, fits)).admit()
            is_free = False
            result = await _awith_decision(decision, run)
            is_free = has_failed(result)
            return result
        except WriteStopped as stopped:
            if not is_free:
                is_free = True
                raise
            asked = rejected_id(stopped.outcome)
            comment = None if asked is None else comment_of(await client.wait_for_review(asked))
            return await self._atell(stopped_call(tool, arguments, stopped.outcome, fits, comment))
        except Exception:
            is_free = True
            raise
        finally:
            turn.end(is_free)

    def __call__(self, function: F) -> F:
        """As a decorator of a tool: its keyword arguments are the arguments, and a stopped call returns the message."""
        refuse_generator_function(function)
        tool = getattr(function, "__name__", "tool")
        names = inspect.signature(function)

        def arguments_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
            bound = names.bind(*args, **kwargs)
            bound.apply_defaults()
            return dict(bound.arguments)

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def aguarded(*args: Any, **kwargs: Any) -> Any:
                run = functools.partial(function, *args, **kwargs)
                return said(await self.acall(tool, arguments_of(args, kwargs), run))

            return aguarded  # type: ignore[return-value]

        @functools.wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            run = functools.partial(function, *args, **kwargs)
            return said(self.call(tool, arguments_of(args, kwargs), run))

        return guarded  # type: ignore[return-value]

    def _options(self, turn: Turn, fits: bool) -> dict[str, Any]:
        review = None
        if self.review != "off" and fits:
            review = ReviewOptions(self.review_wait_seconds if self.review == "wait" else 0)
        return {"call_id": turn.call_id, "receipt": self.receipt, "review": review}

    def _tell(self, stopped: Stopped) -> Stopped:
        if self.on_stopped is not None:
            self.on_stopped(stopped)
        return stopped

    async def _atell(self, stopped: Stopped) -> Stopped:
        told = None if self.on_stopped is None else self.on_stopped(stopped)
        if inspect.isawaitable(told):
            await told
        return stopped


def _mapped(intent: Any) -> Mapping[str, Any]:
    if inspect.iscoroutine(intent):
        intent.close()
        raise TypeError("a coroutine function makes intents only for an AsyncClient")
    if not isinstance(intent, Mapping):
        raise TypeError("the mapping did not return an intent")
    return intent


async def _amapped(intent: Any) -> Mapping[str, Any]:
    return _mapped(await intent if inspect.isawaitable(intent) else intent)


def _first(intent: Mapping[str, Any], again: Callable[[], Any]) -> Callable[[], Any]:
    """After a wait the mapping runs again, so that its evidence is fresh."""
    made = [intent]
    return lambda: made.pop() if made else again()


def _with_decision(decision: Decision, run: Callable[[], Any]) -> Any:
    token = _decision.set(decision)
    try:
        return run()
    finally:
        _decision.reset(token)


async def _awith_decision(decision: Decision, run: Callable[[], Any]) -> Any:
    token = _decision.set(decision)
    try:
        result = run()
        return await result if inspect.isawaitable(result) else result
    finally:
        _decision.reset(token)


def _digest_of(intent: Mapping[str, Any]) -> str:
    snapshot = take_snapshot(intent)
    return "no digest" if snapshot is None else snapshot.digest
