"""Decides whether a response is a review the client may act on, and whether its evidence fits the write."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import get_args

from .decisions import Cause, Review, ReviewState, Unanswered
from .intents import EvidenceItem
from .strict_json import JsonValue

_SOURCE = "review-desk"
_STATES: dict[object, ReviewState] = {state: state for state in get_args(ReviewState)}
_REVIEW_ID = re.compile(r"rev_[0-9A-Za-z]{1,64}")
_WEB_ADDRESS = re.compile(r"https?://[!-~]{1,2040}")


def is_review_id(value: object) -> bool:
    return isinstance(value, str) and _REVIEW_ID.fullmatch(value) is not None


def not_a_review(fault: str) -> Cause:
    return Cause("invalid_answer", f"the response is not the review: {fault}")


def judge_review(
    answer: object, review_id: str | None = None, intent_digest: str | None = None
) -> Review | Unanswered:
    """`answer` is the whole body, `{"review": {...}}`; the others are what is expected of it."""
    judged = _judge(_member(answer, "review"), review_id, intent_digest)
    return Unanswered(not_a_review(judged)) if isinstance(judged, str) else judged


def _judge(review: object, review_id: str | None, intent_digest: str | None) -> Review | str:
    if not isinstance(review, dict):
        return "it has no `review`"
    given_id, digest, url, because = (review.get(name) for name in ("id", "intentDigest", "url", "because"))
    if not isinstance(given_id, str) or not is_review_id(given_id):
        return "its `id` is not the id of a review"
    if review_id is not None and given_id != review_id:
        return "it is another review"
    given_state = review.get("state")
    state = _STATES.get(given_state) if isinstance(given_state, str) else None
    if state is None:
        return "its `state` is not known"
    if not isinstance(digest, str) or (intent_digest is not None and digest != intent_digest):
        return "its `intentDigest` is that of another intent"
    if not isinstance(url, str) or _WEB_ADDRESS.fullmatch(url) is None:
        return "its `url` is not an http or https address"
    controls = _controls_of(review.get("controls"))
    if isinstance(controls, str):
        return controls
    if because is not None and not isinstance(because, str):
        return "its `because` is not text"
    return Review(given_id, url, state, digest, controls, because, review)


def _controls_of(value: object) -> tuple[str, ...] | str:
    if not isinstance(value, list) or not value:
        return "it names no `controls`"
    names = [_member(control, "controlId") for control in value]
    texts = [name for name in names if isinstance(name, str) and name != ""]
    if len(set(texts)) != len(names):
        return "its `controls` do not all have a different id"
    return tuple(texts)


def fitting_evidence(review: Review, needed: tuple[str, ...]) -> list[EvidenceItem] | None:
    """The evidence of an approved review, or None if any of it does not fit.

    INVARIANT: exactly one PASS for each control of the review, every needed control among them, and every item names
    this review. Anything else would let one review's approval stand for another's.
    """
    items = review.members.get("evidence")
    if not isinstance(items, list) or len(items) != len(review.controls):
        return None
    if not set(needed) <= set(review.controls):
        return None
    by_control: dict[str, EvidenceItem] = {}
    for item in items:
        control = _member(item, "controlId")
        if not isinstance(item, dict) or not isinstance(control, str) or control not in review.controls:
            return None
        checked_at, expires_at = item.get("checkedAt"), item.get("expiresAt")
        fits = (
            item.get("source") == _SOURCE
            and item.get("result") == "PASS"
            and item.get("evidenceRef") == _reference(review)
            and "attestation" not in item
            and _is_text_or_absent(item, "checkedAt")
            and _is_text_or_absent(item, "expiresAt")
        )
        if not fits:
            return None
        # Only these members are passed on: nothing else in the response may become part of the request.
        by_control[control] = _evidence_item(review, control, checked_at, expires_at)
    if len(by_control) != len(items):
        return None
    return [by_control[control] for control in review.controls]


def used_evidence(review: Review) -> list[EvidenceItem] | None:
    """The evidence of a used approval: a repeated call needs the same to get its own allow back."""
    resolved_at, valid_until = review.members.get("resolvedAt"), review.members.get("validUntil")
    if not isinstance(resolved_at, str) or not isinstance(valid_until, str):
        return None
    return [_evidence_item(review, control, resolved_at, valid_until) for control in review.controls]


def _evidence_item(review: Review, control: str, checked_at: object, expires_at: object) -> EvidenceItem:
    item: EvidenceItem = {"controlId": control, "source": _SOURCE, "result": "PASS"}
    if isinstance(checked_at, str):
        item["checkedAt"] = checked_at
    if isinstance(expires_at, str):
        item["expiresAt"] = expires_at
    item["evidenceRef"] = _reference(review)
    return item


def _reference(review: Review) -> str:
    return f"urn:writecheck:review:{review.id}"


def _is_text_or_absent(item: Mapping[str, JsonValue], name: str) -> bool:
    return name not in item or isinstance(item[name], str)


def _member(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None
