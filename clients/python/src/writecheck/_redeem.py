"""Uses up an allow."""

from __future__ import annotations

import json
import re

from ._ask import call
from ._check import INVALID_KEY, is_idempotency_key, random_key
from ._exchange import Request
from ._flow import Flow
from ._judge import find_denial
from ._requirements import JSON
from ._settings import Settings
from .decisions import Cause, Redeemed, Unanswered


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
    answer = called if isinstance(called, dict) else {}
    redeemed_at = answer.get("redeemedAt")
    if answer.get("redeemed") is not True or not isinstance(redeemed_at, str):
        return Unanswered(Cause("invalid_answer", "the response is not a redemption: it does not say so"))
    fault = find_denial(answer)
    if fault is not None:
        return Unanswered(Cause("invalid_answer", f"the response is not a redemption: {fault}"))
    return Redeemed(redeemed_at)
