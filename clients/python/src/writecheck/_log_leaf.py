"""The leaf of a decision in the log, and the proof that the log has it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ._judge import instant
from ._signed_note import is_log_name

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_LOG_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
_WORDS = ("allow", "pause", "block")
_TEXTS = ("decision_id", "audit_id", "workspace", "keyId", "reason_code")
_MEMBERS = {
    *_TEXTS,
    *("log", "keyKind", "timestamp", "decision", "evaluatedDecision"),
    *("intentDigest", "policyRef", "validUntil", "recordDigest"),
}


def is_leaf(leaf: Mapping[str, Any]) -> bool:
    return (
        set(leaf) == _MEMBERS
        and all(isinstance(leaf[name], str) and leaf[name] != "" for name in _TEXTS)
        and is_log_name(leaf["log"])
        and leaf["keyKind"] in ("development", "live")
        and leaf["decision"] in _WORDS
        and leaf["evaluatedDecision"] in _WORDS
        and _is_digest(leaf["intentDigest"])
        and _is_digest(leaf["recordDigest"])
        and (leaf["policyRef"] is None or _is_digest(leaf["policyRef"]))
        and log_time(leaf["timestamp"]) is not None
        and (leaf["validUntil"] is None or log_time(leaf["validUntil"]) is not None)
    )


def is_included(leaf: bytes, index: int, tree_size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """RFC 9162, section 2.1.3.2."""
    if index >= tree_size:
        return False
    node, last = index, tree_size - 1
    computed = hashlib.sha256(b"\x00" + leaf).digest()
    for sibling in proof:
        if last == 0:
            return False
        if node % 2 == 1 or node == last:
            computed = hashlib.sha256(b"\x01" + sibling + computed).digest()
            # Levels without a sibling, at the right edge, are skipped.
            while node % 2 == 0 and node != 0:
                node, last = node // 2, last // 2
        else:
            computed = hashlib.sha256(b"\x01" + computed + sibling).digest()
        node, last = node // 2, last // 2
    return last == 0 and computed == root


def log_time(text: object) -> float | None:
    """The one format of time in the log: UTC with milliseconds."""
    return instant(text) if isinstance(text, str) and _LOG_TIME.fullmatch(text) else None


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None
