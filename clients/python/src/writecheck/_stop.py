"""Reads from a decision what stopped a write, if the decision itself says it."""

from __future__ import annotations

from ._judge import instant
from .decisions import Decision, Stop

_LIMIT_CODES = ("limit_exceeded", "limit_unreadable")


def stop_of(decision: Decision) -> tuple[Stop | None, str | None]:
    """What it is and, for a limit, when it has room again."""
    if decision.cause is not None:
        return ("taken" if decision.cause.kind == "taken" else None), None
    if decision.reason_code == "frozen":
        return "frozen", None
    return ("limit", _resets_at(decision)) if decision.reason_code in _LIMIT_CODES else (None, None)


def _resets_at(decision: Decision) -> str | None:
    """The latest end of a limit that the write is beyond. An observing limit stops nothing."""
    limits = decision.members.get("limits")
    latest: tuple[float, str] | None = None
    for limit in limits if isinstance(limits, list) else []:
        if not isinstance(limit, dict) or limit.get("beyond") is not True or limit.get("observed") is True:
            continue
        text = limit.get("resetsAt")
        moment = instant(text)
        if moment is not None and isinstance(text, str) and (latest is None or moment > latest[0]):
            latest = (moment, text)
    return None if latest is None else latest[1]
