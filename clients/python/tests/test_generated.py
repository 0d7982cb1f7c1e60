"""The client for programs that block is the one for asyncio, without its awaits."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

HOME = Path(__file__).parent.parent
sys.path.insert(0, str(HOME))

import generate_client  # noqa: E402


class Generated(unittest.TestCase):
    def test_client_py_is_what_generate_client_makes_of_aio_py(self) -> None:
        source, made = ((HOME / "src" / "writecheck" / name).read_text("utf-8") for name in ("aio.py", "client.py"))
        self.assertEqual(made, generate_client.blocking(source))
        for word in ("async", "await", "Async", "Coroutine"):
            self.assertNotRegex(made, rf"\b{word}(?!Client for a)")


if __name__ == "__main__":
    unittest.main()
