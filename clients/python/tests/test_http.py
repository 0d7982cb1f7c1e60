"""The reader of responses: it reads the same one byte at a time or all together, and refuses anything in doubt."""

from __future__ import annotations

import gzip
import unittest

from writecheck._exchange import Answer, Exchange, Failure, Request, http_date
from writecheck._judge import instant
from writecheck._secret import Secret

JSON = b"Content-Type: application/json\r\n"
BODY = b'{"decision": "allow"}'


def read(response: bytes, size: int, bytes_max: int = 1000) -> Answer | Failure:
    exchange = Exchange(Request("GET", "/", bytes_max=bytes_max), Secret("any"))
    for at in range(0, len(response), size):
        outcome = exchange.feed(response[at : at + size])
        if outcome is not None:
            return outcome
    return exchange.closed()


def response(fields: bytes, body: bytes, status: bytes = b"200 OK") -> bytes:
    return b"HTTP/1.1 " + status + b"\r\n" + JSON + fields + b"\r\n" + body


def chunked(body: bytes, size: int = 5) -> bytes:
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x;x=y\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\nTrailer: x\r\n\r\n"


PACKED = gzip.compress(BODY)
GZIP = b"Content-Encoding: gzip\r\n"
CHUNKS = b"Transfer-Encoding: chunked\r\n"
LENGTH = b"Content-Length: %d\r\n" % len(BODY)


class Responses(unittest.TestCase):
    def test_every_framing_is_read_whole(self) -> None:
        whole = (
            response(LENGTH, BODY),
            response(LENGTH, BODY + b"more"),
            response(b"", BODY),
            response(CHUNKS, chunked(BODY)),
            response(CHUNKS + GZIP, chunked(PACKED)),
            response(GZIP, PACKED),
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\n" + response(LENGTH, BODY),
            response(b"Content-Length:%d \t\r\n" % len(BODY), BODY),
        )
        for given in whole:
            for size in (1, 7, len(given)):
                outcome = read(given, size)
                assert isinstance(outcome, Answer), (given, outcome)
                self.assertEqual(outcome.body, BODY)

    def test_what_is_in_doubt_is_not_an_answer(self) -> None:
        doubtful = {
            "both framings": response(CHUNKS + LENGTH, chunked(BODY)),
            "two lengths": response(LENGTH + LENGTH, BODY),
            "a negative length": response(b"Content-Length: -1\r\n", BODY),
            "another coding": response(b"Transfer-Encoding: gzip, chunked\r\n", chunked(BODY)),
            "a chunk of no size": response(CHUNKS, b"x\r\n" + BODY),
            "a chunk longer than it says": response(CHUNKS, b"1\r\n" + BODY),
            "chunks without an end": response(CHUNKS, b"1\r\n{\r\n"),
            "a length without its end": response(LENGTH, BODY[:-1]),
            "gzip without its checksum": response(GZIP, PACKED[:-8]),
            "gzip with a wrong checksum": response(GZIP, PACKED[:-8] + bytes(8)),
            "bytes after gzip": response(GZIP, PACKED + b"x"),
            "two encodings": response(b"Content-Encoding: gzip, gzip\r\n", PACKED),
            "an encoding nobody asked for": response(b"Content-Encoding: br\r\n", BODY),
            "a folded field": response(b"X: a\r\n b\r\n" + LENGTH, BODY),
            "a field without a colon": response(b"nonsense\r\n" + LENGTH, BODY),
            "a space before the colon": response(b"Content-Length : 21\r\n", BODY),
            "a control character": response(b"X: a\x00b\r\n" + LENGTH, BODY),
            "bare line feeds": response(LENGTH, BODY).replace(b"\r\n", b"\n"),
            "HTTP/2": response(LENGTH, BODY).replace(b"HTTP/1.1", b"HTTP/2.0"),
            "another protocol": b"HTTP/1.1 101 Switch\r\n\r\n" + response(LENGTH, BODY),
            "a second content type": response(b"Content-Type: text/html\r\n" + LENGTH, BODY),
            "endless interim responses": b"HTTP/1.1 103 x\r\nX: yyyyyyyyyyyyyyy\r\n\r\n" * 5000,
            "endless headers": b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 20_000,
        }
        for name, given in doubtful.items():
            for size in (7, len(given)):
                with self.subTest(name, size=size):
                    outcome = read(given, size)
                    assert isinstance(outcome, Failure), outcome
                    self.assertEqual(outcome.cause.kind, "invalid_answer")

    def test_the_limit_counts_decoded_bytes(self) -> None:
        large = gzip.compress(b" " * 1_000_000)
        for given in (
            response(GZIP, large),
            response(b"", b" " * 1001),
            response(CHUNKS, chunked(b" " * 1001)),
        ):
            outcome = read(given, 64)
            assert isinstance(outcome, Failure)
            self.assertIn("longer than 1000 bytes", outcome.cause.message)
        self.assertIsInstance(read(response(b"", b" " * 1000), 64), Answer)

    def test_times_are_read_exactly_or_not_at_all(self) -> None:
        self.assertEqual(http_date("Thu, 01 Jan 1970 00:01:00 GMT"), 60)
        for text in (
            "",
            "Thu, 01 Jan 1970 00:01:00",
            "Thu, 32 Jan 1970 00:01:00 GMT",
            "60",
            "Thu, 01 Foo 1970 00:00:00 GMT",
        ):
            self.assertIsNone(http_date(text))
        self.assertEqual(instant("1970-01-01T00:01:00.500Z"), 60.5)
        self.assertEqual(instant("1970-01-01T01:01:00+01:00"), 60)
        self.assertEqual(instant("1969-12-31T23:01:00-01:00"), 60)
        for wrong in (
            None,
            0,
            "1970-01-01",
            "1970-02-30T00:00:00Z",
            "1970-01-01T00:00:00",
            "1970-01-01T24:00:00Z",
            "1970-01-01t00:00:00Z",
        ):
            self.assertIsNone(instant(wrong))


if __name__ == "__main__":
    unittest.main()
