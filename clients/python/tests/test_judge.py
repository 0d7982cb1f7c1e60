"""What counts as a decision: every way in which a response may be wrong, without a socket."""

from __future__ import annotations

import math
import unittest
from typing import Any
from unittest import mock

from serving import INTENT, KEY, allow_for
from writecheck import _ask, _judge, intent_digest
from writecheck._exchange import Answer, Exchange, Failure, Request
from writecheck._flow import Send, Sleep
from writecheck._judge import Expectation, Replay, Verdict, judge_answer
from writecheck._secret import Secret
from writecheck._settings import read_settings
from writecheck.decisions import Cause, Unanswered

DIGEST = intent_digest(INTENT)
ABSENT = object()
SETTINGS = read_settings(Secret(KEY), "http://127.0.0.1:1", 2.0, 3)
REQUEST = Request("POST", "/v1/check-write", {}, b"{}")


def allow(**changes: object) -> dict[str, Any]:
    members = {**allow_for(INTENT), **changes}
    return {name: value for name, value in members.items() if value is not ABSENT}


def judged(answer: Any, replay: Replay | None = None) -> Verdict | str:
    return judge_answer(answer, Expectation(DIGEST, "r-1", 100.0, replay))


class Judge(unittest.TestCase):
    def test_an_allow_for_this_very_intent_counts(self) -> None:
        verdict = judged(allow())
        assert isinstance(verdict, Verdict)
        self.assertTrue(verdict.decision.allowed)
        self.assertIsInstance(judged(allow(decision="ALLOW")), Verdict)

    def test_anything_else_is_not_a_decision(self) -> None:
        wrong: list[Any] = [
            None,
            [],
            "allow",
            [allow()],
            allow(intentDigest=intent_digest({**INTENT, "agentValue": "other"})),
            allow(intentDigest=None),
            allow(intentDigest=ABSENT),
            allow(execution_status=ABSENT),
            allow(execution_status="stopped"),
            allow(execution_status="PERMITTED"),
            allow(request_id=ABSENT),
            allow(request_id="r-2"),
            allow(request_id=["r-1"]),
            allow(validUntil=ABSENT),
            allow(timestamp=ABSENT),
            allow(validUntil=ABSENT, timestamp=ABSENT),
            allow(timestamp="2020-01-01T00:00:00Z", validUntil="2020-01-01T00:05:00.001Z"),
            allow(timestamp="2020-01-01T00:00:00Z", validUntil="2030-01-01T00:00:00Z"),
            allow(decision="permit"),
            allow(decision="permit", allowed=False),
            allow(decision="allow "),
            allow(decision=True),
            allow(decision=ABSENT),
            allow(allowed=False),
            allow(allowed=1),
            allow(allowed="true"),
            allow(allowed=ABSENT),
            allow(decision="pause"),
            allow(decision="block"),
            allow(success=False),
            allow(success=1),
            allow(error={"code": "x", "message": "y"}),
            allow(schemaVersion="write_intent.v2"),
            allow(schemaVersion=ABSENT),
            allow(reason=""),
            allow(reason=ABSENT),
            allow(reason_code=7),
            allow(validUntil="soon"),
            allow(validUntil="2026-11-16T10:00:00"),
            allow(validUntil="2026-02-30T10:00:00Z"),
            allow(validUntil=None),
            allow(timestamp=ABSENT),
            allow(timestamp="2026-11-16 10:00:00Z"),
        ]
        for answer in wrong:
            with self.subTest(answer=answer):
                self.assertIsInstance(judged(answer), str)

    def test_an_allow_counts_for_as_long_as_the_service_said_from_the_moment_of_sending(self) -> None:
        times = {"timestamp": "2020-01-01T00:00:00.5Z", "validUntil": "2020-01-01T00:01:00Z"}
        verdict = judged(allow(**times))
        assert isinstance(verdict, Verdict)
        self.assertAlmostEqual(verdict.expires_at, 159.5)
        for now, is_allowed in ((159.4, True), (159.5, False), (1e9, False)):
            with mock.patch.object(_judge.time, "monotonic", return_value=now):
                self.assertEqual(verdict.current().allowed, is_allowed)
        zoned = judged(allow(timestamp="2020-01-01T01:00:00+01:00", validUntil="2019-12-31T23:30:30-00:30"))
        assert isinstance(zoned, Verdict)
        self.assertAlmostEqual(zoned.expires_at, 130.0)

    def test_a_stored_allow_counts_from_the_date_of_the_response_at_its_latest(self) -> None:
        times = {"timestamp": "2020-01-01T00:00:00Z", "validUntil": "2020-01-01T00:01:00Z"}
        self.assertIsInstance(judged(allow(**times), Replay(None, True)), str)
        replied = _judge.instant("2020-01-01T00:00:40Z")
        verdict = judged(allow(**times), Replay(replied, False))
        assert isinstance(verdict, Verdict)
        self.assertAlmostEqual(verdict.expires_at, 100.0 + 20.0 - 0.999, places=3)
        # A Date before the decision does not make it younger.
        early = judged(allow(**times), Replay(0.0, True))
        assert isinstance(early, Verdict)
        self.assertAlmostEqual(early.expires_at, 160.0)

    def test_a_stored_allow_of_another_request_counts_only_if_the_key_may_have_served_another_call(self) -> None:
        stored = allow(request_id="r-0", timestamp="2020-01-01T00:00:00Z", validUntil="2020-01-01T00:01:00Z")
        self.assertIsInstance(judged(stored, Replay(0.0, True)), Verdict)
        self.assertIsInstance(judged(stored, Replay(0.0, False)), str)
        self.assertIsInstance(judged(stored), str)

    def test_an_allow_may_hold_for_exactly_five_minutes(self) -> None:
        for fraction in ("", ".1", ".123", ".999999"):
            times = {name: f"2026-01-01T00:0{at}:00{fraction}Z" for name, at in (("timestamp", 0), ("validUntil", 5))}
            self.assertIsInstance(judged(allow(**times)), Verdict)

    def test_a_pause_has_no_end_and_the_service_cannot_pose_as_the_client(self) -> None:
        verdict = judged(allow(decision="pause", allowed=False, validUntil=ABSENT, origin="client"))
        assert isinstance(verdict, Verdict)
        self.assertEqual((verdict.expires_at, verdict.decision.origin), (math.inf, "service"))
        self.assertNotIn("origin", verdict.decision.members)


