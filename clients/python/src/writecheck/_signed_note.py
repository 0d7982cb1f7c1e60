"""Signed notes and checkpoints (C2SP): who vouches for the root of a log."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_ED25519_TYPE = b"\x01"
_NOTE_CHARACTERS_MAX = 65_536
_SIGNATURES_MAX = 100
_KEY_LINE = re.compile(r"([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})")
_LOG_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_SIZE = re.compile(r"0|[1-9][0-9]{0,15}")

# Public key, message, signature.
VerifyEd25519 = Callable[[bytes, bytes, bytes], bool]


@dataclass(frozen=True)
class VerifierKey:
    name: str
    # Eight hex digits; together with the name it says which key a signature claims.
    id: str
    public_key: bytes


@dataclass(frozen=True)
class Checkpoint:
    log: str
    size: int
    root: bytes
    signers: tuple[VerifierKey, ...]


@dataclass(frozen=True)
class NoteRefused:
    reason: str
    message: str


def decode_base64(text: object) -> bytes | None:
    """None for anything an encoder would not have written."""
    if not isinstance(text, str):
        return None
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        return None
    return data if base64.b64encode(data).decode("ascii") == text else None


def is_log_name(value: object) -> bool:
    return isinstance(value, str) and _LOG_NAME.fullmatch(value) is not None


def parse_verifier_keys(lines: Sequence[str] | str) -> list[VerifierKey] | None:
    """The keys of a list of lines, or of a text as `GET /v1/audit/key` serves it; None if one is not a key."""
    listed = [line for line in lines.split("\n") if line] if isinstance(lines, str) else list(lines)
    keys = [_parse_verifier_key(line) for line in listed]
    known = [key for key in keys if key is not None]
    return known if known and len(known) == len(keys) else None


def _parse_verifier_key(line: object) -> VerifierKey | None:
    found = _KEY_LINE.fullmatch(line) if isinstance(line, str) else None
    if found is None or not _is_key_name(found[1]):
        return None
    typed = decode_base64(found[3])
    if typed is None or len(typed) != 33 or typed[:1] != _ED25519_TYPE:
        return None
    key_id = hashlib.sha256(found[1].encode("utf-8") + b"\n" + typed).digest()[:4].hex()
    return VerifierKey(found[1], key_id, typed[1:]) if key_id == found[2] else None


def open_checkpoint(
    note: str, keys: Sequence[VerifierKey], verify: VerifyEd25519
) -> Checkpoint | NoteRefused:
    """The only way from a received note to a trusted checkpoint.

    Signatures by unknown keys are skipped, as the format requires; one that claims a known key and does not verify
    invalidates the whole note.
    """
    parsed = _parse_note(note)
    if parsed is None:
        return NoteRefused("malformed_checkpoint", "the checkpoint is not a signed note")
    text, signatures = parsed
    signers: list[VerifierKey] = []
    for name, key_id, signature in signatures:
        claimed = [key for key in keys if key.name == name and key.id == key_id]
        if not claimed:
            continue
        signer = next(
            (key for key in claimed if verify(key.public_key, text.encode("utf-8"), signature)), None
        )
        if signer is None:
            return NoteRefused("bad_signature", "the signature of the checkpoint does not match its text")
        if signer not in signers:
            signers.append(signer)
    if not signers:
        return NoteRefused("unknown_signer", "the checkpoint is signed by none of the given keys")
    return _parse_checkpoint(text, tuple(signers))


def _parse_checkpoint(text: str, signers: tuple[VerifierKey, ...]) -> Checkpoint | NoteRefused:
    lines = text[:-1].split("\n")
    refused = NoteRefused("malformed_checkpoint", "the signed text is not a checkpoint of a writecheck log")
    if len(lines) < 3 or "" in lines or _SIZE.fullmatch(lines[1]) is None:
        return refused
    kind, _, log = lines[0].partition("/")
    root = decode_base64(lines[2])
    if kind != "writecheck" or not is_log_name(log) or root is None or len(root) != 32:
        return refused
    return Checkpoint(log, int(lines[1]), root, signers)


def _parse_note(note: str) -> tuple[str, list[tuple[str, str, bytes]]] | None:
    if len(note) > _NOTE_CHARACTERS_MAX or any(character < " " and character != "\n" for character in note):
        return None
    try:
        note.encode("utf-8")
    except UnicodeEncodeError:
        return None
    blank = note.rfind("\n\n")
    if blank < 0 or not note.endswith("\n"):
        return None
    lines = note[blank + 2 : -1].split("\n")
    if len(lines) > _SIGNATURES_MAX:
        return None
    signatures = [_parse_signature(line) for line in lines]
    known = [signature for signature in signatures if signature is not None]
    return (note[: blank + 1], known) if len(known) == len(signatures) else None


def _parse_signature(line: str) -> tuple[str, str, bytes] | None:
    parts = line.split(" ")
    if len(parts) != 3 or parts[0] != "\u2014" or not _is_key_name(parts[1]):
        return None
    data = decode_base64(parts[2])
    return None if data is None or len(data) <= 4 else (parts[1], data[:4].hex(), data[4:])


def _is_key_name(name: str) -> bool:
    return name != "" and not any(
        character == "+" or character.isspace() or character < " " for character in name
    )
