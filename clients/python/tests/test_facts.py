"""Facts: fetched before every check, from a function or a reader; a failure there stops the write."""

from __future__ import annotations

import asyncio
import base64
import contextvars
import json
import socket
import threading
import traceback
import unittest
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from serving import INTENT, KEY, Received, Service, allow_for, http, serving
from writecheck import AsyncClient, Client, MissingExtra, Unanswered, _sync, sign_evidence

ITEM = {"controlId": "contact", "source": "crm-reader", "result": "PASS", "attestation": "a.b.c"}
NEEDED = {"controlId": "contact", "bind": "object", "assurance": "attested"}
TOKEN = "a-token-that-nobody-may-see"


class World:
    """A service that needs facts and allows, and a reader at the same address."""

    def __init__(self) -> None:
        self.policy_ref = "sha256:1"
        self.needed: Any = [NEEDED]
        self.requirements_status = 200
        self.reader_status = 200
        self.read: Any = {"controlEvidence": [ITEM]}

    def respond(self, request: Received, connection: socket.socket) -> None:
        path = request.line.split(" ")[1]
        if path.startswith("/facts"):
            connection.sendall(http(self.read, self.reader_status))
        elif path == "/v1/requirements":
            answer = {"requirements": [], "authority": {}, "evaluated": {}, "remediation": []}
            if self.needed is not None:
                answer["facts"] = self.needed
            connection.sendall(http(answer, self.requirements_status))
        else:
            headers, provenance = request.headers, {"policyRef": self.policy_ref}
            allow = allow_for(request.json, headers["x-request-id"], profileProvenance=provenance)
            connection.sendall(http(allow))


@contextmanager
def world() -> Any:
    state = World()
    with serving(state.respond) as service:
        yield state, service


def paths(service: Service) -> list[str]:
    return [request.line.split(" ")[1] for request in service.received]


