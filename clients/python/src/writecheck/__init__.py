"""Ask before an agent writes. The write runs only on a valid allow; everything else stops it."""

from ._version import __version__
from .aio import AsyncClient
from .client import Client
from .decisions import (
    Cause,
    CauseKind,
    Decision,
    Outcome,
    Redeemed,
    Requirements,
    Review,
    ReviewOptions,
    ReviewState,
    ReviewStop,
    ReviewSummary,
    Unanswered,
    WriteStopped,
)
from .guards import AsyncGuard, Guard
from .intents import EvidenceItem, Intent, IntentSource, WriteIntent, intent_digest
from .strict_json import StrictJsonError

__all__ = [
    "AsyncClient",
    "AsyncGuard",
    "Cause",
    "CauseKind",
    "Client",
    "Decision",
    "EvidenceItem",
    "Guard",
    "Intent",
    "IntentSource",
    "Outcome",
    "Redeemed",
    "Requirements",
    "Review",
    "ReviewOptions",
    "ReviewState",
    "ReviewStop",
    "ReviewSummary",
    "StrictJsonError",
    "Unanswered",
    "WriteIntent",
    "WriteStopped",
    "__version__",
    "intent_digest",
]
