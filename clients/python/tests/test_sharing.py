"""Threads, event loops, forks, cancellation, and secrets."""

from __future__ import annotations

import asyncio
import gc
import itertools
import os
import sys
import threading
import traceback
import unittest
import warnings
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

from serving import INTENT, KEY, allowing, http, serving, silent
from writecheck import AsyncClient, Client, sign_evidence
from writecheck.adapters.tools import call_id_from


class Sharing(unittest.TestCase):
    def test_threads_share_a_client(self) -> None:
        with serving(allowing()) as service:
            client = Client(KEY, service.url, timeout_seconds=20)

            def write(at: int) -> object:
                return client.guard_write({**INTENT, "objectRef": str(at)}, lambda: at).result

            with ThreadPoolExecutor(16) as pool:
                self.assertEqual(list(pool.map(write, range(100))), list(range(100)))

    def test_event_loops_share_a_client(self) -> None:
        with serving(allowing()) as service:
            client = AsyncClient(KEY, service.url, timeout_seconds=20)

            async def many() -> int:
                decisions = await asyncio.gather(*(client.check_write(INTENT) for _ in range(20)))
                return sum(map(bool, decisions))

            self.assertEqual(asyncio.run(many()), 20)
            with ThreadPoolExecutor(4) as pool:
                self.assertEqual(list(pool.map(lambda _: asyncio.run(many()), range(4))), [20] * 4)

    def test_a_cancelled_task_does_not_write(self) -> None:
        ran: list[int] = []

        async def main(url: str) -> None:
            client = AsyncClient(KEY, url)
            task = asyncio.ensure_future(client.guard_write(INTENT, lambda: ran.append(1), unprotected=True))
            await asyncio.sleep(0.2)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            await asyncio.sleep(0)
            left = [other for other in asyncio.all_tasks() if other is not asyncio.current_task()]
            await asyncio.gather(*left, return_exceptions=True)

        with serving(silent) as service:
            asyncio.run(main(service.url))
        self.assertEqual(ran, [])

    @unittest.skipUnless(hasattr(os, "fork"), "this system does not fork")
    def test_a_loop_that_is_closed_right_after_a_timeout_leaves_no_socket_open(self) -> None:
        with serving(silent) as service, warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", ResourceWarning)
            loop = asyncio.new_event_loop()
            client = AsyncClient(KEY, service.url, timeout_seconds=0.2)
            self.assertFalse(loop.run_until_complete(client.check_write(INTENT)))
            loop.close()
            gc.collect()
        self.assertEqual([str(warning.message) for warning in warned if "transport" in str(warning.message)], [])

    def test_proxies_in_the_environment_are_not_used(self) -> None:
        names = ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")
        with serving(silent) as proxy, serving(allowing()) as service:
            with mock.patch.dict(os.environ, {name: proxy.url for name in names}):
                self.assertTrue(Client(KEY, service.url, timeout_seconds=20).check_write(INTENT))
                aclient = AsyncClient(KEY, service.url, timeout_seconds=20)
                self.assertTrue(asyncio.run(aclient.check_write(INTENT)))
            self.assertEqual(proxy.received, [])

    def test_a_client_works_after_a_fork_and_names_its_calls_anew(self) -> None:
        with serving(allowing()) as service:
            client = Client(KEY, service.url, timeout_seconds=20)
            self.assertTrue(client.check_write(INTENT))
            name = call_id_from("tool", "call_1")
            read_end, write_end = os.pipe()
            child = os.fork()
            if child == 0:
                allowed = bool(client.check_write(INTENT))
                is_new = call_id_from("tool", "call_1") != name
                os.write(write_end, b"good" if allowed and is_new else b"bad!")
                os._exit(0)
            os.waitpid(child, 0)
            self.assertEqual(os.read(read_end, 4), b"good")
            self.assertEqual(call_id_from("tool", "call_1"), name)
            os.close(read_end)
            os.close(write_end)


