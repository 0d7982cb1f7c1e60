"""One attempt: judges a response as its bytes arrive, without knowing where they come from."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import format_datetime, parsedate_to_datetime
from typing import Optional

from ._http import BodyDecoder, Head, NotHttp, ResponseReader, TooLong
from ._secret import Secret
from .decisions import Cause, CauseKind
from .strict_json import JsonValue, StrictJsonError, parse_json

_PROBLEM_BYTES_MAX = 65_536
_DECISION_ID = re.compile(r"\bdec_[0-9A-Za-z]{1,60}\b")
_JSON_TYPE = re.compile(r'application/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?', re.IGNORECASE)
_ENCODINGS = {"": "", "identity": "", "gzip": "gzip"}


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    # A success besides 200, for a request that may create something.
    also_status: int | None = None
    # The expected response, for messages.
    expects: str = "a decision"
    # How many decoded bytes of a response are read before it counts as unusable.
    bytes_max: int = 4 * 1024 * 1024


@dataclass(frozen=True)
class Answer:
    body: bytes
    replayed: bool
    # The response's Date header in epoch seconds, if there is one.
    date: float | None


@dataclass(frozen=True)
class Failure:
    cause: Cause
    # Seconds to wait before a retry; None for never.
    retry_after: float | None = None


class Exchange:
    def __init__(self, request: Request, key: Secret) -> None:
        self._request = request
        self._key = key
        self._reader = ResponseReader()
        self._body: BodyDecoder | None = None

    def feed(self, data: bytes) -> Answer | Failure | None:
        """The result, as soon as the response shows it."""
        reader = self._reader
        try:
            part = reader.feed(data)
            head = reader.head
            if head is None:
                return None
            if self._body is None:
                failure = self._judge_head(head)
                if failure is not None:
                    return failure
                bytes_max = self._request.bytes_max if head.status < 400 else _PROBLEM_BYTES_MAX
                self._body = BodyDecoder(self._encoding_of(head) or "", bytes_max)
            self._body.feed(part)
            return self._finish(head, self._body.finish()) if reader.is_complete else None
        except NotHttp:
            return self._unreadable("it is not readable HTTP")
        except TooLong:
            return self._unreadable(f"it is longer than {self._request.bytes_max} bytes")

    def closed(self) -> Answer | Failure:
        """The other side sends no more."""
        head = self._reader.head
        self._reader.close()
        if head is None or self._body is None:
            return self.failed("")
        if not self._reader.is_complete:
            return self._broken(head)
        try:
            return self._finish(head, self._body.finish())
        except NotHttp:
            return self._unreadable("it is not what its encoding says")

    def failed(self, code: str) -> Failure:
        """The connection failed."""
        head = self._reader.head
        if head is not None:
            return self._broken(head)
        if self._reader.has_begun:
            # Part of a response may be part of a refusal: this is not an outage.
            return self._invalid("the connection broke before its end", None, retry_after=0)
        shown = f" ({code})" if re.fullmatch(r"[A-Z][A-Z0-9_]{1,40}", code) else ""
        return Failure(Cause("connection_failed", f"the connection to the service failed{shown}"), 0)

    def late(self) -> Failure:
        """The time is over. A refusal whose body did not arrive in time is still a refusal."""
        head = self._reader.head
        if head is not None and 400 <= head.status < 500:
            return self._refusal(head, b"")
        return Failure(Cause("timeout", "the service did not respond in time"))

    def _judge_head(self, head: Head) -> Failure | None:
        status = head.status
        if 300 <= status < 400:
            # A followed redirect would carry the key to a place nobody configured.
            message = "the service answered with a redirect, which is never followed"
            return Failure(Cause("redirect", message, status=status))
        if status >= 400:
            return None
        if status != 200 and status != self._request.also_status:
            return self._invalid(f"its status is {status}", status)
        if _JSON_TYPE.fullmatch(head.headers.get("content-type", "")) is None:
            return self._invalid("its content type is not `application/json`", status)
        if self._encoding_of(head) is None:
            return self._invalid("its encoding is not one the client asked for", status)
        return None

    def _finish(self, head: Head, body: bytes) -> Answer | Failure:
        if head.status >= 400:
            return self._refusal(head, body)
        replayed = head.headers.get("idempotency-replayed") == "true"
        return Answer(body, replayed, http_date(head.headers.get("date", "")))

    def _broken(self, head: Head) -> Failure:
        if head.status >= 400:
            return self._refusal(head, b"")
        # The service has already decided, but the decision is unknown: this is not an outage.
        return self._invalid("the connection broke before its end", head.status, retry_after=0)

    def _unreadable(self, fault: str) -> Failure:
        head = self._reader.head
        if head is not None and head.status >= 400:
            return self._refusal(head, b"")
        return self._invalid(fault, None if head is None else head.status)

    def _invalid(self, fault: str, status: int | None, retry_after: float | None = None) -> Failure:
        message = f"the response is not {self._request.expects}: {fault}"
        return Failure(Cause("invalid_answer", message, status=status), retry_after)

    def _refusal(self, head: Head, body: bytes) -> Failure:
        status = head.status
        kind: CauseKind = "service_failed" if status >= 500 else "refused"
        code, text, request_id, decision_id = _problem_of(body, self._key)
        message = f"the service answered with status {status}"
        if code is not None:
            message += f", `{code}`" + ("" if text is None else f": {text}")
        asked = _retry_after(head.headers)
        retry = None
        if kind == "service_failed" or code == "request_in_flight":
            retry = asked or 0
        elif status == 429:
            retry = asked
        return Failure(Cause(kind, message, status, code, request_id, decision_id), retry)

    def _encoding_of(self, head: Head) -> str | None:
        return _ENCODINGS.get(head.headers.get("content-encoding", "").lower())


_Problem = tuple[Optional[str], Optional[str], Optional[str], Optional[str]]


def _problem_of(body: bytes, key: Secret) -> _Problem:
    """Code, message and request id of an error envelope, and which decision it names, as far as there are any."""

    def text(value: object, characters_max: int) -> str | None:
        return key.redacted(value, characters_max) if isinstance(value, str) else None

    try:
        problem = parse_json(body)
    except StrictJsonError:
        return None, None, None, None
    members = problem if isinstance(problem, dict) else {}
    error = members.get("error")
    named = error if isinstance(error, dict) else {}
    found = _DECISION_ID.search(json.dumps(named.get("details")))
    return (
        text(named.get("code"), 100),
        text(named.get("message"), 300),
        text(members.get("request_id"), 128),
        None if found is None else found[0],
    )


def _retry_after(headers: Mapping[str, str]) -> float | None:
    value = headers.get("retry-after", "")
    if re.fullmatch(r"[0-9]{1,9}", value):
        return float(value)
    at = http_date(value)
    if at is None:
        return None
    now = http_date(headers.get("date", ""))
    return max(0.0, at - (time.time() if now is None else now))


def http_date(text: str) -> float | None:
    """Epoch seconds of an IMF-fixdate, the one form that HTTP uses: the parser accepts many others."""
    try:
        moment = parsedate_to_datetime(text)
        return moment.timestamp() if format_datetime(moment, usegmt=True) == text else None
    except (TypeError, ValueError, OverflowError):
        return None
