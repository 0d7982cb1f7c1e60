"""Write intents: their types, their RFC 8785 form, and the digest that names a write."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, Union

from .strict_json import JsonValue, StrictJsonError, copy_json


class EvidenceItem(TypedDict, total=False):
    """`controlId`, `source` and `result` are required."""

    controlId: str
    source: str
    result: str
    checkedAt: str
    expiresAt: str
    evidenceRef: str
    attestation: str


class WriteIntent(TypedDict, total=False):
    """A write, with its names on the wire; `system` and the written value are required."""

    schemaVersion: str
    system: str
    objectType: str
    objectRef: str
    field: str
    agentValue: str
    authorityValue: str
    authoritySource: str
    authorityFound: bool
    operation: str
    workflowId: str
    runId: str
    requiredControls: list[str]
    controlEvidence: list[EvidenceItem]
    metadata: dict[str, Any]


Intent = Union[WriteIntent, Mapping[str, Any]]
# An intent, or a function that makes one. The function is called again before a second check.
IntentSource = Union[Intent, Callable[[], Intent]]
AsyncIntentSource = Union[IntentSource, Callable[[], Awaitable[Intent]]]
# A decorator calls it with the arguments of the function.
IntentOfCall = Callable[..., Intent]
AsyncIntentOfCall = Union[IntentOfCall, Callable[..., Awaitable[Intent]]]

# The source of signed facts: a function of the needed controls and the intent, or a reader's `url` and `token`.
FactsSource = Union[
    Callable[[list[dict[str, Any]], dict[str, Any]], Sequence[EvidenceItem]], Mapping[str, str]
]
AsyncFactsSource = Union[
    FactsSource, Callable[[list[dict[str, Any]], dict[str, Any]], Awaitable[Sequence[EvidenceItem]]]
]

# Frozen in v1, in canonical order.
DIGEST_MEMBERS = (
    "agentValue",
    "authorityFound",
    "authoritySource",
    "authorityValue",
    "field",
    "metadata",
    "objectRef",
    "objectType",
    "operation",
    "system",
    "workflowId",
)


@dataclass(frozen=True)
class Snapshot:
    """An intent as it was at the moment of the call: what is sent and what is digested are the same."""

    members: dict[str, JsonValue]
    body: bytes
    digest: str


def take_snapshot(intent: object) -> Snapshot | None:
    """None if the intent cannot be written as a strict JSON object."""
    try:
        # INVARIANT: the intent is read once. Later changes affect neither the body nor the digest.
        members = copy_json(intent)
    except (StrictJsonError, RecursionError):
        return None
    if not isinstance(members, dict):
        return None
    body = json.dumps(members, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Snapshot(members, body.encode("utf-8"), _digest(members))


def intent_digest(intent: Intent) -> str:
    """The digest the service puts into its decision; raises StrictJsonError for an intent it would refuse."""
    members = copy_json(intent)
    if not isinstance(members, dict):
        raise StrictJsonError("the intent is not an object")
    return _digest(members)


def canonical_intent(members: Mapping[str, JsonValue]) -> str:
    """The RFC 8785 form of the members that the digest covers; null counts as omitted."""
    parts = (
        f'"{name}":{canonical_json(members[name])}'
        for name in DIGEST_MEMBERS
        if members.get(name) is not None
    )
    return "{" + ",".join(parts) + "}"


def canonical_json(value: JsonValue) -> str:
    """RFC 8785: one text for one value."""
    if isinstance(value, str):
        return _TEXT.encode(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _canonical_number(value)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical_json, value)) + "]"
    members = (
        f"{_TEXT.encode(name)}:{canonical_json(value[name])}" for name in sorted(value, key=_code_units)
    )
    return "{" + ",".join(members) + "}"


# Escapes exactly what RFC 8785 does: quotes, backslashes and control characters, in lower case.
_TEXT = json.JSONEncoder(ensure_ascii=False)


def _digest(members: Mapping[str, JsonValue]) -> str:
    return "sha256:" + hashlib.sha256(canonical_intent(members).encode("utf-8")).hexdigest()


def _code_units(name: str) -> bytes:
    """RFC 8785 sorts names by UTF-16 code units, Python by code points."""
    return name.encode("utf-16-be")


def _canonical_number(value: float) -> str:
    """A double as ECMAScript writes it: the same shortest digits as `repr`, in another notation."""
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    written = whole + fraction
    significant = written.lstrip("0")
    # The value is 0.DIGITS times ten to the power of `point`.
    point = len(whole) + int(exponent or 0) - (len(written) - len(significant))
    digits = significant.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    first, rest = digits[0], digits[1:]
    return f"{sign}{first}{'.' + rest if rest else ''}e{point - 1:+d}"
