"""Tells the side that executes a write whether a receipt proves that exactly this write was allowed, and still is.

Needs the extra `receipts` (`pip install writecheck[receipts]`), because Python has no Ed25519 of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from ._extras import verify_ed25519
from ._log_leaf import is_included, is_leaf, log_time
from ._signed_note import (
    NoteRefused,
    VerifierKey,
    decode_base64,
    open_checkpoint,
    parse_verifier_keys,
)
from .intents import Intent, canonical_json, intent_digest
from .strict_json import INTEGER_MAX, StrictJsonError, parse_json

ReceiptRefusal = Literal[
    "malformed_checkpoint",
    "unknown_signer",
    "bad_signature",
    "invalid_argument",
    "malformed_receipt",
    "malformed_intent",
    "forged_proof",
    "log_mismatch",
    "not_a_decision",
    "other_workspace",
    "intent_mismatch",
    "not_allowed",
    "observed_allow",
    "development_key",
    "not_yet_valid",
    "expired",
]

_VERSION = "writecheck.receipt.v1"
# How far the deciding clock may be ahead of ours before one of them must be wrong.
_CLOCK_TOLERANCE_SECONDS = 60


@dataclass(frozen=True)
class ReceiptVerdict:
    """It is true exactly if the receipt proves the write. Otherwise `reason` and `message` say why not."""

    ok: bool
    reason: ReceiptRefusal | None = None
    message: str = ""
    # The decision as the log has it.
    leaf: Mapping[str, Any] | None = None
    signers: tuple[VerifierKey, ...] = ()

    def __bool__(self) -> bool:
        return self.ok


def verify_receipt(
    receipt: object,
    *,
    intent: Intent,
    keys: Sequence[str] | str,
    workspace: str,
    now: float | datetime,
    accept_observed: bool = False,
    accept_development: bool = False,
) -> ReceiptVerdict:
    """Offline; every refusal has its own reason, and any doubt is a refusal.

    `intent` is the write about to be executed, made from what will be written and not from what the agent claims.
    `keys` are verifier key lines, obtained in advance and never from the receipt's bearer. `now` is epoch seconds or
    a datetime with a time zone. Raises MissingExtra if `cryptography` is not installed.
    """
    known = parse_verifier_keys(keys)
    if known is None:
        return _refuse("invalid_argument", "`keys` must be verifier key lines, at least one")
    at = _seconds_of(now)
    if at is None:
        return _refuse("invalid_argument", "`now` must be epoch seconds or a datetime with a time zone")
    if not isinstance(workspace, str) or workspace == "":
        return _refuse("invalid_argument", "`workspace` must name the workspace whose decisions count")
    parts = _parse_receipt(receipt)
    if parts is None:
        return _refuse("malformed_receipt", f"not a receipt of version {_VERSION}")
    try:
        digest = intent_digest(intent)
    except StrictJsonError as error:
        return _refuse("malformed_intent", str(error))
    authentic = _authenticate(parts, known)
    if isinstance(authentic, ReceiptVerdict):
        return authentic
    leaf, signers = authentic
    refusal = _judge(leaf, digest, workspace, at, accept_observed, accept_development)
    # Not `or`: a refusal is false.
    return ReceiptVerdict(True, leaf=leaf, signers=signers) if refusal is None else refusal


@dataclass(frozen=True)
class _Parts:
    leaf: bytes
    index: int
    tree_size: int
    proof: list[bytes]
    checkpoint: str


def _parse_receipt(receipt: object) -> _Parts | None:
    """None if it is not a receipt of this version. Members that later versions may add are skipped."""
    if not isinstance(receipt, Mapping) or receipt.get("version") != _VERSION:
        return None
    leaf, checkpoint, hashes = (
        decode_base64(receipt.get("leaf")),
        receipt.get("checkpoint"),
        receipt.get("proof"),
    )
    index, tree_size = receipt.get("index"), receipt.get("treeSize")
    if leaf is None or not isinstance(checkpoint, str) or not isinstance(hashes, list):
        return None
    if not _is_count(index) or not _is_count(tree_size):
        return None
    proof = [decode_base64(item) for item in hashes]
    whole = [item for item in proof if item is not None and len(item) == 32]
    if len(whole) != len(hashes):
        return None
    return _Parts(leaf, int(index), int(tree_size), whole, checkpoint)  # type: ignore[arg-type]


def _authenticate(
    parts: _Parts, keys: list[VerifierKey]
) -> tuple[Mapping[str, Any], tuple[VerifierKey, ...]] | ReceiptVerdict:
    """Authenticates the leaf: it is in a log whose checkpoint a known key signed."""
    opened = open_checkpoint(parts.checkpoint, keys, verify_ed25519())
    if isinstance(opened, NoteRefused):
        return ReceiptVerdict(False, opened.reason, opened.message)  # type: ignore[arg-type]
    if opened.size != parts.tree_size:
        message = f"the proof is for {parts.tree_size} entries, the checkpoint has {opened.size}"
        return _refuse("forged_proof", message)
    if not is_included(parts.leaf, parts.index, parts.tree_size, parts.proof, opened.root):
        message = f"the proof does not lead from entry {parts.index} to the checkpoint's root"
        return _refuse("forged_proof", message)
    try:
        leaf = parse_json(parts.leaf)
    except StrictJsonError:
        leaf = None
    # The bytes must be the one spelling of the entry, so that every reader reads the same.
    if not isinstance(leaf, dict) or canonical_json(leaf).encode("utf-8") != parts.leaf:
        return _refuse("malformed_receipt", "the leaf is not an entry in its exact form")
    if "kind" in leaf:
        return _refuse("not_a_decision", f"the entry proven is a {str(leaf['kind'])[:64]} and not a decision")
    if not is_leaf(leaf):
        return _refuse("malformed_receipt", "the leaf is not an entry in its exact form")
    if leaf["log"] != opened.log:
        return _refuse("log_mismatch", "the leaf and the checkpoint name different logs")
    return leaf, opened.signers


def _judge(
    leaf: Mapping[str, Any],
    digest: str,
    workspace: str,
    now: float,
    accept_observed: bool,
    accept_development: bool,
) -> ReceiptVerdict | None:
    """Judges its content: this write, here, allowed, and still valid. None if all of it holds."""
    if leaf["workspace"] != workspace:
        return _refuse("other_workspace", "the decision was made in another workspace")
    if leaf["intentDigest"] != digest:
        return _refuse("intent_mismatch", "the write differs from the one that was decided on")
    if leaf["decision"] != "allow":
        return _refuse("not_allowed", f"the decision is {leaf['decision']}, not allow")
    if leaf["evaluatedDecision"] != "allow" and accept_observed is not True:
        enforced = leaf["evaluatedDecision"]
        return _refuse(
            "observed_allow", f"allowed only in observe mode: if enforced, it would be {enforced}"
        )
    if leaf["keyKind"] != "live" and accept_development is not True:
        return _refuse("development_key", "the decision was made with a development key")
    decided_at, valid_until = log_time(leaf["timestamp"]), log_time(leaf["validUntil"])
    if decided_at is None or decided_at > now + _CLOCK_TOLERANCE_SECONDS:
        return _refuse("not_yet_valid", f"decided at {leaf['timestamp']}, which is in the future")
    if valid_until is None or not now < valid_until:
        return _refuse("expired", f"valid until {leaf['validUntil'] or 'no time at all'}")
    return None


def _refuse(reason: ReceiptRefusal, message: str) -> ReceiptVerdict:
    return ReceiptVerdict(False, reason, message)


def _seconds_of(now: object) -> float | None:
    if isinstance(now, datetime):
        return None if now.tzinfo is None else now.timestamp()
    if isinstance(now, bool) or not isinstance(now, (int, float)):
        return None
    # NaN and infinity compare with nothing.
    return float(now) if abs(now) < 1e12 else None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= INTEGER_MAX
