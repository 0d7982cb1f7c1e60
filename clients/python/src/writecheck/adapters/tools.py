"""Shared by all adapters: makes the intent of a tool call, checks it, then runs the tool or says why not."""

from __future__ import annotations

import contextvars
import functools
import inspect
from collections.abc import Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, Union

from .._flow import drive, drive_async
from .._functions import awaited, must_not_generate, ran_now
from ..aio import AsyncClient
from ..client import Client
from ..decisions import Decision, ReviewOptions, WriteStopped
from ._arguments import InvalidArguments, with_arguments
from ._stopped import Arguments, Stopped, comment_of, not_mapped, rejected_id, said, stopped_call
from ._call_id import call_id_from

__all__ = ["InvalidArguments", "Stopped", "ToolGuard", "call_id_from", "current_decision", "with_arguments"]

F = TypeVar("F", bound=Callable[..., Any])
_Steps = Generator[Callable[[], Any], Any, Any]
# The arguments come from a model: nothing about them is known.
IntentOfArguments = Union[
    Callable[[dict[str, Any]], Mapping[str, Any]], Callable[[dict[str, Any]], Awaitable[Mapping[str, Any]]]
]
_decision: contextvars.ContextVar[Decision | None] = contextvars.ContextVar(
    "writecheck_decision", default=None
)


def current_decision() -> Decision | None:
    """Inside a guarded tool: the allow it runs on."""
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
    # The requester and the reason, for the reviewers: `on_behalf_of`, `justification` and `external_ref`, from the arguments. If it
    # raises, the tool does not run, because a review without its requester could be approved by them.
    review_request: Callable[[dict[str, Any]], Any] | None = None
    # False for a tool that is safe to repeat; otherwise only one run of a call writes.
    once: bool = True
    # False if the outcome of the tool must not be reported to the service.
    outcomes: bool = True
    # Gets every stopped call before the model does. Its exceptions reach the framework.
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
        if not isinstance(self.client, Client):
            raise TypeError("this tool is called without asyncio: give its guard a Client")
        return _performed(self._steps(tool, arguments, run, call_id, has_failed))

    async def acall(
        self,
        tool: str,
        arguments: Arguments,
        run: Callable[[], Any],
        call_id: str | None = None,
        has_failed: Callable[[Any], bool] = _never,
    ) -> Any:
        """The same for asyncio. A cancelled write may still be running, so its outcome is unknown."""
        if not isinstance(self.client, AsyncClient):
            raise TypeError("this tool is called by asyncio: give its guard an AsyncClient")
        return await _aperformed(self._steps(tool, arguments, run, call_id, has_failed))

    def _steps(
        self,
        tool: str,
        arguments: Arguments,
        run: Callable[[], Any],
        call_id: str | None,
        has_failed: Callable[[Any], bool],
    ) -> _Steps:
        """One call, in steps that return their result or something to await."""
        try:
            intent, fits = with_arguments(_mapped((yield lambda: self.intent(dict(arguments)))), arguments)
            review = yield from self._review_options(arguments, fits)
        except Exception as error:
            return (yield from self._tell(not_mapped(tool, arguments, error)))
        source = self._source(intent, arguments) if self.review == "wait" else intent
        options = {
            "call_id": call_id,
            "review": review,
            "once": self.once,
            "outcomes": self.outcomes,
        }
        try:
            go = yield self.client.guard_write(source, **options).go
        except WriteStopped as stopped:
            outcome = stopped.outcome
            asked = rejected_id(outcome)
            answer = None if asked is None else (yield lambda: self.client.wait_for_review(asked))
            comment = None if answer is None else comment_of(answer)
            return (yield from self._tell(stopped_call(tool, arguments, outcome, fits, comment)))
        token = _decision.set(go.decision)
        try:
            result = yield run
        except BaseException as error:
            go.reporter.raised(error)
            raise
        finally:
            _decision.reset(token)
        go.reporter.report("unknown" if has_failed(result) else "done")
        return result

    def _source(self, intent: Mapping[str, Any], arguments: Arguments) -> Callable[[], Any]:
        """Runs the mapping again after a wait, so that its evidence is fresh."""
        made = [intent]

        def again() -> _Steps:
            return with_arguments(_mapped((yield lambda: self.intent(dict(arguments)))), arguments)[0]

        perform = _performed if isinstance(self.client, Client) else _aperformed
        return lambda: made.pop() if made else perform(again())

    def _review_options(self, arguments: Arguments, fits: bool) -> _Steps:
        if self.review == "off" or not fits:
            return None
        request: Mapping[str, Any] = {}
        if self.review_request is not None:
            make = self.review_request
            request = yield lambda: make(dict(arguments))
        return ReviewOptions(self.review_wait_seconds if self.review == "wait" else 0, **request)

    def _tell(self, stopped: Stopped) -> _Steps:
        if self.on_stopped is not None:
            tell = self.on_stopped
            yield lambda: tell(stopped)
        return stopped

    def __call__(self, function: F) -> F:
        """Decorates a tool: its keyword arguments are the arguments, and a stopped call returns the message."""
        must_not_generate(function)
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


def _performed(steps: _Steps) -> Any:
    return drive(steps, lambda step: ran_now(step()))


async def _aperformed(steps: _Steps) -> Any:
    return await drive_async(steps, lambda step: awaited(step()))


def _mapped(intent: Any) -> Mapping[str, Any]:
    if not isinstance(intent, Mapping):
        raise TypeError("the mapping did not return an intent")
    return intent
