"""The message for a model about a tool that was not run: that nothing happened, why, and what to do now."""

from __future__ import annotations

from typing import Any

from ..decisions import Decision, Outcome, ReviewSummary

_NO_WAY_AROUND = "Say so, and do not try another way to make this change."
_HEADS = {"pause": "Not executed, paused for review:", "block": "Not executed, blocked:"}
_ADVICE = {
    "pause": "Nothing was written. A person must review this; say so, and do not repeat the call or try another way"
    " to make this change.",
    "block": "Nothing was written. Stop this action; do not repeat the call or try another way to make this change.",
}
ARGUMENTS_TOO_LARGE = (
    "the arguments do not fit into the 16 KiB that a reviewer could be shown; make the call smaller"
)


def correction_message(tool: str, error: Exception) -> str:
    """Explains a mistake in the call itself, which was never checked."""
    return f"Not executed: {error}. Nothing was written. Correct the arguments of `{tool}` and call it again."


def stop_message(outcome: Outcome[Any], fits: bool = True, comment: str | None = None) -> str:
    decision = outcome.decision
    if outcome.stopped == "taken":
        return _taken_message(decision)
    if decision.cause is not None:
        return f"Not executed: {decision.reason}. Nothing was written. {_NO_WAY_AROUND}"
    lines = [_approval_needed(decision)] if _is_for_people(decision) else _what_stopped_it(decision)
    told = _review_message(outcome, fits, comment) or _halt_message(outcome)
    lines.append(told or _ADVICE[decision.decision])
    if decision.decision_id is not None:
        lines.append(f"Decision: {decision.decision_id}")
    return "\n".join(lines)


def _taken_message(decision: Decision) -> str:
    """The only stop after which the write may have happened."""
    told = (
        "Not executed: another run of this call has taken its allow, and may have made this change already. "
        "Find out what is there now, and say so; do not repeat the call or try another way to make this change."
    )
    return told if decision.decision_id is None else f"{told}\nDecision: {decision.decision_id}"


def _halt_message(outcome: Outcome[Any]) -> str | None:
    if outcome.stopped == "frozen":
        return (
            "Nothing was written. Somebody stopped writes like this one by hand. "
            "Say so, and do not repeat the call or try another way to make this change."
        )
    if outcome.stopped != "limit":
        return None
    until = "" if outcome.resets_at is None else f" It has room again at {outcome.resets_at}."
    return (
        f"Nothing was written. A limit is used up.{until} "
        "Say so, and do not split the change or try another way to make it."
    )


def _is_for_people(decision: Decision) -> bool:
    """Whether the write needs only an approval. The reason may be about authority, which confuses a model then."""
    needs = [
        (need.get("action"), need.get("controlId"))
        for need in decision.remediation
        if need.get("action") != "inform"
    ]
    return _is_reviewable(decision) and needs != [] and all(
        action == "supply" and control in decision.review_controls for action, control in needs
    )


def _approval_needed(decision: Decision) -> str:
    names = " and ".join(f"`{name}`" for name in decision.review_controls)
    return f"Not executed, paused for review: a person must approve this write ({names})."


def _what_stopped_it(decision: Decision) -> list[str]:
    lines = [f"{_HEADS[decision.decision]} {decision.reason} ({decision.reason_code})"]
    if decision.remediation:
        lines.append("What would satisfy it:")
    for need in decision.remediation:
        control = f" `{need['controlId']}`" if "controlId" in need else ""
        lines.append(f"- {need.get('action')}{control}: {need.get('need')}")
    return lines


def _review_message(outcome: Outcome[Any], fits: bool, comment: str | None) -> str | None:
    """None if the decision already says everything."""
    review, unasked = outcome.review, _unasked(outcome, fits)
    if review is None or outcome.stopped in (None, "taken", "frozen", "limit"):
        if unasked is None:
            return None
        return f"Nothing was written. No reviewer could be asked: {unasked}. {_NO_WAY_AROUND}"
    return "Nothing was written. " + _stop_text(outcome, review, comment)


def _unasked(outcome: Outcome[Any], fits: bool) -> str | None:
    if not fits and _is_reviewable(outcome.decision):
        return ARGUMENTS_TOO_LARGE
    return None if outcome.cause is None else outcome.cause.message


def _is_reviewable(decision: Decision) -> bool:
    return decision.decision == "pause" and bool(decision.review_controls)


def _stop_text(outcome: Outcome[Any], review: ReviewSummary, comment: str | None) -> str:
    place = f"{review.id}, {review.url}"
    if outcome.stopped == "out_of_time":
        return (
            f"A person was asked to approve exactly this write (review {place}). "
            "Repeating the same call with the same arguments goes through once they approve it. "
            + _NO_WAY_AROUND
        )
    if outcome.stopped == "rejected":
        wrote = "" if comment is None else f" and wrote: {comment}"
        return (
            f"A reviewer rejected this write (review {place}){wrote}\n"
            "Do not repeat the same call; say what the reviewer decided."
        )
    if outcome.stopped == "expired":
        return f"Nobody decided in time, so the review expired ({place}). Repeating the same call asks again."
    if outcome.stopped == "cancelled":
        return f"The review was cancelled ({place}). Do not repeat the call unless you are told to."
    return (
        f"What this call would write has changed since it was approved (review {place}). "
        "Repeating the call asks again."
    )
