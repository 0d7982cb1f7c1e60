"""A guard takes the allow on which it runs, names what stopped it, and reports the outcome of the write."""

from __future__ import annotations

import asyncio
import json
import queue
import subprocess
import sys
import unittest
from typing import Any

from serving import INTENT, KEY, Received, Service, allow_to, allowing, http, refusing, serving

from writecheck import AsyncClient, Client, NotWritten

PASS = {"controlId": "approval", "source": "desk", "result": "PASS"}
NAMES: tuple[dict[str, str], ...] = ({}, {"call_id": "call_1"}, {"idempotency_key": "order-1"})
OTHER = {"redeemedAt": "2026-03-01T10:00:00Z", "claim": "another"}
SECRET = "card 4111 1111 1111 1111"


def client_of(service: Service, **options: Any) -> Client:
    return Client(KEY, service.url, timeout_seconds=5.0, **options)


def problem(status: int, code: str, details: object = None) -> bytes:
    return http({"error": {"code": code, "message": "no", "details": details}}, status)


def keys_of(service: Service) -> list[str]:
    return [request.headers["idempotency-key"] for request in service.received]


class Once(unittest.TestCase):
    def test_the_claim_is_random_for_each_call_and_the_same_over_its_retries(self) -> None:
        def respond(request: Received, connection: Any) -> None:
            if len(service.received) > 1:
                connection.sendall(http(allow_to(request)))

        with serving(respond) as service:
            client = client_of(service)
            self.assertTrue(client.guard_write(INTENT, lambda: 1, call_id="c"))
            client.guard_write(INTENT, lambda: 1, call_id="c")
            claims = [request.headers["redeem"] for request in service.received]
            self.assertRegex(claims[0], "^[0-9a-f]{32}$")
            self.assertEqual(claims[0], claims[1])
            self.assertNotEqual(claims[1], claims[2])
            self.assertEqual(len(set(keys_of(service))), 1)

    def test_the_key_is_made_of_the_call_and_the_write_and_never_of_evidence(self) -> None:
        with serving(allowing()) as service:
            client = client_of(service)
            for intent, call_id in (
                (INTENT, "c"),
                ({**INTENT, "controlEvidence": [PASS]}, "c"),
                (INTENT, "d"),
                ({**INTENT, "agentValue": "b"}, "c"),
                (INTENT, None),
                (INTENT, None),
            ):
                client.guard_write(intent, lambda: 1, call_id=call_id)
            first, fresh, *others = keys_of(service)
            self.assertEqual(first, fresh)
            self.assertEqual(len({first, *others}), 5)

    def test_a_check_and_a_write_that_is_safe_to_repeat_take_nothing(self) -> None:
        with serving(allowing()) as service:
            client = client_of(service)
            client.check_write(INTENT, call_id="c")
            self.assertTrue(client.guard_write(INTENT, lambda: 1, call_id="c", once=False))
            self.assertTrue(all("redeem" not in request.headers for request in service.received))

    def test_nothing_runs_on_the_claim_of_another(self) -> None:
        for name in NAMES:
            for once in (True, False):
                with serving(allowing(redemption=OTHER)) as service:
                    outcome = client_of(service).guard_write(
                        INTENT, lambda: self.fail("it ran"), once=once, unprotected=True, **name
                    )
                    self.assertEqual(outcome.stopped, "taken")
                    self.assertEqual(outcome.decision.decision_id, "dec_0190f0f0f0f07000800000000000000a")
                    self.assertEqual(len(service.received), 1)

    def test_nothing_asks_again_under_another_key_when_the_allow_is_taken(self) -> None:
        details = [{"pointer": "/decision_id", "message": "the decision `dec_7`"}]
        for status, code in (
            (409, "already_redeemed"),
            (422, "idempotency_key_reused"),
            (409, "idempotency_key_expired"),
        ):
            for name in NAMES:

                def respond(request: Received, connection: Any, status: int = status, code: str = code) -> None:
                    first = len(service.received) == 1
                    connection.sendall(problem(status, code, details) if first else http(allow_to(request)))

                with serving(respond) as service:
                    outcome = client_of(service).guard_write(
                        INTENT, lambda: self.fail("it ran"), unprotected=True, **name
                    )
                    self.assertEqual((outcome.stopped, outcome.decision.decision_id), ("taken", "dec_7"))
                    self.assertEqual(len(service.received), 1)

    def test_a_call_whose_name_is_no_text_is_not_asked_for(self) -> None:
        with serving(allowing()) as service:
            for name in ("", "a\ud800b"):
                outcome = client_of(service).guard_write(INTENT, lambda: self.fail("it ran"), call_id=name)
                self.assertEqual(outcome.decision.cause.kind, "client_fault")
            self.assertEqual(len(service.received), 0)

    def test_each_run_asks_once_and_under_one_key_however_often_the_call_was_paused(self) -> None:
        def respond(request: Received, connection: Any) -> None:
            allow = allow_to(request)
            is_pause = len(service.received) < 4
            connection.sendall(http({**allow, "decision": "pause", "allowed": False} if is_pause else allow))

        with serving(respond) as service:
            client = client_of(service)
            runs = [client.guard_write(INTENT, lambda: 1, call_id="c").executed for _ in range(4)]
            self.assertEqual(runs, [False, False, False, True])
            self.assertEqual((len(keys_of(service)), len(set(keys_of(service)))), (4, 1))

    def test_an_allow_of_a_service_without_claims_is_redeemed_before_the_write(self) -> None:
        def answering(redemption: bytes) -> Any:
            def respond(request: Received, connection: Any) -> None:
                is_check = request.line.startswith("POST /v1/check-write ")
                connection.sendall(http(allow_to(request, redemption=...)) if is_check else redemption)

            return respond

        redeemed = {"redeemed": True, "redeemedAt": "2026-03-01T10:00:00Z"}
        with serving(answering(http(redeemed))) as service:
            outcome = client_of(service).guard_write(INTENT, lambda: len(service.received))
            self.assertEqual((outcome.executed, outcome.result), (True, 2))
            check, redeem = service.received
            self.assertEqual(redeem.headers["idempotency-key"], check.headers["redeem"])
        for answer, stopped in (
            (problem(409, "already_redeemed"), "taken"),
            (problem(409, "not_redeemable"), None),
            (problem(503, "overloaded"), None),
            (http({"redeemed": "true"}), None),
            (http({**redeemed, "success": False}), None),
            (http({**redeemed, "error": {"code": "x", "message": "x"}}), None),
        ):
            with serving(answering(answer)) as service:
                outcome = client_of(service, retries=0).guard_write(
                    INTENT, lambda: self.fail("it ran"), unprotected=True
                )
                self.assertEqual((outcome.executed, outcome.stopped), (False, stopped))


