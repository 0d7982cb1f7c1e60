"""The results of calls: decisions, outcomes, reviews, and why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar, Union

from .strict_json import JsonValue

T = TypeVar("T")

DecisionWord = Literal["allow", "pause", "block"]
ReviewState = Literal["open", "approved", "rejected", "expired", "cancelled"]
ReviewStop = Literal["rejected", "expired", "cancelled", "out_of_time", "changed_since_approval"]
# A review, another run that took the allow, a freeze, or a limit.
Stop = Union[ReviewStop, Literal["taken", "frozen", "limit"]]
# The first three are outages; only they let an unprotected write run.
CauseKind = Literal[
    "timeout",
    "connection_failed",
    "service_failed",
    "refused",
    "redirect",
    "invalid_answer",
    "expired",
    "not_approved",
    "not_redeemed",
    "taken",
    "invalid_intent",
    "facts",
    "client_fault",
]

WRITE_INTENT_VERSION = "write_intent.v1"


@dataclass(frozen=True)
class Cause:
    """Why there is no valid decision."""

    kind: CauseKind
    message: str
    # The HTTP status, if there was a response.
    status: int | None = None
    # The service's error code, for example `invalid_key`.
    code: str | None = None
    request_id: str | None = None
    # The decision that the service names in its refusal.
    decision_id: str | None = None

    @property
    def is_outage(self) -> bool:
        """The service could not be reached at all, as opposed to a response that is not an allow."""
        return self.kind in ("timeout", "connection_failed", "service_failed")

    def to_dict(self) -> dict[str, JsonValue]:
        named = {"status": self.status, "code": self.code, "requestId": self.request_id}
        given = {name: value for name, value in named.items() if value is not None}
        return {"kind": self.kind, "message": self.message, **given}


@dataclass(frozen=True)
class Decision:
    """A decision of the service or, with a `cause`, the local block used when there is none.

    It is true exactly if it is an allow, so `if decision:` does not write on a pause.
    """

    decision: DecisionWord
    reason: str
    reason_code: str
    # Every member as the service sent it; of a local block, what the service's would be.
    members: Mapping[str, Any] = field(repr=False)
    cause: Cause | None = None

    @property
    def allowed(self) -> bool:
        return self.decision == "allow"

    def __bool__(self) -> bool:
        return self.allowed

    @property
    def origin(self) -> Literal["service", "client"]:
        return "service" if self.cause is None else "client"

    @property
    def decision_id(self) -> str | None:
        return self._text("decision_id")

    @property
    def intent_digest(self) -> str | None:
        return self._text("intentDigest")

    @property
    def policy_ref(self) -> str | None:
        """The digest of the policy bundle that decided."""
        provenance = self.members.get("profileProvenance")
        found = provenance.get("policyRef") if isinstance(provenance, dict) else None
        return found if isinstance(found, str) else None

    @property
    def review_controls(self) -> tuple[str, ...]:
        """The controls to approve, on a pause that a person could resolve."""
        offered = self.members.get("review")
        controls = offered.get("controls") if isinstance(offered, dict) else None
        if not isinstance(controls, list) or not all(isinstance(name, str) for name in controls):
            return ()
        return tuple(controls)

    @property
    def remediation(self) -> tuple[Mapping[str, Any], ...]:
        """What would satisfy the gates that stopped it."""
        needs = self.members.get("remediation")
        return tuple(need for need in needs if isinstance(need, dict)) if isinstance(needs, list) else ()

    def _text(self, name: str) -> str | None:
        value = self.members.get(name)
        return value if isinstance(value, str) else None


def local_decision(cause: Cause) -> Decision:
    """The block used when the service gave no valid decision."""
    reason = f"no valid decision, so the write must not run: {cause.message}"
    members: dict[str, JsonValue] = {
        "decision": "block",
        "allowed": False,
        "reason": reason,
        "reason_code": "no_valid_decision",
        "schemaVersion": WRITE_INTENT_VERSION,
        "origin": "client",
        "cause": cause.to_dict(),
    }
    return Decision("block", reason, "no_valid_decision", members, cause)


@dataclass(frozen=True)
class ReviewSummary:
    id: str
    # Where a person finds it.
    url: str
    state: ReviewState


@dataclass(frozen=True)
class Review:
    """A review as a checking key sees it."""

    id: str
    url: str
    state: ReviewState
    # The write it is about, and nothing else.
    intent_digest: str
    controls: tuple[str, ...]
    # Why an approval no longer counts, or why the review was cancelled.
    because: str | None
    members: Mapping[str, Any] = field(repr=False)

    @property
    def summary(self) -> ReviewSummary:
        return ReviewSummary(self.id, self.url, self.state)


@dataclass(frozen=True)
class ReviewOptions:
    """Asks the reviewers on a pause. The texts are the caller's own words, and shown as such."""

    # 0 opens the review, and the write runs only if the review is already approved.
    wait_seconds: float
    justification: str | None = None
    # The person who gave the agent its task, for example by e-mail address.
    on_behalf_of: str | None = None
    # An http or https address of a ticket or a page.
    external_ref: str | None = None


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """The outcome of a guarded write. It is true exactly if the write ran."""

    executed: bool
    decision: Decision
    result: T | None = None
    # The write ran without a decision, because the caller said so and the service was away.
    unprotected: bool = False
    review: ReviewSummary | None = None
    # Set if a review, another run, a freeze or a limit stopped the write.
    stopped: Stop | None = None
    # Set if there was no valid response about the review.
    cause: Cause | None = None
    # Set with `limit`: when the last of the used-up limits has room again; None if unknown.
    resets_at: str | None = None

    def __bool__(self) -> bool:
        return self.executed


class NotWritten(Exception):
    """Raise it from a write only if nothing was written: then its outcome is `failed` instead of `unknown`."""

    # What counts, so that an exception of another class can say the same.
    writecheckNotWritten = True


class WriteStopped(Exception):
    """Raised by a guard that is a context manager or a decorator: the write did not run."""

    def __init__(self, outcome: Outcome[Any]) -> None:
        decision = outcome.decision
        super().__init__(f"not written, {decision.decision} ({decision.reason_code}): {decision.reason}")
        self.outcome = outcome

    @property
    def decision(self) -> Decision:
        return self.outcome.decision


@dataclass(frozen=True)
class Unanswered:
    """There was no valid response. It is false, and every response is true."""

    cause: Cause

    def __bool__(self) -> bool:
        return False


@dataclass(frozen=True)
class Requirements:
    """What a write would need. It permits nothing; the members are as the service sent them."""

    requirements: list[dict[str, Any]]
    authority: dict[str, Any]
    evaluated: dict[str, Any]
    remediation: list[dict[str, Any]]
    # The controls whose facts a condition or limit may read.
    facts: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Redeemed:
    redeemed_at: str
