"""Turns the caller's options and the environment into usable settings."""

from __future__ import annotations

import math
import os
import re
import ssl
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from ._secret import Secret

_TIMEOUT_SECONDS_MAX = 2_147_483
_LOOPBACK = re.compile(r"127\.[0-9.]+|::1|(.+\.)?localhost")


@dataclass(frozen=True)
class Address:
    """Where the service is."""

    host: str
    port: int
    # The authority as in the Host header.
    authority: str
    # The prefix of every call's path, without a slash at its end.
    path: str
    tls: ssl.SSLContext | None = field(repr=False)


@dataclass(frozen=True)
class ReaderAt:
    """A facts reader as the caller named it, its token out of sight."""

    url: object
    token: Secret | None


def concealed(facts: Any) -> Any:
    """No frame of a traceback may hold the token of a reader."""
    if not isinstance(facts, Mapping):
        return facts
    token = facts.get("token")
    return ReaderAt(facts.get("url"), Secret(token) if isinstance(token, str) else None)


class Kept:
    """Which facts the running policy needs, by the members that rules match on. Safe between threads."""

    def __init__(self) -> None:
        self.needed: dict[tuple[str, ...], list[Any]] = {}
        self._policy_ref: str | None = None

    def note(self, policy_ref: str | None) -> None:
        """Another policy may need other facts."""
        if policy_ref is None or policy_ref == self._policy_ref:
            return
        if self._policy_ref is not None:
            self.needed = {}
        self._policy_ref = policy_ref


@dataclass(frozen=True)
class Settings:
    api_key: Secret
    address: Address
    timeout_seconds: float
    retries: int
    outcomes: bool = True
    # A function, or the settings of a reader.
    facts: Any = field(default=None, repr=False)
    kept: Kept = field(default_factory=Kept, repr=False, compare=False)


def read_settings(
    key: Secret | None,
    base_url: str | None,
    timeout_seconds: float,
    retries: int,
    outcomes: object = True,
    facts: Any = None,
) -> Settings:
    """Raises a ValueError for settings under which no check could ever succeed; no message repeats the key."""
    api_key = key or _key_of_environment()
    if api_key is None:
        raise ValueError("no API key: give `api_key` or set WRITECHECK_API_KEY")
    if re.fullmatch(r"[!-~]+", api_key.reveal()) is None:
        raise ValueError("`api_key` must be visible ASCII without spaces")
    url = base_url or os.environ.get("WRITECHECK_URL")
    if not url:
        raise ValueError("no address of the service: give `base_url` or set WRITECHECK_URL")
    if not _is_number(timeout_seconds) or not 0 < timeout_seconds <= _TIMEOUT_SECONDS_MAX:
        raise ValueError(f"`timeout_seconds` must be above 0 and at most {_TIMEOUT_SECONDS_MAX}")
    if not isinstance(retries, int) or isinstance(retries, bool) or retries < 0:
        raise ValueError("`retries` must be a whole number from 0")
    address = read_address(url)
    if isinstance(facts, ReaderAt):
        facts = read_reader(facts, timeout_seconds, retries)
    elif facts is not None and not callable(facts):
        raise ValueError("`facts` must be a function, or have a `url` and a `token`")
    return Settings(api_key, address, float(timeout_seconds), retries, outcomes is not False, facts)


def read_reader(reader: ReaderAt, timeout_seconds: float, retries: int) -> Settings:
    """`/facts` is added to an address without a path."""
    url, token = reader.url, reader.token
    if not isinstance(url, str) or token is None or re.fullmatch(r"[!-~]+", token.reveal()) is None:
        raise ValueError("`facts` needs a `url`, and a `token` of visible ASCII without spaces")
    address = read_address(url, "facts url")
    return Settings(token, replace(address, path=address.path or "/facts"), float(timeout_seconds), retries)


def read_address(url: str, name: str = "base_url") -> Address:
    # Checked first, because urlsplit silently drops line breaks.
    if re.fullmatch(r"[!-~]+", url) is None:
        raise ValueError(f"`{name}` must be visible ASCII without spaces")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ValueError(f"`{name}` is not an address") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError(f"`{name}` must be an http or https address")
    if (
        parts.username is not None
        or parts.password is not None
        or parts.query
        or parts.fragment
        or url[-1] in "?#"
    ):
        raise ValueError(f"`{name}` must not contain credentials, a query or a fragment")
    is_tls = parts.scheme == "https"
    if not is_tls and _LOOPBACK.fullmatch(host) is None:
        message = f"http://{parts.netloc} is not encrypted: others can read the key and forge decisions; use https"
        # The warning names the line that calls Client or AsyncClient.
        warnings.warn(message, stacklevel=4)
    return Address(
        host=host,
        port=port or (443 if is_tls else 80),
        authority=parts.netloc,
        path=parts.path.rstrip("/"),
        # Verifies certificates and names; SSL_CERT_FILE adds a private authority.
        tls=ssl.create_default_context() if is_tls else None,
    )


def _key_of_environment() -> Secret | None:
    value = os.environ.get("WRITECHECK_API_KEY")
    return Secret(value) if value else None


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
