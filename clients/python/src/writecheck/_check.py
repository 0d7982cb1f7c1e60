"""The checks: one intent, and a call that may be repeated."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import time
from dataclasses import dataclass, field, replace
from typing import Any

from ._ask import RESPONSE_DEPTH_MAX, ask, redacted
from ._exchange import Request
from ._facts import informed
from ._flow import Flow
from ._judge import Expectation, Replay, Verdict, judge_answer, no_decision
from ._settings import Settings
from .decisions import Cause, Unanswered
from .intents import Snapshot
from .strict_json import JsonValue, StrictJsonError, parse_json

# How many keys a call uses before a random one: one, and one more after each pause that is stored for it.
_KEYS_OF_A_CALL = 3


@dataclass(frozen=True)
class CheckOptions:
    call_id: str | None = None
    idempotency_key: str | None = None
    # The facts source of this call, used instead of the client's own.
    facts: Any = field(default=None, repr=False)

    @property
    def is_named(self) -> bool:
        return self.call_id is not None or self.idempotency_key is not None


def check_one(settings: Settings, asked: Snapshot, options: CheckOptions) -> Flow[Verdict]:
    snapshot = yield from informed(settings, asked, options.facts)
    if isinstance(snapshot, Unanswered):
        return no_decision(snapshot.cause)
    if options.call_id is None:
        verdict = yield from check(settings, snapshot, options)
        return replace(verdict, repeated=verdict.replayed)
    if not is_call_id(options.call_id):
        return no_decision(Cause("client_fault", "`call_id` must be valid text"))
    return (yield from _check_call(settings, snapshot, options.call_id, options))


def check(
    settings: Settings,
    snapshot: Snapshot,
    options: CheckOptions,
    since: float | None = None,
    claim: str | None = None,
) -> Flow[Verdict]:
    key = options.idempotency_key
    if key is not None and not is_idempotency_key(key):
        return no_decision(redacted(INVALID_KEY, settings))
    request_id = random_key()
    headers = {
        "Content-Type": "application/json",
        "Idempotency-Key": key or random_key(),
        "X-Request-ID": request_id,
    }
    if claim is not None:
        headers["Redeem"] = claim
    asked = yield from ask(settings, Request("POST", "/v1/check-write", headers, snapshot.body), since=since)
    if isinstance(asked, Unanswered):
        return no_decision(redacted(asked.cause, settings))
    try:
        answer = parse_json(asked.answer.body, RESPONSE_DEPTH_MAX)
    except StrictJsonError:
        return no_decision(redacted(_invalid("it is not the JSON that the client expected"), settings))
    # A random key belongs only to this call: a replay under it is the response to an earlier attempt.
    replay = Replay(asked.answer.date, key is not None) if asked.answer.replayed else None
    expected = Expectation(snapshot.digest, request_id, asked.sent_at, replay)
    judged = judge_answer(answer, expected)
    if isinstance(judged, str):
        return no_decision(redacted(_refused_or_invalid(answer, judged, settings), settings))
    settings.kept.note(judged.decision.policy_ref)
    return replace(judged, replayed=asked.answer.replayed)


def _check_call(settings: Settings, snapshot: Snapshot, call_id: str, options: CheckOptions) -> Flow[Verdict]:
    """INVARIANT: of the responses stored for a call, only an allow is used again, and only while it is valid."""
    since = time.monotonic()
    stored: Verdict | None = None
    for round_ in range(_KEYS_OF_A_CALL + 1):
        is_last = round_ == _KEYS_OF_A_CALL
        key = random_key() if is_last else key_from(call_id, str(round_), snapshot)
        named = replace(options, call_id=None, idempotency_key=key)
        verdict = yield from check(settings, snapshot, named, since=since)
        cause = verdict.decision.cause
        if cause is not None:
            is_stale = cause.code == "idempotency_key_expired"
        else:
            is_stale = verdict.replayed and not verdict.decision.allowed
        if is_stale and not is_last:
            stored = verdict
        elif cause is not None and stored is not None:
            # The service has responded before: a later outage must not replace that.
            return stored
        else:
            return replace(verdict, repeated=stored is not None)
    raise AssertionError("the last round returns")


def key_from(*parts: str | Snapshot) -> str:
    texts = [part.body.decode() if isinstance(part, Snapshot) else part for part in parts]
    return hashlib.sha256(json.dumps(texts).encode("ascii")).hexdigest()


def random_key() -> str:
    return secrets.token_hex(16)


INVALID_KEY = Cause("client_fault", "`idempotency_key` must be 1 to 255 visible ASCII characters")


def is_call_id(call_id: object) -> bool:
    # Clients in other languages encode a lone surrogate differently, so the same call would have two keys.
    return call_id is None or (isinstance(call_id, str) and re.fullmatch(r"[^\ud800-\udfff]+", call_id) is not None)


def is_idempotency_key(key: object) -> bool:
    return isinstance(key, str) and re.fullmatch(r"[!-~]{1,255}", key) is not None


def _refused_or_invalid(answer: JsonValue, fault: str, settings: Settings) -> Cause:
    """Some proxies send an error envelope with status 200."""
    error = answer.get("error") if isinstance(answer, dict) else None
    code, message = (error.get("code"), error.get("message")) if isinstance(error, dict) else (None, None)
    if not isinstance(code, str) or not isinstance(message, str):
        return _invalid(fault)
    clean = settings.api_key.redacted
    text = f"the service refused, `{clean(code, 100)}`: {clean(message, 300)}"
    return Cause("refused", text, code=clean(code, 100))


def _invalid(fault: str) -> Cause:
    return Cause("invalid_answer", f"the response is not a decision: {fault}", status=200)
