"""Opens, reads and waits for reviews. Nothing here runs a write."""

from __future__ import annotations

import json
import math
import time
from urllib.parse import quote

from ._ask import call
from ._exchange import Request
from ._flow import Flow, Sleep
from ._judge_review import is_review_id, judge_review
from ._settings import Settings
from .decisions import Cause, Review, Unanswered

# The service asks for it with `Retry-After`.
_POLL_SECONDS = 2.0
_JSON = {"Content-Type": "application/json"}


def open_review(
    settings: Settings,
    decision_id: str,
    justification: str | None = None,
    on_behalf_of: str | None = None,
    external_ref: str | None = None,
    intent_digest: str | None = None,
) -> Flow[Review | Unanswered]:
    words = {"justification": justification, "onBehalfOf": on_behalf_of, "externalRef": external_ref}
    given = {name: text for name, text in words.items() if text is not None}
    try:
        body = json.dumps({"decision_id": decision_id, **given}, ensure_ascii=False).encode("utf-8")
    except (TypeError, ValueError):
        return Unanswered(_fault("a review is opened with texts that can be sent as JSON"))
    # INVARIANT: opening twice for one write gives one review, so this POST may be retried without an Idempotency-Key.
    request = Request("POST", "/v1/reviews", _JSON, body, also_status=201, expects="a review")
    called = yield from call(settings, request)
    return called if isinstance(called, Unanswered) else judge_review(called, intent_digest=intent_digest)


def wait_for_review(
    settings: Settings, review_id: str, wait_seconds: float = 0, intent_digest: str | None = None
) -> Flow[Review | Unanswered]:
    """Ends when the review is no longer open or the time is over; the review then says which. Outages are waited out.

    A response that is not this review ends the wait immediately.
    """
    fault = wait_fault(wait_seconds)
    if fault is None and not is_review_id(review_id):
        fault = _fault("the id of a review starts with `rev_`")
    if fault is not None:
        return Unanswered(fault)
    deadline = time.monotonic() + wait_seconds
    last: Review | Unanswered | None = None
    while True:
        answer = yield from _read_review(settings, review_id, intent_digest)
        if isinstance(answer, Review) and answer.state != "open":
            return answer
        if isinstance(answer, Unanswered) and not is_transient(answer.cause):
            return answer
        # The last valid response still counts after an outage: it said `open`.
        if last is None or isinstance(answer, Review):
            last = answer
        left = deadline - time.monotonic()
        if left <= 0:
            return last
        yield Sleep(min(left, _POLL_SECONDS))


def approved_reviews(settings: Settings, intent_digest: str) -> Flow[list[Review]]:
    """The newest approved reviews of a write that this key may see."""
    path = f"/v1/reviews?state=approved&limit=5&intentDigest={quote(intent_digest, safe='')}"
    called = yield from call(settings, Request("GET", path, expects="a list of reviews"))
    reviews = called.get("reviews") if isinstance(called, dict) else None
    if not isinstance(reviews, list):
        return []
    judged = [judge_review({"review": review}, intent_digest=intent_digest) for review in reviews]
    return [review for review in judged if isinstance(review, Review)]


def _read_review(settings: Settings, review_id: str, intent_digest: str | None) -> Flow[Review | Unanswered]:
    called = yield from call(settings, Request("GET", f"/v1/reviews/{review_id}", expects="a review"))
    if isinstance(called, Unanswered):
        return called
    return judge_review(called, review_id, intent_digest)


def is_transient(cause: Cause) -> bool:
    """An outage, a late response, or a request to retry later: none says anything about the review."""
    return cause.is_outage or cause.kind == "expired" or cause.status == 429


def wait_fault(wait_seconds: object) -> Cause | None:
    is_number = isinstance(wait_seconds, (int, float)) and not isinstance(wait_seconds, bool)
    if is_number and not math.isnan(wait_seconds) and wait_seconds >= 0:  # type: ignore[arg-type,operator]
        return None
    return _fault("`wait_seconds` must be a number from 0")


def _fault(message: str) -> Cause:
    return Cause("client_fault", message)
