"""Ask before an agent writes. The write runs only on a valid allow; everything else stops it."""

from ._extras import MissingExtra
from ._version import __version__
from .aio import AsyncClient, AsyncGuard
from .client import Client, Guard
from .decisions import (
    Cause,
    CauseKind,
    Decision,
    NotWritten,
    Outcome,
    Redeemed,
    Requirements,
    Review,
    ReviewOptions,
    ReviewState,
    ReviewStop,
    ReviewSummary,
    Stop,
    Unanswered,
    WriteStopped,
)
from .evidence import sign_evidence
from .intents import EvidenceItem, FactsSource, Intent, IntentSource, WriteIntent, intent_digest
from .receipts import ReceiptRefusal, ReceiptVerdict, verify_receipt
from .strict_json import StrictJsonError

__all__ = [
    "AsyncClient",
    "AsyncGuard",
    "Cause",
    "CauseKind",
    "Client",
    "Decision",
    "EvidenceItem",
    "FactsSource",
    "Guard",
    "Intent",
    "IntentSource",
    "MissingExtra",
    "NotWritten",
    "Outcome",
    "ReceiptRefusal",
    "ReceiptVerdict",
    "Redeemed",
    "Requirements",
    "Review",
    "ReviewOptions",
    "ReviewState",
    "ReviewStop",
    "ReviewSummary",
    "Stop",
    "StrictJsonError",
    "Unanswered",
    "WriteIntent",
    "WriteStopped",
    "__version__",
    "intent_digest",
    "sign_evidence",
    "verify_receipt",
]
