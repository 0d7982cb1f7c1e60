"""What a write would need, and many checks in one request."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._ask import call
from ._check import CheckOptions, check
from ._exchange import Request
from ._flow import Flow
from ._guard import CLIENT_FAULT
from ._judge import unusable
from ._settings import Settings
from .decisions import Cause, Decision, Requirements, Unanswered, local_decision
from .intents import Snapshot, take_snapshot

_JSON = {"Content-Type": "application/json"}


def check_many(settings: Settings, intents: Iterable[object], options: CheckOptions) -> Flow[list[Decision]]:
    snapshots = [_snapshot_or_none(intent) for intent in intents]
    try:
        usable = [snapshot for snapshot in snapshots if snapshot is not None]
        verdicts = iter((yield from check(settings, usable, options, batch=True)) if usable else [])
        return [
            unusable().decision if snapshot is None else next(verdicts).current() for snapshot in snapshots
        ]
    except Exception:
        return [local_decision(CLIENT_FAULT) for _ in snapshots]


def _snapshot_or_none(intent: object) -> Snapshot | None:
    """An intent whose own methods raise must not take the others of its batch with it."""
    try:
        return take_snapshot(intent)
    except Exception:
        return None


def requirements(settings: Settings, intent: object) -> Flow[Requirements | Unanswered]:
    snapshot = take_snapshot(intent)
    if snapshot is None:
        return Unanswered(Cause("invalid_intent", "the intent cannot be written as a JSON object"))
    request = Request("POST", "/v1/requirements", _JSON, snapshot.body, expects="a list of requirements")
    called: Any = yield from call(settings, request)
    if isinstance(called, Unanswered):
        return called
    members: dict[str, Any] = called if isinstance(called, dict) else {}
    needs, remediation = members.get("requirements"), members.get("remediation")
    authority, evaluated = members.get("authority"), members.get("evaluated")
    are_lists = isinstance(needs, list) and isinstance(remediation, list)
    if not (are_lists and isinstance(authority, dict) and isinstance(evaluated, dict)):
        message = "the response is not a list of requirements: it lacks members"
        return Unanswered(Cause("invalid_answer", message))
    return Requirements(needs or [], authority, evaluated, remediation or [])


def or_unanswered(flow: Flow[Any]) -> Flow[Any]:
    """For calls that are not checks: any error inside the client is one more reason for no answer."""
    try:
        return (yield from flow)
    except Exception:
        return Unanswered(Cause("client_fault", "the call failed inside the client"))