class Secrets(unittest.TestCase):
    def assert_unseen(self, text: str) -> None:
        self.assertNotIn(KEY, text)
        self.assertNotIn(KEY[8:], text)

    def test_no_representation_shows_the_key(self) -> None:
        for client in (Client(KEY, "http://127.0.0.1:1"), AsyncClient(KEY, "http://127.0.0.1:1")):
            for shown in (repr(client), str(client), repr(vars(client)), f"{client}"):
                self.assert_unseen(shown)

    def test_no_traceback_shows_the_key_even_with_local_variables(self) -> None:
        def fails() -> None:
            raise RuntimeError("the CRM is away")

        def interrupted() -> dict[str, str]:
            raise KeyboardInterrupt

        with serving(allowing()) as service:
            client, aclient = Client(KEY, service.url), AsyncClient(KEY, service.url)
            acts = (
                lambda: client.guard_write(INTENT, fails),
                lambda: client.guard_write(interrupted, fails),
                lambda: asyncio.run(aclient.guard_write(INTENT, fails)),
                lambda: build_wrongly(),
            )
            for act in acts:
                try:
                    act()
                except BaseException:
                    shown = "".join(
                        traceback.TracebackException(*sys.exc_info(), capture_locals=True).format()
                    )
                    self.assertIn("Error" if "Error" in shown else "KeyboardInterrupt", shown)
                    self.assert_unseen(shown)
                else:
                    self.fail("must raise")

    def test_a_service_that_echoes_the_key_does_not_get_it_into_a_cause(self) -> None:
        def echo(request, connection) -> None:  # type: ignore[no-untyped-def]
            key = request.headers["authorization"].split()[1]
            body = {"error": {"code": key, "message": f"wrong key {key}"}, "request_id": key}
            connection.sendall(http(body, 401))

        with serving(echo) as service:
            decision = Client(KEY, service.url).check_write(INTENT)
        self.assert_unseen(repr(decision) + repr(decision.members))
        self.assertIn("[key]", decision.reason)

    def test_a_key_in_a_text_that_is_cut_is_not_shown_in_part(self) -> None:
        for before, status in itertools.product((90, 120, 290), (200, 401)):

            def echo(request, connection, before=before, status=status) -> None:  # type: ignore[no-untyped-def]
                text = "x" * before + request.headers["authorization"].split()[1]
                problem = {"error": {"code": text, "message": text}, "request_id": text}
                connection.sendall(http(problem, status))

            with serving(echo) as service:
                decision = Client(KEY, service.url).check_write(INTENT)
            self.assertNotIn(KEY[:6], repr(decision) + repr(decision.members))

    def test_no_traceback_shows_the_private_key_of_evidence(self) -> None:
        secret = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"
        wrong = {**INTENT, "agentValue": {"a set"}}
        named = {"kid": "k", "source": "s", "workspace": "w", "control_id": "c", "result": "PASS"}
        for curve, value, intent in (
            ("Ed448", secret, INTENT),
            ("Ed25519", secret[:-3], INTENT),
            ("Ed25519", secret, wrong),
        ):
            try:
                sign_evidence(key={"crv": curve, "d": value}, intent=intent, **named)  # type: ignore[arg-type]
                self.fail("must raise")
            except (ValueError, ImportError) as error:
                # It also raises if `cryptography` is missing. The first frame is the caller's.
                trace = error.__traceback__
                assert trace is not None and trace.tb_next is not None
                frames = traceback.TracebackException(type(error), error, trace.tb_next, capture_locals=True)
                shown = "".join(frames.format())
            self.assertIn("sign_evidence", shown)
            self.assertNotIn(secret[:20], shown)

    def test_no_thread_is_left_behind(self) -> None:
        before = set(threading.enumerate())
        with serving(allowing()) as service:
            url = service.url.replace("127.0.0.1", "localhost")
            self.assertTrue(Client(KEY, url, timeout_seconds=20).check_write(INTENT))
        new = [thread for thread in threading.enumerate() if thread not in before]
        for thread in new:
            if thread.name.startswith("writecheck"):
                thread.join(5)
                self.assertFalse(thread.is_alive())


def build_wrongly() -> None:
    # The key is an argument here, so that this frame does not hold it itself.
    Client(*"".join(["wck_dev_a_key_", "that_nobody_may_see"]).split(), "ftp://nowhere")


if __name__ == "__main__":
    unittest.main()