class OneAttempt(unittest.TestCase):
    def outcome(self, head: str, body: bytes = b"{}", closed: bool = True) -> Answer | Failure | None:
        exchange = Exchange(REQUEST, Secret(KEY))
        outcome = exchange.feed(head.replace("\n", "\r\n").encode("ascii") + b"\r\n\r\n" + body)
        return exchange.closed() if outcome is None and closed else outcome

    def test_only_a_whole_200_of_json_is_an_answer(self) -> None:
        good = "HTTP/1.1 200 OK\nContent-Type: application/json\nContent-Length: 2"
        self.assertIsInstance(self.outcome(good), Answer)
        bad = {
            "redirect": [f"HTTP/1.1 {status} X\nLocation: /" for status in (301, 302, 307, 308)],
            "invalid_answer": [
                good.replace("200 OK", "201 Created"),
                good.replace("200 OK", "202 Accepted"),
                good.replace("application/json", "text/html"),
                good.replace("application/json", "application/json; charset=latin-1"),
                good.replace("Content-Type: application/json\n", ""),
                good.replace("Length: 2", "Length: 3"),
                f"{good}\nContent-Encoding: br",
                f"{good}\nContent-Encoding: gzip",
                f"{good}\nTransfer-Encoding: chunked",
                f"{good}\nContent-Length: 3",
            ],
            "refused": ["HTTP/1.1 403 X\nContent-Length: 2"],
            "service_failed": ["HTTP/1.1 503 X\nContent-Length: 2"],
        }
        for kind, heads in bad.items():
            for head in heads:
                with self.subTest(head):
                    outcome = self.outcome(head)
                    assert isinstance(outcome, Failure)
                    self.assertEqual(outcome.cause.kind, kind)


class OneDeadline(unittest.TestCase):
    def test_an_answer_after_the_deadline_is_not_used(self) -> None:
        flow = _ask.ask(SETTINGS, REQUEST)
        sent = next(flow)
        assert isinstance(sent, Send)
        with mock.patch.object(_ask.time, "monotonic", return_value=sent.deadline):
            with self.assertRaises(StopIteration) as stopped:
                flow.send(Answer(b"{}", False, None))
        self.assertIsInstance(stopped.exception.value, Unanswered)
        # It may have been a refusal, so this is not an outage.
        self.assertFalse(stopped.exception.value.cause.is_outage)

    def test_nothing_is_sent_after_the_deadline(self) -> None:
        flow = _ask.ask(SETTINGS, REQUEST)
        sent = next(flow)
        assert isinstance(sent, Send)
        waits = flow.send(Failure(Cause("connection_failed", "refused"), 0))
        self.assertIsInstance(waits, Sleep)
        with mock.patch.object(_ask.time, "monotonic", return_value=sent.deadline):
            self.assertRaises(StopIteration, flow.send, None)

    def test_every_attempt_has_the_same_deadline_and_a_refusal_outlives_an_outage(self) -> None:
        flow = _ask.ask(SETTINGS, REQUEST)
        first = next(flow)
        self.assertIsInstance(flow.send(Failure(Cause("invalid_answer", "cut"), 0)), Sleep)
        second = flow.send(None)
        assert isinstance(first, Send) and isinstance(second, Send)
        self.assertEqual(first.deadline, second.deadline)
        with self.assertRaises(StopIteration) as stopped:
            flow.send(Failure(Cause("timeout", "late")))
        self.assertEqual(stopped.exception.value.cause.kind, "invalid_answer")


if __name__ == "__main__":
    unittest.main()
