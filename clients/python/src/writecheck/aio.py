"""The client for asyncio: runs a write only on a valid allow. Cancelling the task cancels the check."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Coroutine
from types import TracebackType
from typing import Any, TypeVar, overload

from ._asyncio import run
from ._calls import or_unanswered
from ._check import CheckOptions
from ._facts import requirements_with_facts
from ._functions import awaited, intent_of, may_write, must_be_coroutine_function, must_not_generate
from ._guard import Go, Question, checked, go_or_stop, prepare, prepare_resumed
from ._once import start_run
from ._redeem import redeem
from ._report import entered, left
from ._reviews import open_review, wait_for_review
from ._secret import Secret
from ._settings import Settings, concealed, read_settings
from .decisions import Decision, Outcome, Redeemed, Requirements, Review, ReviewOptions, Unanswered
from .intents import AsyncFactsSource, AsyncIntentOfCall, AsyncIntentSource, Intent

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


class AsyncClient:
    """Safe to share between threads, tasks and loops, and after a fork: a client holds settings, and which facts
    the policy needs.

    Without `api_key` and `base_url` it reads WRITECHECK_API_KEY and WRITECHECK_URL. One deadline covers a whole call,
    retries included. `facts` gives what the record says before every check that needs it: a function, or the `url` and
    `token` of a reader. Raises ValueError for settings that cannot work.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        timeout_seconds: float = 2.0,
        retries: int = 3,
        outcomes: bool = True,
        facts: AsyncFactsSource | None = None,
    ) -> None:
        key, source = Secret(api_key) if api_key else None, concealed(facts)
        # No frame of a traceback may hold them.
        del api_key, facts
        self._settings: Settings = read_settings(key, base_url, timeout_seconds, retries, outcomes, source)

    def __repr__(self) -> str:
        # A traceback may show a client whose settings were refused.
        settings = getattr(self, "_settings", None)
        return f"{type(self).__name__}({settings.address.authority!r})" if settings else type(self).__name__

    async def check_write(
        self,
        intent: Intent,
        *,
        call_id: str | None = None,
        idempotency_key: str | None = None,
        facts: AsyncFactsSource | None = None,
    ) -> Decision:
        """Never raises for a failing service: without a valid decision it returns a local block with its cause."""
        options = CheckOptions(call_id, idempotency_key, concealed(facts))
        return await run(checked(Question(self._settings, intent, options)), self._settings)

    # Only asyncio: begin
    @overload
    def guard_write(
        self,
        intent: AsyncIntentSource,
        write: Callable[[], Awaitable[T]],
        *,
        call_id: str | None = None,
        idempotency_key: str | None = None,
        facts: AsyncFactsSource | None = None,
        unprotected: bool = False,
        review: ReviewOptions | None = None,
        once: bool = True,
        outcomes: bool = True,
    ) -> Coroutine[Any, Any, Outcome[T]]: ...

    # Only asyncio: end
    @overload
    def guard_write(
        self,
        intent: AsyncIntentSource,
        write: Callable[[], T],
        *,
        call_id: str | None = None,
        idempotency_key: str | None = None,
        facts: AsyncFactsSource | None = None,
        unprotected: bool = False,
        review: ReviewOptions | None = None,
        once: bool = True,
        outcomes: bool = True,
    ) -> Coroutine[Any, Any, Outcome[T]]: ...

    @overload
    def guard_write(
        self,
        intent: AsyncIntentSource | AsyncIntentOfCall,
        write: None = None,
        *,
        call_id: str | None = None,
        idempotency_key: str | None = None,
        facts: AsyncFactsSource | None = None,
        unprotected: bool = False,
        review: ReviewOptions | None = None,
        once: bool = True,
        outcomes: bool = True,
    ) -> AsyncGuard: ...

    def guard_write(
        self,
        intent: AsyncIntentSource | AsyncIntentOfCall,
        write: Callable[[], Any] | None = None,
        *,
        call_id: str | None = None,
        idempotency_key: str | None = None,
        facts: AsyncFactsSource | None = None,
        unprotected: bool = False,
        review: ReviewOptions | None = None,
        once: bool = True,
        outcomes: bool = True,
    ) -> Coroutine[Any, Any, Outcome[Any]] | AsyncGuard:
        """Runs `write` only on a valid allow, and raises only what `write` raises.

        Without `write` it gives a guard, for an `async with` statement or as a decorator, which raises WriteStopped
        unless the write may run. `unprotected` is for an action that is not a protected production one: an outage,
        and nothing else, no longer stops it. `review` asks the reviewers on a pause and waits for them. Of all runs
        with the same `call_id` or `idempotency_key` under one API key one writes, unless `once` is False, which is for
        writes that are safe to repeat. What became of the write is reported to the service, unless `outcomes` is False.
        """
        options = CheckOptions(call_id, idempotency_key, concealed(facts))

        async def decide(source: Any) -> Go | Outcome[Any]:
            question = self._question(source, options, once, outcomes)
            prepared = await run(prepare(question, review), self._settings)
            return go_or_stop(question, prepared, unprotected)

        if write is None:
            return AsyncGuard(intent, decide)
        must_not_generate(write)
        return _finish(decide(intent), write)

    async def resume_write(
        self,
        review_id: str,
        intent: AsyncIntentSource,
        write: Callable[[], Awaitable[T]] | Callable[[], T],
        *,
        wait_seconds: float = 0,
        call_id: str | None = None,
        idempotency_key: str | None = None,
        facts: AsyncFactsSource | None = None,
        once: bool = True,
        outcomes: bool = True,
    ) -> Outcome[T]:
        """Continues with a review that another call or process opened; otherwise like `guard_write`."""
        must_not_generate(write)
        options = CheckOptions(call_id, idempotency_key, concealed(facts))
        question = self._question(intent, options, once, outcomes)

        async def decide() -> Go | Outcome[Any]:
            prepared = await run(prepare_resumed(question, review_id, wait_seconds), self._settings)
            return go_or_stop(question, prepared, False)

        return await _finish(decide(), write)

    def _question(self, source: Any, options: CheckOptions, once: object, outcomes: object) -> Question:
        reports = self._settings.outcomes and outcomes is not False
        return Question(self._settings, source, options, start_run(once), reports)

    async def open_review(
        self,
        decision_id: str,
        *,
        justification: str | None = None,
        on_behalf_of: str | None = None,
        external_ref: str | None = None,
    ) -> Review | Unanswered:
        """Asks the reviewers about a paused decision. Opening twice for the same write gives the same review."""
        flow = open_review(self._settings, decision_id, justification, on_behalf_of, external_ref)
        answer: Review | Unanswered = await run(or_unanswered(flow), self._settings)
        return answer

    async def wait_for_review(self, review_id: str, *, wait_seconds: float = 0) -> Review | Unanswered:
        """Waits while the review is open. The returned review is still `open` if the time was not enough."""
        flow = wait_for_review(self._settings, review_id, wait_seconds)
        answer: Review | Unanswered = await run(or_unanswered(flow), self._settings)
        return answer

    async def requirements(
        self, intent: Intent, *, facts: AsyncFactsSource | None = None
    ) -> Requirements | Unanswered:
        """What a write would need, with its facts. It is not a decision: nothing is recorded, charged or used up."""
        flow = or_unanswered(requirements_with_facts(self._settings, intent, concealed(facts)))
        answer: Requirements | Unanswered = await run(flow, self._settings)
        return answer

    async def redeem(
        self, decision_id: str, intent_digest: str, *, idempotency_key: str | None = None
    ) -> Redeemed | Unanswered:
        """Uses up an allow, on the side that executes. Anything except Redeemed means: do not write."""
        flow = redeem(self._settings, decision_id, intent_digest, idempotency_key)
        answer: Redeemed | Unanswered = await run(or_unanswered(flow), self._settings)
        return answer


