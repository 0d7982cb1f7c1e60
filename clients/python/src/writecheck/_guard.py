"""Before the write: checks, sends a pause to the reviewers if requested, and decides whether to continue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, Union

from ._check import CheckOptions, check_one, key_from
from ._flow import Call, CallFailed, Flow
from ._judge import Verdict, no_decision, unusable
from ._judge_review import fitting_evidence, not_a_review, used_evidence
from ._once import Run, ask_once, take_allow
from ._report import Reporter, Silent
from ._reviews import approved_reviews, is_transient, open_review, wait_fault, wait_for_review
from ._settings import Settings
from ._stop import stop_of
from .decisions import (
    Cause,
    Decision,
    Outcome,
    Review,
    ReviewOptions,
    Stop,
    Unanswered,
    local_decision,
)
from .intents import EvidenceItem, Snapshot, take_snapshot

T = TypeVar("T")


@dataclass(frozen=True)
class Judged:
    """A verdict that may be an allow."""

    verdict: Verdict
    review: Review | None = None
    # INVARIANT: after a pause only an allow runs the write.
    may_be_unprotected: bool = False


@dataclass(frozen=True)
class Go:
    """The write may run, now."""

    decision: Decision
    unprotected: bool = False
    review: Review | None = None
    reporter: Reporter = field(default_factory=Silent, repr=False)

    def outcome(self, result: T) -> Outcome[T]:
        review = None if self.review is None else self.review.summary
        return Outcome(True, self.decision, result, self.unprotected, review)


Prepared = Union[Judged, Outcome[Any]]
Source = Union[Callable[[], Any], object]


@dataclass(frozen=True)
class Question:
    """The write that the caller wants, and how to ask about it."""

    settings: Settings
    source: Source
    options: CheckOptions
    run: Run = field(default_factory=lambda: Run(claim=None))
    reports: bool = False

    def ask(self, snapshot: Snapshot, options: CheckOptions) -> Flow[Verdict]:
        if self.run.claim is None:
            return check_one(self.settings, snapshot, options)
        return ask_once(self.settings, snapshot, options, self.run)


def go_or_stop(question: Question, prepared: Prepared, unprotected: object) -> Go | Outcome[Any]:
    """Judged right before the write."""
    if isinstance(prepared, Outcome):
        return prepared
    decision = prepared.verdict.current()
    if decision.allowed:
        reporter = Reporter(question.settings, decision) if question.reports else Silent()
        return Go(decision, review=prepared.review, reporter=reporter)
    is_outage = decision.cause is not None and decision.cause.is_outage
    if unprotected is True and prepared.may_be_unprotected and is_outage:
        return Go(decision, unprotected=True)
    return _stop(decision, prepared.review)


def prepare(question: Question, review: ReviewOptions | None) -> Flow[Prepared]:
    """INVARIANT: any error before the write ends as a block; it must not reach the caller as an exception."""
    try:
        return (yield from _took(question, (yield from _prepare(question, review))))
    except Exception:
        return _stop(local_decision(CLIENT_FAULT))


def prepare_resumed(question: Question, review_id: str, wait_seconds: float) -> Flow[Prepared]:
    try:
        return (yield from _took(question, (yield from _resume(question, review_id, wait_seconds))))
    except Exception:
        return _stop(local_decision(CLIENT_FAULT))


def _took(question: Question, prepared: Prepared) -> Flow[Prepared]:
    if isinstance(prepared, Outcome):
        return prepared
    verdict = yield from take_allow(question.settings, question.run, prepared.verdict)
    return replace(prepared, verdict=verdict)


CLIENT_FAULT = Cause("client_fault", "the check failed inside the client")


def _prepare(question: Question, review: ReviewOptions | None) -> Flow[Prepared]:
    fault = None if review is None else wait_fault(review.wait_seconds)
    if fault is not None:
        return _stop(local_decision(fault))
    snapshot = yield from snapshot_of(question.source)
    if snapshot is None:
        return Judged(unusable())
    verdict = yield from question.ask(snapshot, question.options)
    decision = verdict.current()
    if review is None or decision.cause is not None or decision.decision != "pause":
        return Judged(verdict, may_be_unprotected=True)
    if stop_of(decision)[0] == "frozen":
        # No approval lifts a freeze.
        return Judged(verdict)
    if decision.decision_id is None or not decision.review_controls:
        return _stop(decision)
    # An intent that is an object was read at the time of the call; later changes to it must not matter.
    source = question.source if callable(question.source) else snapshot.members
    paused = replace(question, source=source)
    return (yield from _through_review(paused, snapshot, verdict, decision.decision_id, review))


def _through_review(
    question: Question, snapshot: Snapshot, verdict: Verdict, decision_id: str, options: ReviewOptions
) -> Flow[Prepared]:
    settings, decision = question.settings, verdict.decision
    if verdict.repeated and question.options.is_named:
        lost = yield from _lost_allow(question, decision, snapshot.digest)
        if lost is not None:
            return lost
    words = (options.justification, options.on_behalf_of, options.external_ref)
    answer = yield from open_review(settings, decision_id, *words, intent_digest=snapshot.digest)
    is_claimed = question.run.claim is not None and question.options.is_named
    if isinstance(answer, Review) and answer.state == "open" and is_claimed:
        # Another run of this call may have used the approval meanwhile. If not, the stored pause comes back.
        again = yield from question.ask(snapshot, question.options)
        if _is_allow_or_taken(again):
            return Judged(again, answer)
    if isinstance(answer, Review) and answer.state == "open" and options.wait_seconds > 0:
        opened = answer
        answer = yield from wait_for_review(settings, opened.id, options.wait_seconds, snapshot.digest)
        if isinstance(answer, Unanswered):
            stopped: Stop | None = "out_of_time" if is_transient(answer.cause) else None
            return _stop(decision, opened, stopped, answer.cause)
    if isinstance(answer, Unanswered):
        return _stop(decision, cause=answer.cause)
    return (yield from _settle(question, answer, decision.review_controls, decision))


def _lost_allow(question: Question, decision: Decision, intent_digest: str) -> Flow[Judged | None]:
    """The allow that this very call got on a used approval, before its response was lost or its write failed."""
    reviews = yield from approved_reviews(question.settings, intent_digest)
    used = next((review for review in reviews if review.because == "used"), None)
    if used is None:
        return None
    lost = yield from _ask_with(question, used, used_evidence(used), decision)
    return lost if isinstance(lost, Judged) and _is_allow_or_taken(lost.verdict) else None


def _is_allow_or_taken(verdict: Verdict) -> bool:
    return verdict.decision.allowed or stop_of(verdict.decision)[0] == "taken"


def _resume(question: Question, review_id: str, wait_seconds: float) -> Flow[Prepared]:
    answer = yield from wait_for_review(question.settings, review_id, wait_seconds)
    if isinstance(answer, Unanswered):
        return _stop(local_decision(answer.cause), cause=answer.cause)
    message = f"the review `{answer.id}` gives no approval; its state is {answer.state}"
    decision = local_decision(Cause("not_approved", message))
    is_lost = answer.state == "approved" and answer.because == "used" and question.options.is_named
    if is_lost:
        return (yield from _ask_with(question, answer, used_evidence(answer), decision))
    return (yield from _settle(question, answer, (), decision))


def _settle(
    question: Question, review: Review, needed: tuple[str, ...], decision: Decision
) -> Flow[Prepared]:
    if review.state == "open":
        return _stop(decision, review, "out_of_time")
    if review.state != "approved":
        return _stop(decision, review, review.state)
    if review.because == "used" and question.options.is_named:
        # Perhaps by another run of this call, which then has its allow. A used approval gives no other.
        lost = yield from _ask_with(question, review, used_evidence(review), decision)
        if isinstance(lost, Judged):
            taken = yield from take_allow(question.settings, question.run, lost.verdict)
            if stop_of(taken.decision)[0] == "taken":
                return replace(lost, verdict=taken)
    if review.because is not None:
        message = f"the approval no longer counts: {review.because[:100]}"
        return _stop(decision, review, cause=Cause("not_approved", message))
    return (yield from _ask_with(question, review, fitting_evidence(review, needed), decision))


def _ask_with(
    question: Question, review: Review, items: list[EvidenceItem] | None, decision: Decision
) -> Flow[Prepared]:
    """Checks again, with what the caller would write now and the evidence of the review."""
    if items is None:
        return _stop(decision, review, cause=not_a_review("its `evidence` does not fit the write"))
    now = yield from snapshot_of(question.source)
    if now is None:
        return _stop(unusable().decision, review)
    if now.digest != review.intent_digest:
        return _stop(decision, review, "changed_since_approval")
    own = now.members.get("controlEvidence") or []
    evidence = [*own, *items] if isinstance(own, list) else None
    snapshot = None if evidence is None else take_snapshot({**now.members, "controlEvidence": evidence})
    if snapshot is None:
        return _stop(unusable().decision, review)
    options = question.options
    if question.run.claim is None:
        options = _renamed(options, snapshot)
    verdict = yield from question.ask(snapshot, options)
    return Judged(verdict, review)


def _renamed(options: CheckOptions, snapshot: Snapshot) -> CheckOptions:
    """INVARIANT: the second check has its own key, and a repeat of the call uses that same key again."""
    # With a call id the key follows from the body, which is different now.
    if options.idempotency_key is None or options.call_id is not None:
        return options
    return replace(options, idempotency_key=key_from(options.idempotency_key, snapshot))


def snapshot_of(source: Source) -> Flow[Snapshot | None]:
    intent: object = source
    if callable(source):
        intent = yield Call(source)
    return None if isinstance(intent, CallFailed) else take_snapshot(intent)


def checked(question: Question) -> Flow[Decision]:
    """One check without a write."""
    try:
        snapshot = take_snapshot(question.source)
        if snapshot is None:
            return unusable().decision
        return (yield from check_one(question.settings, snapshot, question.options)).current()
    except Exception:
        return no_decision(CLIENT_FAULT).decision


def _stop(
    decision: Decision,
    review: Review | None = None,
    stopped: Stop | None = None,
    cause: Cause | None = None,
) -> Outcome[Any]:
    by_itself, resets_at = stop_of(decision)
    return Outcome(
        False,
        decision,
        review=None if review is None else review.summary,
        stopped=stopped or by_itself,
        cause=cause,
        resets_at=resets_at,
    )