class Facts(unittest.TestCase):
    def test_they_are_fetched_before_every_check_and_sent_as_evidence(self) -> None:
        asked: list[Any] = []

        def facts(needed: Any, intent: Any) -> Any:
            asked.append((needed, dict(intent)))
            intent["agentValue"] = "changed"
            return [ITEM]

        with world() as (_, service):
            client = Client(KEY, service.url, facts=facts)
            own = {"controlId": "identity", "source": "okta", "result": "PASS"}
            self.assertTrue(client.check_write({**INTENT, "controlEvidence": [own]}))
            self.assertEqual(paths(service), ["/v1/requirements", "/v1/check-write"])
            self.assertEqual(service.received[1].json["controlEvidence"], [own, ITEM])
            self.assertEqual(service.received[1].json["agentValue"], INTENT["agentValue"])
            self.assertEqual(asked[0][0], [NEEDED])

    def test_the_requirements_are_kept_until_a_decision_has_another_policy(self) -> None:
        with world() as (state, service):
            client = Client(KEY, service.url, facts=lambda needed, intent: [ITEM])
            client.check_write(INTENT)
            client.check_write({**INTENT, "objectRef": "c-2"})
            self.assertEqual(paths(service).count("/v1/requirements"), 1)
            client.check_write({**INTENT, "field": "phone"})
            self.assertEqual(paths(service).count("/v1/requirements"), 2)
            state.policy_ref = "sha256:2"
            client.check_write(INTENT)
            client.check_write(INTENT)
            self.assertEqual(paths(service).count("/v1/requirements"), 3)

    def test_none_are_fetched_if_no_rule_reads_any(self) -> None:
        for needed in ([], None):
            with world() as (state, service):
                state.needed = needed
                client = Client(KEY, service.url, facts=lambda needed, intent: 1 / 0)  # type: ignore[arg-type,return-value]
                self.assertTrue(client.check_write(INTENT))

    def test_a_reader_is_asked_for_what_is_needed_without_the_evidence(self) -> None:
        with world() as (_, service):
            client = Client(KEY, service.url, facts={"url": service.url, "token": TOKEN})
            own = {"controlId": "identity", "source": "okta", "result": "PASS"}
            self.assertTrue(client.check_write({**INTENT, "controlEvidence": [own]}))
            reader = service.received[1]
            self.assertEqual(reader.line, "POST /facts?controls=contact HTTP/1.1")
            self.assertEqual(reader.headers["authorization"], f"Bearer {TOKEN}")
            self.assertEqual(reader.json, INTENT)

    def test_what_fails_stops_the_write_unprotected_or_not(self) -> None:
        def raising(needed: Any, intent: Any) -> Any:
            raise RuntimeError("a secret")

        async def coroutine(needed: Any, intent: Any) -> Any:
            return [ITEM]

        sources: list[Any] = [
            raising,
            coroutine,
            lambda needed, intent: None,
            lambda needed, intent: ITEM,
            lambda needed, intent: ["x"],
            lambda needed, intent: [{**ITEM, "x": object()}],
            {"url": "ftp://x", "token": TOKEN},
            {"url": "http://127.0.0.1:9", "token": TOKEN},
        ]
        for source in sources:
            with world() as (_, service):
                client = Client(KEY, service.url, retries=0)
                ran: list[int] = []
                outcome = client.guard_write(INTENT, lambda: ran.append(1), facts=source, unprotected=True)
                cause = outcome.decision.cause
                self.assertEqual(cause and cause.kind, "facts")
                self.assertNotIn("a secret", str(outcome))
                self.assertEqual((outcome.executed, ran, paths(service)), (False, [], ["/v1/requirements"]))

    def test_a_function_that_never_ends_stops_the_write_once_the_time_is_over(self) -> None:
        forever = threading.Event()

        async def waits(needed: Any, intent: Any) -> Any:
            await asyncio.get_running_loop().create_future()

        with world() as (_, service):
            blocks: Any = lambda needed, intent: forever.wait()  # noqa: E731
            for client in (Client(KEY, service.url), AsyncClient(KEY, service.url)):
                quick: Any = client.check_write(INTENT, facts=lambda needed, intent: [ITEM])
                self.assertTrue(asyncio.run(quick) if isinstance(client, AsyncClient) else quick)
                # What is needed is known now, so only the function has this little time.
                client._settings = replace(client._settings, timeout_seconds=0.01)
                is_async = isinstance(client, AsyncClient)
                guarded: Any = client.guard_write(
                    INTENT, lambda: self.fail("it ran"), facts=waits if is_async else blocks, unprotected=True
                )
                outcome = asyncio.run(guarded) if is_async else guarded
                cause = outcome.decision.cause
                self.assertEqual((cause.kind, cause.message), ("facts", "`facts` took longer than 0.01 s"))
        forever.set()

    def test_functions_that_never_end_do_not_make_ever_more_threads(self) -> None:
        ends, called = threading.Event(), threading.Semaphore(0)

        def hangs(needed: Any, intent: Any) -> Any:
            called.release()
            ends.wait()

        with world() as (_, service), patch.object(_sync, "_places", threading.Semaphore(1)) as places:
            client = Client(KEY, service.url, facts=hangs)
            # What is needed is known after the first check, so only the function has this little time.
            self.assertTrue(client.check_write(INTENT, facts=lambda needed, intent: [ITEM]))
            client._settings = replace(client._settings, timeout_seconds=0.01)
            late, refused = (client.guard_write(INTENT, self.fail, unprotected=True) for _ in range(2))
            for outcome, why in (late, "took longer than 0.01 s"), (refused, "is still running 256 times"):
                cause: Any = outcome.decision.cause
                self.assertEqual(cause.kind, "facts")
                self.assertIn(why, cause.message)
            self.assertTrue(called.acquire(timeout=10))
            self.assertFalse(called.acquire(blocking=False))
            ends.set()
            self.assertTrue(places.acquire(timeout=5))

    def test_a_function_that_no_thread_can_run_stops_the_write(self) -> None:
        with world() as (_, service), patch.object(_sync, "_places", threading.Semaphore(1)):
            client = Client(KEY, service.url, facts=lambda needed, intent: [ITEM])
            start = threading.Thread.start

            def refuse(thread: threading.Thread) -> None:
                if thread.name == "writecheck-facts":
                    raise RuntimeError("can't start new thread")
                start(thread)

            with patch.object(threading.Thread, "start", refuse):
                outcome = client.guard_write(INTENT, self.fail, unprotected=True)
            cause: Any = outcome.decision.cause
            self.assertEqual(cause.kind, "facts")
            self.assertTrue(client.check_write(INTENT))

    def test_a_function_keeps_its_context(self) -> None:
        user: contextvars.ContextVar[str] = contextvars.ContextVar("user")
        user.set("ada")
        with world() as (_, service):
            facts: Any = lambda needed, intent: [{**ITEM, "evidenceRef": user.get()}]  # noqa: E731
            Client(KEY, service.url, facts=facts).check_write(INTENT)
            self.assertEqual(service.received[1].json["controlEvidence"][0]["evidenceRef"], "ada")

    def test_cancelling_a_check_cancels_its_function(self) -> None:
        async def run() -> bool:
            entered, left = asyncio.Event(), asyncio.Event()

            async def facts(needed: Any, intent: Any) -> Any:
                entered.set()
                try:
                    await asyncio.sleep(60)
                finally:
                    left.set()

            task = asyncio.ensure_future(AsyncClient(KEY, service.url, facts=facts).check_write(INTENT))
            await entered.wait()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(left.wait(), 5)
            return True

        with world() as (_, service):
            self.assertTrue(asyncio.run(run()))

    def test_requirements_are_asked_with_facts(self) -> None:
        with world() as (_, service):
            client = Client(KEY, service.url, facts=lambda needed, intent: [ITEM])
            self.assertNotIsInstance(client.requirements(INTENT), Unanswered)
            self.assertEqual(paths(service), ["/v1/requirements", "/v1/requirements"])
            self.assertEqual(service.received[1].json["controlEvidence"], [ITEM])
            failed = client.requirements(INTENT, facts=lambda needed, intent: 1 / 0)  # type: ignore[arg-type,return-value]
            assert isinstance(failed, Unanswered)
            self.assertEqual(failed.cause.kind, "facts")

    def test_a_reader_that_refuses_stops_the_write(self) -> None:
        for status in (401, 403, 404, 422, 424, 503):
            with world() as (state, service):
                state.reader_status = status
                facts = {"url": service.url, "token": TOKEN}
                client = Client(KEY, service.url, retries=0, facts=facts)
                outcome = client.guard_write(INTENT, lambda: 1, unprotected=True)
                cause = outcome.decision.cause
                self.assertEqual((cause and (cause.kind, cause.status), outcome.executed), (("facts", status), False))

    def test_an_outage_of_the_service_stays_one(self) -> None:
        with world() as (state, service):
            state.requirements_status = 503
            client = Client(KEY, service.url, retries=0, facts=lambda needed, intent: [ITEM])
            cause = client.check_write(INTENT).cause
            self.assertEqual(cause and cause.kind, "service_failed")

    def test_asyncio_takes_a_coroutine_function(self) -> None:
        async def facts(needed: Any, intent: Any) -> Any:
            await asyncio.sleep(0)
            return [ITEM]

        with world() as (_, service):
            decision = asyncio.run(AsyncClient(KEY, service.url, facts=facts).check_write(INTENT))
            self.assertTrue(decision)
            self.assertEqual(service.received[1].json["controlEvidence"], [ITEM])

    def test_no_traceback_shows_the_token(self) -> None:
        for facts in ({"url": "ftp://x", "token": TOKEN}, {"token": TOKEN}, 5):
            with self.assertRaises(ValueError) as raised:
                Client(KEY, "http://127.0.0.1:1", facts=facts)  # type: ignore[arg-type]
            shown = "".join(traceback.TracebackException.from_exception(raised.exception, capture_locals=True).format())
            within = shown.split("_settings.py", 1)[-1]
            self.assertNotIn(TOKEN, within)


class Signing(unittest.TestCase):
    def test_facts_are_a_claim_and_their_limits_hold(self) -> None:
        jwk = {"kty": "OKP", "crv": "Ed25519", "d": base64.urlsafe_b64encode(bytes(32)).decode().rstrip("=")}

        def sign(facts: Any) -> Any:
            return sign_evidence(
                key=jwk,
                kid="k",
                source="crm-reader",
                workspace="ws_1",
                control_id="contact",
                result="PASS",
                intent=INTENT,
                bind="object",
                facts=facts,
            )

        try:
            item = sign({"cabin": "business", "lines": [1.5]})
        except MissingExtra:
            self.skipTest("no cryptography")
        payload = item["attestation"].split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=="))
        self.assertEqual(claims["facts"], {"cabin": "business", "lines": [1.5]})
        deep: Any = []
        for _ in range(15):
            deep = [deep]
        for wrong in ([], "x", {"a": "x" * 16_384}, {"a": deep}, {"a": float("nan")}):
            with self.assertRaises(ValueError):
                sign(wrong)


if __name__ == "__main__":
    unittest.main()
