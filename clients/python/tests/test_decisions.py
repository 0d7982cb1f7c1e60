"""How the client handles responses, outages and time."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
import unittest
import warnings
from collections.abc import AsyncIterator, Iterator
from typing import NoReturn
from unittest import mock

from serving import INTENT, KEY, allow_for, allow_to, allowing, dripping, http, pausing, refusing, serving, silent
from writecheck import AsyncClient, Client, Decision, ReviewOptions, WriteStopped, intent_digest
from writecheck.adapters.tools import ToolGuard


def client_of(url: str, **options: float) -> Client:
    return Client(KEY, url, **{"timeout_seconds": 20.0, **options})  # type: ignore[arg-type]


class GuardedWrites(unittest.TestCase):
    def test_a_write_runs_once_on_an_allow_in_each_of_the_three_forms(self) -> None:
        with serving(allowing()) as service:
            client = client_of(service.url)
            ran: list[str] = []
            outcome = client.guard_write(INTENT, lambda: ran.append("function") or 7)
            self.assertTrue(outcome)
            self.assertEqual(outcome.result, 7)
            with client.guard_write(INTENT) as decision:
                ran.append("with")
            self.assertTrue(decision.allowed)

            @client.guard_write(lambda ref, email: {**INTENT, "objectRef": ref, "agentValue": email})
            def update(ref: str, email: str) -> str:
                """Sets an address."""
                ran.append("decorator")
                return email

            self.assertEqual(update("c-2", email="b@example.org"), "b@example.org")
            self.assertEqual(update.__doc__, "Sets an address.")
            self.assertEqual(ran, ["function", "with", "decorator"])
            self.assertEqual(service.received[2].json["objectRef"], "c-2")
            self.assertEqual(service.received[0].headers["authorization"], f"Bearer {KEY}")

    def test_no_form_runs_the_write_on_a_pause(self) -> None:
        with serving(pausing()) as service:
            client = client_of(service.url)
            ran: list[int] = []
            outcome = client.guard_write(INTENT, lambda: ran.append(1))
            self.assertFalse(outcome)
            self.assertFalse(outcome.decision)
            with self.assertRaises(WriteStopped) as raised, client.guard_write(INTENT):
                ran.append(1)
            self.assertEqual(raised.exception.decision.reason_code, "CONTROL_EVIDENCE_MISSING")
            guarded = client.guard_write(lambda: INTENT)(lambda: ran.append(1))
            self.assertRaises(WriteStopped, guarded)
            self.assertEqual(ran, [])

    def test_asyncio_has_the_same_three_forms(self) -> None:
        async def main(url: str) -> list[str]:
            client = AsyncClient(KEY, url)
            ran: list[str] = []

            async def write() -> int:
                ran.append("function")
                return 7

            async def intent() -> dict[str, str]:
                return INTENT

            outcome = await client.guard_write(intent, write)
            self.assertEqual((outcome.executed, outcome.result), (True, 7))
            self.assertEqual((await client.guard_write(INTENT, lambda: 8)).result, 8)
            async with client.guard_write(INTENT):
                ran.append("with")

            @client.guard_write(lambda ref: {**INTENT, "objectRef": ref})
            async def update(ref: str) -> None:
                ran.append("decorator")

            await update("c-2")
            return ran

        with serving(allowing()) as service:
            self.assertEqual(asyncio.run(main(service.url)), ["function", "with", "decorator"])
        with serving(pausing()) as service:
            self.assertRaises(WriteStopped, asyncio.run, main_stopped(service.url))

    def test_a_guard_raises_only_what_the_write_raises(self) -> None:
        with serving(allowing()) as service:
            with self.assertRaises(ZeroDivisionError):
                client_of(service.url).guard_write(INTENT, lambda: 1 // 0)

    def test_a_coroutine_function_is_not_a_write_of_the_blocking_client(self) -> None:
        async def write() -> None:
            raise AssertionError("never runs")

        with serving(allowing()) as service:
            client = client_of(service.url)
            self.assertRaises(TypeError, client.guard_write, INTENT, write)
            self.assertEqual(service.received, [])
            self.assertRaises(TypeError, client.guard_write, INTENT, lambda: write())
            self.assertRaises(TypeError, client.guard_write(INTENT), write)
            guarded = client.guard_write(INTENT)(lambda: write())
            self.assertRaises(TypeError, guarded)

    def test_a_generator_which_would_run_after_its_allow_is_not_a_write(self) -> None:
        def write() -> Iterator[None]:
            yield

        async def awrite() -> AsyncIterator[None]:
            yield

        with serving(allowing()) as service:
            client, aclient = client_of(service.url), AsyncClient(KEY, service.url)
            for generator in (write, awrite):
                self.assertRaises(TypeError, client.guard_write, INTENT, generator)
                self.assertRaises(TypeError, client.guard_write(INTENT), generator)
                self.assertRaises(TypeError, client.resume_write, "rev_1", INTENT, generator)
                self.assertRaises(TypeError, aclient.guard_write, INTENT, generator)
                self.assertRaises(TypeError, ToolGuard(client, lambda _: INTENT), generator)
            self.assertEqual(service.received, [])

    def test_the_intent_is_read_once(self) -> None:
        changing = {**INTENT, "metadata": {"context": {"n": 1}}}

        def respond(request, connection) -> None:  # type: ignore[no-untyped-def]
            changing["metadata"]["context"]["n"] = 2  # type: ignore[index]
            connection.sendall(http(allow_to(request)))

        with serving(respond) as service:
            self.assertTrue(client_of(service.url).check_write(changing))

    def test_an_intent_that_is_not_strict_json_is_never_sent(self) -> None:
        cyclic: dict[str, object] = {}
        cyclic["metadata"] = cyclic
        with serving(allowing()) as service:
            client = client_of(service.url)
            for wrong in (
                None,
                [],
                {"n": float("nan")},
                {"n": 2**53},
                {"s": "\ud800"},
                {"o": object()},
                cyclic,
            ):
                decision = client.check_write(wrong)  # type: ignore[arg-type]
                self.assertEqual(decision.cause and decision.cause.kind, "invalid_intent")
            self.assertEqual(service.received, [])

    def test_an_intent_whose_own_methods_raise_is_blocked(self) -> None:
        class Raising(dict[str, object]):
            def items(self) -> NoReturn:
                raise RuntimeError("the database is away")

        with serving(allowing()) as service:
            self.assertFalse(client_of(service.url).check_write(Raising(system="crm")))
            self.assertEqual(service.received, [])


async def main_stopped(url: str) -> None:
    async with AsyncClient(KEY, url).guard_write(INTENT):
        raise AssertionError("must not run")


class Outages(unittest.TestCase):
    def test_a_local_block_has_every_required_member(self) -> None:
        decision = client_of("http://127.0.0.1:1").check_write(INTENT)
        self.assertEqual(
            {
                name: decision.members[name]
                for name in ("decision", "allowed", "reason_code", "schemaVersion", "origin")
            },
            {
                "decision": "block",
                "allowed": False,
                "reason_code": "no_valid_decision",
                "schemaVersion": "write_intent.v1",
                "origin": "client",
            },
        )
        self.assertEqual(decision.members["cause"]["kind"], "connection_failed")
        self.assertIn("ECONNREFUSED", decision.reason)

    def test_a_retry_carries_the_same_key_within_one_deadline(self) -> None:
        with serving(refusing(503)) as service:
            decision = client_of(service.url).check_write(INTENT)
            keys = {request.headers["idempotency-key"] for request in service.received}
            self.assertEqual((len(service.received), len(keys)), (4, 1))
            self.assertEqual(decision.cause and decision.cause.kind, "service_failed")
        with serving(refusing(503, Retry_After="60")) as service:
            client_of(service.url).check_write(INTENT)
            self.assertEqual(len(service.received), 1)

    def test_silence_and_bytes_one_at_a_time_end_at_the_deadline(self) -> None:
        def blocking(url: str) -> Decision:
            return client_of(url, timeout_seconds=0.4).check_write(INTENT)

        def with_asyncio(url: str) -> Decision:
            return asyncio.run(AsyncClient(KEY, url, timeout_seconds=0.4).check_write(INTENT))

        for respond in (silent, dripping):
            for check in (blocking, with_asyncio):
                with serving(respond) as service:
                    decision = check(service.url)
                    self.assertEqual(decision.cause and decision.cause.kind, "timeout")

    def test_the_deadline_covers_looking_up_a_name(self) -> None:
        real, decided = socket.getaddrinfo, threading.Event()
        found: list[bool] = []

        def slow(*args, **kwargs):  # type: ignore[no-untyped-def]
            if kwargs.get("flags") != socket.AI_NUMERICHOST:
                found.append(decided.wait(60))
            return real(*args, **kwargs)

        with mock.patch("socket.getaddrinfo", slow):
            decision = client_of("http://writecheck.localhost", timeout_seconds=0.3).check_write(INTENT)
            self.assertEqual(found, [])
            decided.set()
        self.assertEqual(decision.cause and decision.cause.kind, "timeout")

    def test_a_wrong_wall_clock_does_no_harm(self) -> None:
        with serving(allowing()) as service:
            for now in (0.0, 4e9):
                with mock.patch("time.time", lambda now=now: now):
                    self.assertTrue(client_of(service.url).check_write(INTENT))

    def test_an_allow_runs_out_on_the_monotonic_clock(self) -> None:
        with serving(allowing()) as service:
            client = client_of(service.url)
            guard = client.guard_write(INTENT)
            self.assertTrue(guard.admit())
            real = time.monotonic
            jumps = iter([0.0, 0.0, 0.0, 0.0])

            def jumping() -> float:
                return real() + next(jumps, 301.0)

            with mock.patch("writecheck._judge.time.monotonic", jumping):
                ran: list[int] = []
                outcome = client_of(service.url, timeout_seconds=1000).guard_write(
                    INTENT, lambda: ran.append(1)
                )
            self.assertEqual(ran, [])
            self.assertFalse(outcome.executed)

    def test_only_an_outage_lets_an_unprotected_write_run(self) -> None:
        def run(respond, **options: float) -> tuple[bool, bool]:  # type: ignore[no-untyped-def]
            with serving(respond) as service:
                client = client_of(service.url, **options)
                outcome = client.guard_write(INTENT, lambda: None, unprotected=True)
                return outcome.executed, outcome.unprotected

        def refused_without_end(_request, connection) -> None:  # type: ignore[no-untyped-def]
            connection.sendall(
                b"HTTP/1.1 403 No\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
            )
            silent(_request, connection)

        attempts: list[int] = []

        def limited_then_silent(request, connection) -> None:  # type: ignore[no-untyped-def]
            attempts.append(1)
            (refusing(429, Retry_After="0") if len(attempts) == 1 else silent)(request, connection)

        self.assertEqual(run(refusing(503)), (True, True))
        self.assertEqual(run(silent, timeout_seconds=0.3), (True, True))
        self.assertEqual(run(refusing(403)), (False, False))
        # Part of a response may be part of a refusal.
        for part in (b"HTTP/1.1 403 Forb", b"HTTP/1.1 200 OK\nContent-Length: 2\n\n{}", b"hello"):
            self.assertEqual(run(lambda _, connection, part=part: connection.sendall(part)), (False, False))
        self.assertEqual(run(refused_without_end, timeout_seconds=1.5), (False, False))
        self.assertEqual(run(limited_then_silent, timeout_seconds=1.5), (False, False))
        self.assertEqual(run(pausing()), (False, False))
        self.assertEqual(run(allowing(intentDigest="sha256:0")), (False, False))

    def test_only_true_itself_makes_a_write_unprotected(self) -> None:
        client = client_of("http://127.0.0.1:1", retries=0)
        for word in ("false", 1, [1], object()):
            outcome = client.guard_write(INTENT, lambda: 1, unprotected=word)  # type: ignore[call-overload]
            self.assertFalse(outcome)

    def test_an_error_inside_the_client_is_a_block(self) -> None:
        def broken(*_args: object) -> None:
            raise RuntimeError("a mistake of ours")

        with serving(allowing()) as service, mock.patch("writecheck._guard.ask_once", broken):
            outcome = client_of(service.url).guard_write(INTENT, lambda: 1)
            self.assertEqual((outcome.executed, service.received), (False, []))
            self.assertEqual(outcome.decision.cause and outcome.decision.cause.kind, "client_fault")

    def test_a_refusal_is_not_sent_again(self) -> None:
        for status in (400, 401, 403, 422):
            with serving(refusing(status)) as service:
                client_of(service.url, retries=3).check_write(INTENT)
                self.assertEqual(len(service.received), 1)

    def test_after_a_pause_an_outage_does_not_let_an_unprotected_write_run(self) -> None:
        def respond(request, connection) -> None:  # type: ignore[no-untyped-def]
            review = {
                "id": "rev_1",
                "state": "approved",
                "intentDigest": intent_digest(INTENT),
                "url": "http://localhost/rev_1",
                "controls": [{"controlId": "approval"}],
                "evidence": [
                    {
                        "controlId": "approval",
                        "source": "review-desk",
                        "result": "PASS",
                        "evidenceRef": "urn:writecheck:review:rev_1",
                    }
                ],
            }
            if request.line.startswith("POST /v1/reviews"):
                connection.sendall(http({"review": review}, 201))
            elif b"urn:writecheck:review" in request.body:
                refusing(503)(request, connection)
            else:
                pausing(review={"controls": ["approval"]})(request, connection)

        with serving(respond) as service:
            client = client_of(service.url, retries=0)
            review = ReviewOptions(wait_seconds=0)
            outcome = client.guard_write(INTENT, lambda: None, unprotected=True, review=review)
            self.assertEqual(len(service.received), 3)
        self.assertEqual((outcome.executed, outcome.decision.cause.kind), (False, "service_failed"))  # type: ignore[union-attr]

    def test_a_stored_allow_of_another_call_needs_a_key_of_the_caller_and_a_date_at_which_it_still_holds(self) -> None:
        def replaying(request_id: str | None = "r-first", **headers: str):  # type: ignore[no-untyped-def]
            def respond(request, connection) -> None:  # type: ignore[no-untyped-def]
                times = {"timestamp": "2020-01-01T00:00:00.000Z", "validUntil": "2020-01-01T00:05:00.000Z"}
                change = times if request_id is None else {**times, "request_id": request_id}
                connection.sendall(http(allow_to(request, **change), **headers))

            return respond

        then = "Wed, 01 Jan 2020 00:04:00 GMT"
        for respond, fresh, named in (
            (replaying(None), True, True),
            (replaying(None, Idempotency_Replayed="true", Date=then), True, True),
            (replaying(Idempotency_Replayed="true", Date=then), False, True),
            (replaying(Idempotency_Replayed="true"), False, False),
            (replaying(Idempotency_Replayed="true", Date="0"), False, False),
            (replaying(Idempotency_Replayed="false", Date=then), False, False),
            (replaying(Date=then), False, False),
        ):
            with self.subTest(fresh=fresh, named=named), serving(respond) as service:
                client = client_of(service.url)
                self.assertEqual(client.check_write(INTENT).allowed, fresh)
                self.assertEqual(client.check_write(INTENT, idempotency_key="mine").allowed, named)
                self.assertEqual(client.check_write(INTENT, call_id="mine").allowed, named)

    def test_plain_http_to_another_host_is_warned_of_without_the_key(self) -> None:
        with self.assertWarnsRegex(UserWarning, "http://writecheck.internal is not encrypted") as warned:
            client_of("http://writecheck.internal")
        self.assertEqual(warned.filename, __file__)
        self.assertNotIn(KEY, str(warned.warning))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for url in ("https://writecheck.internal", "http://localhost:8080", "http://127.0.0.1", "http://[::1]:81"):
                client_of(url)

    def test_a_refusal_that_comes_before_the_whole_request_is_read_is_a_refusal(self) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        with listener:
            def refuse() -> None:
                connection, _ = listener.accept()
                with connection:
                    connection.sendall(http({"error": {"code": "body_too_large", "message": "no"}}, 413))
                    connection.shutdown(socket.SHUT_WR)
                    time.sleep(0.3)

            threading.Thread(target=refuse, daemon=True).start()
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            large = {**INTENT, "agentValue": "x" * 8_000_000}
            decision = client_of(url, retries=0, timeout_seconds=5).check_write(large)
        self.assertEqual(decision.cause and decision.cause.code, "body_too_large")

    def test_settings_that_cannot_work_are_refused_without_showing_the_key(self) -> None:
        wrong = (
            {"base_url": "ftp://x"},
            {"base_url": "http://user:pw@x"},
            {"base_url": "http://x?y"},
            {"base_url": "http://x\r\ny"},
            {"base_url": "http://x:99999"},
            {"base_url": "http://x", "timeout_seconds": 0},
            {"base_url": "http://x", "timeout_seconds": float("nan")},
            {"base_url": "http://x", "retries": -1},
            {"base_url": "http://x", "api_key": "a b\r\nX-Evil: 1"},
        )
        for options in wrong:
            with self.assertRaises(ValueError) as raised:
                Client(**{"api_key": KEY, **options})  # type: ignore[arg-type]
            self.assertNotIn(KEY, str(raised.exception))
            self.assertNotIn("X-Evil", str(raised.exception))


if __name__ == "__main__":
    unittest.main()
