"""The requirements of a write."""

from __future__ import annotations

from typing import Any

from ._ask import call
from ._exchange import Request
from ._flow import Flow
from ._settings import Settings
from .decisions import Cause, Requirements, Unanswered
from .intents import take_snapshot

JSON = {"Content-Type": "application/json"}


def requirements(settings: Settings, intent: object) -> Flow[Requirements | Unanswered]:
    snapshot = take_snapshot(intent)
    if snapshot is None:
        return Unanswered(Cause("invalid_intent", "the intent cannot be written as a JSON object"))
    request = Request("POST", "/v1/requirements", JSON, snapshot.body, expects="a list of requirements")
    called: Any = yield from call(settings, request)
    if isinstance(called, Unanswered):
        return called
    members: dict[str, Any] = called if isinstance(called, dict) else {}
    needs, remediation = members.get("requirements"), members.get("remediation")
    authority, evaluated = members.get("authority"), members.get("evaluated")
    # A service without facts needs none.
    facts = members.get("facts", [])
    are_lists = isinstance(needs, list) and isinstance(remediation, list) and _are_needed(facts)
    if not (are_lists and isinstance(authority, dict) and isinstance(evaluated, dict)):
        message = "the response is not a list of requirements: it lacks members"
        return Unanswered(Cause("invalid_answer", message))
    return Requirements(needs or [], authority, evaluated, remediation or [], facts)


def _are_needed(facts: object) -> bool:
    return isinstance(facts, list) and all(
        isinstance(one, dict) and isinstance(one.get("controlId"), str) for one in facts
    )
