"""How to use up an allow, and many checks in one request."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from ._ask import call
from ._check import INVALID_KEY, CheckOptions, check, is_idempotency_key, random_key
from ._exchange import Request
from ._facts import informed
from ._flow import Flow
from ._guard import CLIENT_FAULT
from ._judge import no_decision, unusable
from ._requirements import JSON
from ._settings import Settings
from .decisions import Cause, Decision, Redeemed, Unanswered, local_decision
from .intents import Snapshot, take_snapshot



def check_many(settings: Settings, intents: Iterable[object], options: CheckOptions) -> Flow[list[Decision]]:
    snapshots = [_snapshot_or_none(intent) for intent in intents]
    try:
        asked: list[Snapshot | Unanswered | None] = []
        for snapshot in snapshots:
            if snapshot is None:
                asked.append(None)
            else:
                asked.append((yield from informed(settings, snapshot, options.facts)))
        usable = [snapshot for snapshot in asked if isinstance(snapshot, Snapshot)]
        verdicts = iter((yield from check(settings, usable, options, batch=True)) if usable else [])
        decisions = []
        for snapshot_or_cause in asked:
            if snapshot_or_cause is None:
                decisions.append(unusable().decision)
            elif isinstance(snapshot_or_cause, Unanswered):
                decisions.append(no_decision(snapshot_or_cause.cause).decision)
            else:
                decisions.append(next(verdicts).current())
        return decisions
    except Exception:
        return [local_decision(CLIENT_FAULT) for _ in snapshots]


def _snapshot_or_none(intent: object) -> Snapshot | None:
    """An intent whose own methods raise must not take the others of its batch with it."""
    try:
        return take_snapshot(intent)
    except Exception:
        return None


def redeem(
    settings: Settings, decision_id: object, intent_digest: object, idempotency_key: str | None
) -> Flow[Redeemed | Unanswered]:
    is_id = isinstance(decision_id, str) and re.fullmatch(r"[0-9A-Za-z_]{1,64}", decision_id)
    if not is_id or not isinstance(intent_digest, str):
        message = "a decision is redeemed by its `decision_id` and `intent_digest`"
        return Unanswered(Cause("client_fault", message))
    # A key for this call alone: a retry after a lost response must not find the decision redeemed by another call.
    key = random_key() if idempotency_key is None else idempotency_key
    if not is_idempotency_key(key):
        return Unanswered(INVALID_KEY)
    body = json.dumps({"intentDigest": intent_digest}).encode("ascii")
    headers = {**JSON, "Idempotency-Key": key}
    request = Request("POST", f"/v1/decisions/{decision_id}/redeem", headers, body, expects="a redemption")
    called = yield from call(settings, request)
    if isinstance(called, Unanswered):
        return called
    redeemed_at = called.get("redeemedAt") if isinstance(called, dict) else None
    if isinstance(called, dict) and called.get("redeemed") is True and isinstance(redeemed_at, str):
        return Redeemed(redeemed_at)
    return Unanswered(Cause("invalid_answer", "the response is not a redemption: it does not say so"))


def or_unanswered(flow: Flow[Any]) -> Flow[Any]:
    """For calls that are not checks: any error inside the client is one more reason for no answer."""
    try:
        return (yield from flow)
    except Exception:
        return Unanswered(Cause("client_fault", "the call failed inside the client"))