class Stops(unittest.TestCase):
    def test_a_freeze_is_named_with_its_reason(self) -> None:
        def respond(request: Received, connection: Any) -> None:
            members = allow_to(request, decision="pause", allowed=False, redemption=...)
            connection.sendall(http({**members, "reason_code": "frozen", "reason": "it pays twice"}))

        with serving(respond) as service:
            outcome = client_of(service).guard_write(INTENT, lambda: self.fail("it ran"))
        self.assertEqual((outcome.stopped, outcome.decision.reason), ("frozen", "it pays twice"))

    def test_a_limit_is_named_with_the_latest_end_of_those_that_are_used_up(self) -> None:
        def limit(resets_at: object, beyond: bool = True, observed: bool = False) -> dict[str, object]:
            return {"resetsAt": resets_at, "beyond": beyond, "observed": observed}

        many = [
            limit("2026-11-18T00:00:00Z"),
            limit("2026-11-18T01:30:00+02:00"),
            limit(None),
            limit("2027-01-01T00:00:00Z", beyond=False),
            limit("2028-01-01T00:00:00Z", observed=True),
            limit("later"),
            None,
        ]
        for limits, resets_at in ((many, "2026-11-18T00:00:00Z"), ([limit(None)], None), ("all", None)):

            def respond(request: Received, connection: Any, limits: object = limits) -> None:
                members = allow_to(request, decision="pause", allowed=False, redemption=..., limits=limits)
                connection.sendall(http({**members, "reason_code": "limit_exceeded"}))

            with serving(respond) as service:
                outcome = client_of(service).guard_write(INTENT, lambda: self.fail("it ran"))
            self.assertEqual((outcome.stopped, outcome.resets_at), ("limit", resets_at))