class AsyncGuard:
    """`async with client.guard_write(intent) as decision:` or `@client.guard_write(intent_of_arguments)`."""

    def __init__(self, source: Any, decide: Callable[[Any], Awaitable[Go | Outcome[Any]]]) -> None:
        self._source = source
        self._decide = decide

    async def go(self) -> Go:
        """Returns if the write may run now, and raises WriteStopped otherwise. For adapters."""
        return may_write(await self._decide(self._source))

    async def admit(self) -> Decision:
        """Returns if the write may run now, and raises WriteStopped otherwise. The outcome is not reported."""
        return (await self.go()).decision

    async def __aenter__(self) -> Decision:
        go = await self.go()
        entered(go.reporter)
        return go.decision

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        left(error)

    def __call__(self, function: F) -> F:
        """The function runs only on an allow. Its intent is made from its arguments."""
        must_be_coroutine_function(function)

        @functools.wraps(function)
        async def guarded(*args: Any, **kwargs: Any) -> Any:
            source = functools.partial(intent_of(self._source), *args, **kwargs)
            go = may_write(await self._decide(source))
            with go.reporter.around():
                return await awaited(function(*args, **kwargs))

        return guarded  # type: ignore[return-value]


async def _finish(deciding: Awaitable[Go | Outcome[Any]], write: Callable[[], Any]) -> Outcome[Any]:
    decided = await deciding
    if isinstance(decided, Outcome):
        return decided
    with decided.reporter.around():
        result = await awaited(write())
    return decided.outcome(result)
