"""Asks until there is a response, the retries are used up, or the one deadline over all of them has passed."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, replace

from ._exchange import Answer, Request
from ._flow import Flow, Send, Sleep
from ._settings import Settings
from .decisions import Cause, Unanswered
from .strict_json import JsonValue, StrictJsonError, parse_json

_FIRST_BACKOFF_SECONDS = 0.05
RESPONSE_DEPTH_MAX = 64


@dataclass(frozen=True)
class Answered:
    answer: Answer
    # When the first attempt was sent, on the monotonic clock: a retry may get the decision of an earlier one.
    sent_at: float


def ask(settings: Settings, request: Request, since: float | None = None) -> Flow[Answered | Unanswered]:
    timeout = settings.timeout_seconds
    sent_at = time.monotonic()
    deadline = (sent_at if since is None else since) + timeout
    # INVARIANT: once an attempt met anything except an outage, no later outage replaces it as the cause; otherwise a
    # refusal followed by a timeout would let an unprotected write run.
    refusal: Cause | None = None
    late = Cause("timeout", f"the service did not respond within {timeout:g} s")
    cause = late
    for attempt in range(settings.retries + 1):
        if time.monotonic() >= deadline:
            break
        outcome = yield Send(request, deadline, settings)
        if isinstance(outcome, Answer):
            if time.monotonic() < deadline:
                return Answered(outcome, sent_at)
            # It is too late to use, but it is a response: it may say no, so this is not an outage.
            return Unanswered(Cause("expired", f"the response came after {timeout:g} s"))
        cause = late if outcome.cause.kind == "timeout" else outcome.cause
        if not cause.is_outage:
            refusal = cause
        if outcome.retry_after is None:
            break
        wait = outcome.retry_after + random.random() * _FIRST_BACKOFF_SECONDS * 2**attempt
        if attempt == settings.retries or time.monotonic() + wait >= deadline:
            break
        yield Sleep(wait)
    return Unanswered(redacted(refusal or cause, settings))


def call(settings: Settings, request: Request) -> Flow[JsonValue | Unanswered]:
    """A call that is not a check: the JSON of its response."""
    asked = yield from ask(settings, request)
    if isinstance(asked, Unanswered):
        return asked
    try:
        return parse_json(asked.answer.body, RESPONSE_DEPTH_MAX)
    except StrictJsonError:
        message = f"the response is not {request.expects}: it is not JSON"
        return Unanswered(Cause("invalid_answer", message))


def redacted(cause: Cause, settings: Settings) -> Cause:
    clean = settings.api_key.redacted
    return replace(
        cause,
        message=clean(cause.message),
        code=None if cause.code is None else clean(cause.code),
        request_id=None if cause.request_id is None else clean(cause.request_id),
    )
