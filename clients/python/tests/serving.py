"""A service in a thread for tests: each test defines its responses, and sees the requests."""

from __future__ import annotations

import json
import queue
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from email.utils import formatdate
from typing import Any

from writecheck import intent_digest

INTENT = {
    "system": "crm",
    "objectType": "contact",
    "objectRef": "c-1",
    "field": "email",
    "agentValue": "a@example.org",
}
KEY = "wck_dev_a_key_that_nobody_may_see"


@dataclass(frozen=True)
class Received:
    line: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Respond = Callable[[Received, socket.socket], None]


class Service:
    def __init__(self, respond: Respond) -> None:
        self.respond = respond
        self.received: list[Received] = []
        # The reports about writes, which arrive at any time.
        self.outcomes: queue.SimpleQueue[Received] = queue.SimpleQueue()
        self.respond_to_outcome: Respond = lambda _, connection: connection.sendall(http({}))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                request = _read(connection)
                if request.line.startswith("POST /v1/decisions/") and "/outcome " in request.line:
                    self.outcomes.put(request)
                    self.respond_to_outcome(request, connection)
                else:
                    self.received.append(request)
                    self.respond(request, connection)
            except OSError:
                pass


def _read(connection: socket.socket) -> Received:
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(65_536)
        if not part:
            raise OSError("closed")
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    line, *fields = head.decode("ascii").split("\r\n")
    headers = {name.lower(): value for name, _, value in (field.partition(": ") for field in fields)}
    while len(body) < int(headers.get("content-length", 0)):
        body += connection.recv(65_536)
    return Received(line, headers, body)


def http(body: object, status: int = 200, **headers: str) -> bytes:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    date = formatdate(usegmt=True)
    fields = {"Content-Type": "application/json", "Content-Length": str(len(data)), "Date": date, **headers}
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} Any\r\n{lines}\r\n".encode() + data


def allow_for(intent: dict[str, Any], request_id: str = "r-1", **change: Any) -> dict[str, Any]:
    now = datetime.now(timezone.utc)
    members = {
        "success": True,
        "decision": "allow",
        "allowed": True,
        "reason": "every requirement is met",
        "reason_code": "requirements_met",
        "decision_id": "dec_0190f0f0f0f07000800000000000000a",
        "schemaVersion": "write_intent.v1",
        "execution_status": "permitted",
        "request_id": request_id,
        "intentDigest": intent_digest(intent),
        "timestamp": _time(now),
        "validUntil": _time(now + timedelta(minutes=5)),
        **change,
    }
    return {name: value for name, value in members.items() if value is not ...}


def allow_to(request: Received, **change: Any) -> dict[str, Any]:
    named: dict[str, Any] = {"request_id": request.headers.get("x-request-id", "r-1")}
    if "redeem" in request.headers:
        redeemed_at = _time(datetime.now(timezone.utc))
        named["redemption"] = {"redeemedAt": redeemed_at, "claim": request.headers["redeem"]}
    return allow_for(request.json, **{**named, **change})


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def allowing(**change: Any) -> Respond:
    def respond(request: Received, connection: socket.socket) -> None:
        connection.sendall(http(allow_to(request, **change)))

    return respond


def pausing(**change: Any) -> Respond:
    return allowing(
        decision="pause",
        validUntil=...,
        redemption=...,
        allowed=False,
        reason="Control `approval` has no evidence; supply a PASS.",
        reason_code="CONTROL_EVIDENCE_MISSING",
        remediation=[{"gate": "control", "controlId": "approval", "action": "supply", "need": "a PASS"}],
        **change,
    )


def refusing(status: int, code: str = "any", **headers: str) -> Respond:
    def respond(_request: Received, connection: socket.socket) -> None:
        connection.sendall(http({"error": {"code": code, "message": "no"}}, status, **headers))

    return respond


def silent(_request: Received, connection: socket.socket) -> None:
    connection.settimeout(10)
    connection.recv(1)


def dripping(_request: Received, connection: socket.socket) -> None:
    for byte in http({"decision": "allow"}):
        connection.sendall(bytes([byte]))
        time.sleep(0.05)


@contextmanager
def serving(respond: Respond) -> Iterator[Service]:
    service = Service(respond)
    try:
        yield service
    finally:
        service.close()
