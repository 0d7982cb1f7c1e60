"""HTTP/1.1 without a socket: the bytes of a request, and a strict reader of one response."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass

from ._secret import Secret
from ._settings import Address

_HEAD_BYTES_MAX = 65_536
_STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})(?: [^\r\n]*)?")
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?")
_LENGTH = re.compile(r"[0-9]{1,15}")


class NotHttp(Exception):
    """The response cannot be read."""


class TooLong(Exception):
    """The decoded body is longer than the caller accepts."""


@dataclass(frozen=True)
class Head:
    status: int
    # Values by name in lower case; a repeated field is joined with commas.
    headers: dict[str, str]


def request_bytes(
    address: Address, method: str, path: str, key: Secret, headers: dict[str, str], body: bytes | None
) -> memoryview:
    """A memoryview, because its representation in a traceback does not show the key."""
    fields = {
        "Host": address.authority,
        "Authorization": f"Bearer {key.reveal()}",
        "Accept": "application/json",
        "Accept-Encoding": "gzip",
        "Connection": "close",
        **headers,
    }
    if body is not None:
        fields["Content-Length"] = str(len(body))
    lines = [
        f"{method} {address.path}{path} HTTP/1.1",
        *(f"{name}: {value}" for name, value in fields.items()),
    ]
    return memoryview("\r\n".join([*lines, "", ""]).encode("ascii") + (body or b""))


class ResponseReader:
    """Gets bytes as they arrive; then has the head, and the body once it is complete."""

    def __init__(self) -> None:
        self.head: Head | None = None
        self.is_complete = False
        self.has_begun = False
        self._received = bytearray()
        self._searched = 0
        self._head_bytes = 0
        self._body: _Framing = _UntilClose()

    def feed(self, data: bytes) -> bytes:
        """The part of the body that these bytes hold, still encoded. Raises NotHttp."""
        if self.head is not None:
            return self._framed(data)
        self._received += data
        self.has_begun = self.has_begun or data != b""
        while self.head is None:
            end = self._received.find(b"\r\n\r\n", max(0, self._searched - 3))
            self._searched = len(self._received)
            if self._head_bytes + (self._searched if end < 0 else end) > _HEAD_BYTES_MAX:
                raise NotHttp
            if end < 0:
                return b""
            self._head_bytes += end
            head = _read_head(bytes(self._received[:end]))
            del self._received[: end + 4]
            self._searched = 0
            # An interim response comes before the real one; 101 would be another protocol.
            if head.status >= 200:
                self.head = head
            elif head.status == 101:
                raise NotHttp
        self._body = _framing_of(self.head)
        rest = bytes(self._received)
        self._received.clear()
        return self._framed(rest)

    def close(self) -> None:
        """The other side sends no more."""
        if self.head is not None and isinstance(self._body, _UntilClose):
            self.is_complete = True

    def _framed(self, data: bytes) -> bytes:
        part = self._body.feed(data)
        self.is_complete = self._body.is_complete
        return part


def _read_head(text: bytes) -> Head:
    status_line, *lines = text.split(b"\r\n")
    status = _STATUS_LINE.fullmatch(status_line)
    if status is None:
        raise NotHttp
    headers: dict[str, str] = {}
    for line in lines:
        found = _FIELD.fullmatch(line)
        if found is None:
            raise NotHttp
        name = found[1].decode("ascii").lower()
        value = found[2].decode("latin-1").strip(" \t")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return Head(int(status[1]), headers)


def _framing_of(head: Head) -> _Framing:
    coding = head.headers.get("transfer-encoding")
    length = head.headers.get("content-length")
    if head.status in (204, 304):
        return _Counted(0)
    if coding is not None:
        # A response with both could end at different places for two readers.
        if coding.lower() != "chunked" or length is not None:
            raise NotHttp
        return _Chunked()
    if length is None:
        return _UntilClose()
    if _LENGTH.fullmatch(length) is None:
        raise NotHttp
    return _Counted(int(length))


class _Framing:
    is_complete = False

    def feed(self, data: bytes) -> bytes:
        raise NotImplementedError


class _UntilClose(_Framing):
    def feed(self, data: bytes) -> bytes:
        return data


class _Counted(_Framing):
    def __init__(self, length: int) -> None:
        self._left = length
        self.is_complete = length == 0

    def feed(self, data: bytes) -> bytes:
        part = data[: self._left]
        self._left -= len(part)
        self.is_complete = self._left == 0
        return part


class _Chunked(_Framing):
    def __init__(self) -> None:
        self._received = bytearray()
        # Bytes left of the current chunk.
        self._left = 0
        self._wants_break = False
        self._is_last = False

    def feed(self, data: bytes) -> bytes:
        self._received += data
        body = bytearray()
        while not self.is_complete and self._step(body):
            pass
        return bytes(body)

    def _step(self, body: bytearray) -> bool:
        """False if more bytes are needed."""
        if self._left > 0:
            part = self._received[: self._left]
            del self._received[: self._left]
            body += part
            self._left -= len(part)
            self._wants_break = self._left == 0
            return len(part) > 0
        if self._wants_break:
            if len(self._received) < 2:
                return False
            if self._received[:2] != b"\r\n":
                raise NotHttp
            del self._received[:2]
            self._wants_break = False
            return True
        return self._read_line()

    def _read_line(self) -> bool:
        end = self._received.find(b"\r\n")
        if end < 0:
            if len(self._received) > _HEAD_BYTES_MAX:
                raise NotHttp
            return False
        line = bytes(self._received[:end])
        del self._received[: end + 2]
        if self._is_last:
            # Trailers mean nothing here; an empty line ends them.
            self.is_complete = line == b""
            return True
        size = _CHUNK_SIZE.fullmatch(line)
        if size is None:
            raise NotHttp
        self._left = int(size[1], 16)
        self._is_last = self._left == 0
        return True


class BodyDecoder:
    """Collects a body, decoded, up to a limit."""

    def __init__(self, encoding: str, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._body = bytearray()
        self._gzip = zlib.decompressobj(wbits=31) if encoding == "gzip" else None

    def feed(self, data: bytes) -> None:
        """Raises TooLong, or NotHttp if it is not what its encoding says."""
        # INVARIANT: the limit counts decoded bytes, so a small compressed response cannot fill the memory.
        room = self._bytes_max - len(self._body) + 1
        if self._gzip is None:
            self._body += data[:room]
        elif data:
            try:
                self._body += self._gzip.decompress(data, room)
            except zlib.error:
                raise NotHttp from None
            if self._gzip.unused_data:
                raise NotHttp
        if len(self._body) > self._bytes_max:
            raise TooLong

    def finish(self) -> bytes:
        if self._gzip is not None and not self._gzip.eof:
            raise NotHttp
        return bytes(self._body)
