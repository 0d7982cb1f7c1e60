"""Certificates are verified, and a private authority is trusted by SSL_CERT_FILE."""

from __future__ import annotations

import asyncio
import os
import shutil
import ssl
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from serving import INTENT, KEY, Service, allowing
from writecheck import AsyncClient, Client

OPENSSL = shutil.which("openssl")


class TlsService(Service):
    def __init__(self, certificate: Path, key: Path) -> None:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate, key)
        super().__init__(allowing())
        self.url = self.url.replace("http://127.0.0.1", "https://localhost")
        self._context = context

    def _serve(self, connection):  # type: ignore[no-untyped-def]
        try:
            secured = self._context.wrap_socket(connection, server_side=True)
        except OSError:
            return connection.close()
        return super()._serve(secured)


@unittest.skipIf(OPENSSL is None, "openssl is not installed")
class Tls(unittest.TestCase):
    def test_only_a_trusted_certificate_of_the_right_name_is_spoken_to(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            certificate, key = Path(folder, "certificate"), Path(folder, "key")
            command = [str(OPENSSL), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
            names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
            files = ["-keyout", str(key), "-out", str(certificate)]
            subprocess.run([*command, *names, *files], check=True, capture_output=True)
            service = TlsService(certificate, key)
            other_name = service.url.replace("localhost", "127.0.0.1")
            for trusted, url, expected in (
                (True, service.url, None),
                (True, other_name, "connection_failed"),
                (False, service.url, "connection_failed"),
            ):
                environment = {"SSL_CERT_FILE": str(certificate)} if trusted else {}
                with mock.patch.dict(os.environ, environment):
                    client = Client(KEY, url, retries=0, timeout_seconds=20)
                    aclient = AsyncClient(KEY, url, retries=0, timeout_seconds=20)
                decisions = (client.check_write(INTENT), asyncio.run(aclient.check_write(INTENT)))
                for decision in decisions:
                    self.assertEqual(decision.cause and decision.cause.kind, expected)
            self.assertEqual(len(service.received), 2)
            service.close()


if __name__ == "__main__":
    unittest.main()
