"""The signatures that need the package `cryptography`, imported when they are first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._signed_note import VerifyEd25519


class MissingExtra(ImportError):
    """An optional dependency is not installed."""


def verify_ed25519() -> VerifyEd25519:
    ed25519 = _module("asymmetric.ed25519", "receipts")

    def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
        """False for a bad signature and for a public key that is not a point."""
        try:
            ed25519.Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
        except Exception:
            return False
        return True

    return verify


def signing_modules() -> tuple[Any, Any, Any, Any]:
    names = ("asymmetric.ed25519", "asymmetric.ec", "asymmetric.utils", "hashes")
    first, second, third, fourth = (_module(name, "evidence") for name in names)
    return first, second, third, fourth


def _module(name: str, extra: str) -> Any:
    import importlib

    try:
        return importlib.import_module(f"cryptography.hazmat.primitives.{name}")
    except ImportError:
        raise MissingExtra(f"this needs `cryptography`: pip install writecheck[{extra}]") from None
