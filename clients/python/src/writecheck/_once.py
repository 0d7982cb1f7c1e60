"""Asks for an allow that only this run takes, under the key that every run of the same call derives alike."""

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

# Each means that an allow was given out under the key, and that this run did not get it. The last comes from a service
# without claims.
_TAKEN_CODES = ("already_redeemed", "idempotency_key_reused", "idempotency_key_expired")


@dataclass
class Run:
    """One call of a guard."""

    # Random for each call of a guard and the same over its retries; None for a write that is safe to repeat.
    claim: str | None = field(default_factory=lambda: secrets.token_hex(16))


def start_run(once: object) -> Run:
    return Run(claim=None) if once is False else Run()


def ask_once(settings: Settings, asked: Snapshot, options: CheckOptions, run: Run) -> Flow[Verdict]:
    """INVARIANT: every run of a call asks under one key.

    A pause or a block leaves it free; the first run that gets an allow has it, and every other run finds that allow.
    """
    if not is_call_id(options.call_id):
        return no_decision(Cause("client_fault", "`call_id` must be valid text"))
    snapshot = yield from informed(settings, asked, options.facts)
    if isinstance(snapshot, Unanswered):
        return no_decision(snapshot.cause)
    since = time.monotonic()
    named = replace(options, call_id=None, idempotency_key=_key_of(options, snapshot.digest))
    verdict = yield from check(settings, snapshot, named, since=since, claim=run.claim)
    return _taken_or_not(verdict)


def _key_of(options: CheckOptions, digest: str) -> str | None:
    """None for a call without a name, whose key is random.

    INVARIANT: never made of evidence, because a call that is delivered again brings fresh evidence.
    """
    if options.call_id is None:
        return options.idempotency_key
    text = json.dumps(["once", options.call_id, digest], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _taken_or_not(verdict: Verdict) -> Verdict:
    cause = verdict.decision.cause
    if cause is None or cause.kind != "refused" or cause.code not in _TAKEN_CODES:
        return verdict
    return _taken(cause.decision_id, cause)


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
