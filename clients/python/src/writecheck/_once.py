"""Asks for an allow that only this run takes, under keys that every run of the same call derives alike."""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from dataclasses import dataclass, field, replace

from ._check import CheckOptions, check, is_call_id
from ._facts import informed
from ._flow import Flow
from ._judge import Verdict, instant, no_decision
from ._redeem import redeem
from ._settings import Settings
from .decisions import Cause, Decision, Redeemed, Unanswered, local_decision
from .intents import Snapshot

# The last of this many stored pauses for one call stands.
_KEYS_OF_A_CALL_MAX = 200
# Each means that an allow was given out under the key, and that this run did not get it. The last comes from a service
# without claims.
_TAKEN_CODES = ("already_redeemed", "idempotency_key_reused", "idempotency_key_expired")


@dataclass
class Run:
    """One call of a guard."""

    # Random for each call of a guard and the same over its retries; None for a write that is safe to repeat.
    claim: str | None = field(default_factory=lambda: secrets.token_hex(16))
    # How many keys of its call it has used.
    keys: int = 0


def start_run(once: object) -> Run:
    return Run(claim=None) if once is False else Run()


def ask_once(settings: Settings, asked: Snapshot, options: CheckOptions, run: Run) -> Flow[Verdict]:
    """INVARIANT: the next key of a call is used only if the service says that the one before holds a pause or a block.

    So whichever run asks first for an allow leaves it under a key that every other run comes to.
    """
    if not is_call_id(options.call_id):
        return no_decision(Cause("client_fault", "`call_id` must be text"))
    snapshot = yield from informed(settings, asked, options.facts)
    if isinstance(snapshot, Unanswered):
        return no_decision(snapshot.cause)
    since = time.monotonic()
    stored: Verdict | None = None
    while True:
        named = replace(options, call_id=None, idempotency_key=_key_of(options, snapshot.digest, run.keys))
        run.keys += 1
        (answer,) = yield from check(settings, [snapshot], named, since=since, claim=run.claim)
        verdict = _taken_or_not(answer)
        cause = verdict.decision.cause
        if _holds_no_allow(verdict, options) and run.keys < _KEYS_OF_A_CALL_MAX:
            stored = verdict
        elif cause is not None and cause.kind != "taken" and stored is not None:
            # The service has responded before: a later outage must not replace that.
            return stored
        else:
            return replace(verdict, repeated=stored is not None or verdict.replayed)


def _key_of(options: CheckOptions, digest: str, index: int) -> str | None:
    """None for a call without a name, whose key is random.

    INVARIANT: never made of evidence, because a call that is delivered again brings fresh evidence.
    """
    name = options.idempotency_key if options.call_id is None else options.call_id
    if name is None or (options.call_id is None and index == 0):
        return name
    text = json.dumps(["once", name, index, digest], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _holds_no_allow(verdict: Verdict, options: CheckOptions) -> bool:
    """A pause stored under the caller's own key stands; one stored for a call is decided again."""
    decision = verdict.decision
    if decision.cause is not None:
        return decision.cause.stored_decision is not None
    return options.call_id is not None and verdict.replayed and not decision.allowed


def _taken_or_not(verdict: Verdict) -> Verdict:
    cause = verdict.decision.cause
    if cause is None or cause.kind != "refused" or cause.code not in _TAKEN_CODES:
        return verdict
    return verdict if cause.stored_decision is not None else _taken(cause.decision_id, cause)


def take_allow(settings: Settings, run: Run, verdict: Verdict) -> Flow[Verdict]:
    """INVARIANT: an allow runs a write only if this run took it.

    What the service says about that is either exactly this run's claim, or nothing; then the service knows no claims,
    and the allow is redeemed before the write.
    """
    decision = verdict.decision
    if not decision.allowed:
        return verdict
    if "redemption" in decision.members:
        redemption = decision.members["redemption"]
        members = redemption if isinstance(redemption, dict) else {}
        claim = members.get("claim")
        if not isinstance(claim, str) or claim == "" or instant(members.get("redeemedAt")) is None:
            message = "the response is not a decision: its `redemption` does not say who redeemed it and when"
            return no_decision(Cause("invalid_answer", message, status=200))
        return verdict if claim == run.claim else _taken(decision.decision_id)
    if run.claim is None or verdict.current() is not decision:
        return verdict
    answer = yield from redeem(settings, decision.decision_id, decision.intent_digest, run.claim)
    if isinstance(answer, Redeemed):
        return verdict
    if answer.cause.code == "already_redeemed":
        return _taken(decision.decision_id, answer.cause)
    # Not an outage: the service has decided, and the redemption may have arrived.
    message = f"the allow was not redeemed: {answer.cause.message}"
    return no_decision(replace(answer.cause, kind="not_redeemed", message=message))


def _taken(decision_id: str | None, refusal: Cause | None = None) -> Verdict:
    message = "another run of this call has taken the allow"
    cause = Cause("taken", message) if refusal is None else replace(refusal, kind="taken", message=message)
    local: Decision = local_decision(cause)
    members = local.members if decision_id is None else {**local.members, "decision_id": decision_id}
    return Verdict(replace(local, members=members))
