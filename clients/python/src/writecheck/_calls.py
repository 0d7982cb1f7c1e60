"""Many checks in one request."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._check import CheckOptions, check
from ._facts import informed
from ._flow import Flow
from ._guard import CLIENT_FAULT
from ._judge import no_decision, unusable
from ._settings import Settings
from .decisions import Cause, Decision, Unanswered, local_decision
from .intents import Snapshot, take_snapshot


def check_many(settings: Settings, intents: Iterable[object], options: CheckOptions) -> Flow[list[Decision]]:
    snapshots = [_snapshot_or_none(intent) for intent in intents]
    try:
        asked: list[Snapshot | Unanswered | None] = []
        for snapshot in snapshots:
            if snapshot is None:
                asked.append(None)
            else:
                asked.append((yield from informed(settings, snapshot, options.facts)))
        usable = [snapshot for snapshot in asked if isinstance(snapshot, Snapshot)]
        verdicts = iter((yield from check(settings, usable, options, batch=True)) if usable else [])
        decisions = []
        for snapshot_or_cause in asked:
            if snapshot_or_cause is None:
                decisions.append(unusable().decision)
            elif isinstance(snapshot_or_cause, Unanswered):
                decisions.append(no_decision(snapshot_or_cause.cause).decision)
            else:
                decisions.append(next(verdicts).current())
        return decisions
    except Exception:
        return [local_decision(CLIENT_FAULT) for _ in snapshots]


def _snapshot_or_none(intent: object) -> Snapshot | None:
    """An intent whose own methods raise must not affect the others of its batch."""
    try:
        return take_snapshot(intent)
    except Exception:
        return None


def or_unanswered(flow: Flow[Any]) -> Flow[Any]:
    """Makes calls that are not checks: an error inside the client also counts as no response."""
    try:
        return (yield from flow)
    except Exception:
        return Unanswered(Cause("client_fault", "the call failed inside the client"))
