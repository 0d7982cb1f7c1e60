"""Calls that are not checks."""

from __future__ import annotations

from typing import Any

from ._flow import Flow
from .decisions import Cause, Unanswered


def or_unanswered(flow: Flow[Any]) -> Flow[Any]:
    """An error inside the client also counts as no response."""
    try:
        return (yield from flow)
    except Exception:
        return Unanswered(Cause("client_fault", "the call failed inside the client"))
