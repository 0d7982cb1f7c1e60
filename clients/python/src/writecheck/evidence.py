"""Signs what an evidence source found as an evidence item that the service can verify.

Needs the extra `evidence` (`pip install writecheck[evidence]`).
"""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from typing import Any, Literal

from ._extras import signing_modules
from ._secret import Hidden
from .intents import EvidenceItem, Intent, canonical_json, intent_digest
from .strict_json import JsonValue, copy_json

_FACTS_BYTES_MAX = 16 * 1024
_FACTS_DEPTH_MAX = 16


def sign_evidence(
    *,
    key: Mapping[str, str] | Any,
    kid: str,
    source: str,
    workspace: str,
    control_id: str,
    result: Literal["PASS", "FAIL", "REVOKED"],
    intent: Intent,
    bind: Literal["intent", "object"] = "intent",
    checked_at: datetime | None = None,
    expires_at: datetime | None = None,
    facts: Mapping[str, Any] | None = None,
    jti: str | None = None,
) -> EvidenceItem:
    """An item for `controlEvidence`, good for this write and no other.

    `key` is the private key, Ed25519 or P-256, as a JWK or as an object of `cryptography`; `kid` names its public half
    in the EvidenceSource called `source`. `bind="object"` binds to system, objectType and objectRef instead. Without
    `expires_at` the service accepts it only for a control with a max age. `facts` is what the record says, for a control
    with `facts: true`. Raises ValueError if key, intent or facts cannot be used, and MissingExtra without `cryptography`.
    """
    hidden = Hidden(key)
    # No frame of a traceback may hold it.
    del key
    algorithm, sign = _signer(hidden)
    checked = _timestamp(checked_at or datetime.now(timezone.utc))
    claims: dict[str, Any] = {
        "aud": workspace,
        "jti": str(uuid.uuid4()) if jti is None else jti,
        "controlId": control_id,
        "result": result,
        "checkedAt": checked,
    }
    if expires_at is not None:
        claims["exp"] = int(_aware(expires_at).timestamp())
    claims.update(_object_of(intent) if bind == "object" else {"intentDigest": intent_digest(intent)})
    if facts is not None:
        claims["facts"] = _checked_facts(facts)
    header = {"alg": algorithm, "kid": kid, "typ": "writecheck-evidence+jws"}
    signed = f"{_encoded(header)}.{_encoded(claims)}"
    attestation = f"{signed}.{_base64url(sign(signed.encode('ascii')))}"
    return {
        "controlId": control_id,
        "source": source,
        "result": result,
        "checkedAt": checked,
        "attestation": attestation,
    }


def _signer(key: Hidden) -> tuple[str, Callable[[bytes], bytes]]:
    ed25519, ec, utils, hashes = signing_modules()
    private = _private_key(key, ed25519, ec) if isinstance(key.value, Mapping) else key.value
    if private is None:
        raise ValueError("`key` is not a private JWK of Ed25519 or P-256")
    if isinstance(private, ed25519.Ed25519PrivateKey):
        return "EdDSA", private.sign
    if isinstance(private, ec.EllipticCurvePrivateKey) and isinstance(private.curve, ec.SECP256R1):

        def sign(data: bytes) -> bytes:
            r, s = utils.decode_dss_signature(private.sign(data, ec.ECDSA(hashes.SHA256())))
            # JWS has the two numbers side by side, not in DER.
            return bytes(r.to_bytes(32, "big") + s.to_bytes(32, "big"))

        return "ES256", sign
    raise ValueError("this key cannot sign evidence: use Ed25519 or ECDSA P-256")


def _private_key(key: Hidden, ed25519: Any, ec: Any) -> Any:
    """None if the key is invalid or of another kind; not raised here, because this frame holds the secret."""
    jwk = key.value
    try:
        secret = base64.urlsafe_b64decode(jwk["d"] + "==")
        if jwk.get("crv") == "Ed25519":
            return ed25519.Ed25519PrivateKey.from_private_bytes(secret)
        if jwk.get("crv") == "P-256":
            return ec.derive_private_key(int.from_bytes(secret, "big"), ec.SECP256R1())
    except Exception:
        return None
    return None


def _object_of(intent: Intent) -> dict[str, str]:
    # INVARIANT: all three or nothing, because a missing one would make the evidence valid for more than was checked.
    named = {name: intent.get(name) for name in ("system", "objectType", "objectRef")}
    found = {name: value for name, value in named.items() if isinstance(value, str)}
    if len(found) != len(named):
        raise ValueError('`bind="object"` needs system, objectType and objectRef')
    return found


def _checked_facts(facts: object) -> JsonValue:
    """Refused here, because the service would treat the signed item as untrusted without telling the signer."""
    checked = copy_json(facts)
    if not isinstance(checked, dict):
        raise ValueError("`facts` must be a JSON object")
    if len(canonical_json(checked).encode("utf-8")) > _FACTS_BYTES_MAX:
        raise ValueError(f"`facts` must have at most {_FACTS_BYTES_MAX} bytes")
    if _depth(checked) > _FACTS_DEPTH_MAX:
        raise ValueError(f"`facts` must be at most {_FACTS_DEPTH_MAX} deep")
    return checked


def _depth(value: JsonValue) -> int:
    """Nested containers, including the outermost."""
    if not isinstance(value, (dict, list)):
        return 0
    members = value.values() if isinstance(value, dict) else value
    return 1 + max(map(_depth, members), default=0)


def _timestamp(moment: datetime) -> str:
    utc = _aware(moment).astimezone(timezone.utc)
    return utc.strftime("%Y-%m-%dT%H:%M:%S.") + f"{utc.microsecond // 1000:03d}Z"


def _aware(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("a time needs a time zone")
    return moment


def _encoded(value: Mapping[str, Any]) -> str:
    return _base64url(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8"))


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")
