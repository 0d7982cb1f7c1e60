"""Decides whether a response is a valid decision for the intent that was sent, and until when."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from .decisions import WRITE_INTENT_VERSION, Cause, Decision, DecisionWord, local_decision
from .strict_json import JsonValue

_WORDS: dict[str, DecisionWord] = {"allow": "allow", "pause": "pause", "block": "block"}
_ALLOW_SECONDS_MAX = 300.0
# Epoch seconds as floats are exact to a microsecond only.
_FLOAT_SECONDS = 1e-6
# A Date header is truncated to the second: the reply may be up to 999 ms later than it says.
_DATE_SECONDS = 0.999


@dataclass(frozen=True)
class Verdict:
    """A decision together with how long it counts."""

    decision: Decision
    # The moment on the monotonic clock from which it no longer counts.
    expires_at: float = math.inf
    # The service had stored it for an earlier request with the same key.
    replayed: bool = False
    # A decision was stored for this call before, so the call is a repeat.
    repeated: bool = False

    def current(self) -> Decision:
        """The decision as it stands now: an allow that has expired no longer counts."""
        if time.monotonic() < self.expires_at:
            return self.decision
        return local_decision(Cause("expired", "the decision was no longer valid when it arrived"))


@dataclass(frozen=True)
class Replay:
    """The service says that it had stored the decision."""

    # The Date header, if there is one. The lifetime counts from there, not from the decision's timestamp.
    replied_at: float | None
    # Another call may have used the same key before. The stored decision then carries that call's `request_id`.
    may_be_of_another_call: bool


@dataclass(frozen=True)
class Expectation:
    intent_digest: str
    # The random `X-Request-ID` that every attempt of this call carried.
    request_id: str
    # When the first request of this call was sent, on the monotonic clock.
    sent_at: float
    replay: Replay | None = None


def no_decision(cause: Cause) -> Verdict:
    return Verdict(local_decision(cause))


def unusable() -> Verdict:
    return no_decision(Cause("invalid_intent", "the intent cannot be written as a JSON object"))


def judge_answer(answer: JsonValue, expected: Expectation) -> Verdict | str:
    """A verdict, or the error of the response."""
    if not isinstance(answer, dict):
        return "it is not a JSON object"
    fault = _find_fault(answer)
    if fault is not None:
        return fault
    word = _WORDS[str(answer["decision"]).lower()]
    # A pause or a block may omit its digest; an allow may not.
    is_named = word == "allow" or "intentDigest" in answer
    if is_named and answer.get("intentDigest") != expected.intent_digest:
        return "its `intentDigest` is not that of the intent"
    lifetime = math.inf if word != "allow" else _proven_lifetime(answer, expected)
    if isinstance(lifetime, str):
        return lifetime
    members = {name: value for name, value in answer.items() if name != "origin"}
    members["decision"] = word
    decision = Decision(word, str(answer["reason"]), str(answer["reason_code"]), members)
    return Verdict(decision, expected.sent_at + lifetime)


def _find_fault(answer: Mapping[str, JsonValue]) -> str | None:
    if answer.get("schemaVersion") != WRITE_INTENT_VERSION:
        return f"its `schemaVersion` is not `{WRITE_INTENT_VERSION}`"
    for name in ("reason", "reason_code"):
        text = answer.get(name)
        if not isinstance(text, str) or text == "":
            return f"its `{name}` is missing or not text"
    word = answer.get("decision")
    decision = _WORDS.get(word.lower()) if isinstance(word, str) else None
    if decision is None:
        return "its `decision` is not one of allow, pause and block"
    # Compares by identity, because 1 equals True in Python.
    if answer.get("allowed") is not (decision == "allow"):
        return "its `allowed` disagrees with its `decision`"
    if decision != "allow":
        return _find_failure(answer)
    return find_denial(answer) or _find_contradiction(answer)


def find_denial(answer: Mapping[str, JsonValue]) -> str | None:
    """What in a response says that the request failed, whatever else it says."""
    carries_error = answer.get("error") is not None
    return _find_failure(answer) or ("it carries an `error`" if carries_error else None)


def _find_failure(answer: Mapping[str, JsonValue]) -> str | None:
    return None if answer.get("success", True) is True else "its `success` is not true"


def _find_contradiction(allow: Mapping[str, JsonValue]) -> str | None:
    if allow.get("reason_code") == "frozen":
        return "it is an allow with the code `frozen`"
    limits = allow.get("limits", [])
    if not isinstance(limits, list):
        return "its `limits` cannot be read"
    are_readable = all(isinstance(limit, dict) and isinstance(limit.get("beyond"), bool) for limit in limits)
    return None if are_readable else "its `limits` cannot be read"


def _proven_lifetime(allow: Mapping[str, JsonValue], expected: Expectation) -> float | str:
    """How many seconds the allow holds from the moment of sending, or why it permits nothing.

    INVARIANT: an allow names this write, this request and its own end. One that leaves any of them open permits nothing.
    """
    replay = expected.replay
    if allow.get("execution_status") != "permitted":
        return "its `execution_status` is not `permitted`"
    may_be_of_another_call = replay is not None and replay.may_be_of_another_call
    if allow.get("request_id") != expected.request_id and not may_be_of_another_call:
        return "its `request_id` is not the `X-Request-ID` that was sent"
    until, made_at = instant(allow.get("validUntil")), instant(allow.get("timestamp"))
    if until is None or made_at is None:
        return "its `validUntil` cannot be checked"
    if until - made_at > _ALLOW_SECONDS_MAX + _FLOAT_SECONDS:
        return "its `validUntil` is more than 5 minutes after its `timestamp`"
    if replay is None:
        return until - made_at
    if replay.replied_at is None:
        return "its `validUntil` cannot be checked"
    return until - max(made_at, replay.replied_at + _DATE_SECONDS)


_DATE_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?"
    r"(?:Z|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))"
)


def instant(text: object) -> float | None:
    """Epoch seconds of an RFC 3339 date-time with an offset."""
    found = _DATE_TIME.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return None
    try:
        year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
        moment = datetime(year, month, day, hour, minute, second, tzinfo=timezone.utc)
    except ValueError:
        return None
    offset = timedelta(hours=int(found[9] or 0), minutes=int(found[10] or 0))
    seconds = (moment - _EPOCH).total_seconds() + float(f"0.{found[7] or 0}")
    return seconds + (offset.total_seconds() if found[8] == "-" else -offset.total_seconds())


_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