class Outcomes(unittest.TestCase):
    def reports(self, service: Service, count: int) -> list[Any]:
        return [service.outcomes.get(timeout=10).json for _ in range(count)]

    def test_every_form_reports_what_became_of_the_write_and_no_word_of_its_error(self) -> None:
        class Marked(Exception):
            writecheckNotWritten = True

        for error, result in (
            (None, "done"),
            (ValueError(SECRET), "unknown"),
            (KeyboardInterrupt(SECRET), "unknown"),
            (NotWritten(SECRET), "failed"),
            (Marked(SECRET), "failed"),
        ):

            def write(error: BaseException | None = error) -> int:
                if error is not None:
                    raise error
                return 1

            async def awrite(error: BaseException | None = error) -> int:
                if isinstance(error, KeyboardInterrupt):
                    raise asyncio.CancelledError
                return write(error)

            with serving(allowing()) as service:
                client, aclient = client_of(service), AsyncClient(KEY, service.url, timeout_seconds=5.0)

                def in_with(client: Client = client, write: Any = write) -> None:
                    with client.guard_write(INTENT):
                        write()

                async def in_async_with(aclient: AsyncClient = aclient, awrite: Any = awrite) -> None:
                    async with aclient.guard_write(INTENT):
                        await awrite()

                for run in (
                    lambda: client.guard_write(INTENT, write),
                    in_with,
                    client.guard_write(INTENT)(write),
                    lambda: asyncio.run(in_async_with()),
                    lambda: asyncio.run(aclient.guard_write(INTENT, awrite)),
                ):
                    try:
                        run()
                    except BaseException as raised:
                        self.assertIsNotNone(error, raised)
                    self.assertEqual(self.reports(service, 1), [{"result": result}])

    def test_nothing_is_reported_if_the_client_or_the_call_says_so(self) -> None:
        with serving(allowing()) as service:
            client_of(service, outcomes=False).guard_write(INTENT, lambda: 1)
            client_of(service).guard_write(INTENT, lambda: 1, outcomes=False)
            client_of(service).check_write(INTENT)
            client_of(service).guard_write(INTENT, lambda: 1)
            self.reports(service, 1)
            self.assertRaises(queue.Empty, service.outcomes.get, timeout=0.1)

    def test_no_answer_makes_the_write_fail_and_only_an_outage_is_tried_again(self) -> None:
        with serving(allowing()) as service:
            service.respond_to_outcome = refusing(404)
            self.assertTrue(client_of(service).guard_write(INTENT, lambda: 1))
            self.reports(service, 1)
            service.respond_to_outcome = refusing(503)
            self.assertTrue(client_of(service).guard_write(INTENT, lambda: 1))
            self.reports(service, 2)

    def test_a_report_does_not_keep_the_process_alive(self) -> None:
        with serving(allowing()) as service:
            service.respond_to_outcome = lambda _request, connection: connection.recv(1)
            code = (
                "import writecheck, sys, json\n"
                "client = writecheck.Client('k', sys.argv[1], timeout_seconds=600)\n"
                "client.guard_write(json.loads(sys.argv[2]), lambda: print('written'))"
            )
            args = [sys.executable, "-c", code, service.url, json.dumps(INTENT)]
            done = subprocess.run(args, capture_output=True, text=True, check=True, timeout=60)
            self.assertEqual(done.stdout, "written\n")


if __name__ == "__main__":
    unittest.main()
