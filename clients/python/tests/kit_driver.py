"""Runs the Python client for the fail-closed kit: `kit_driver.py sync` or `kit_driver.py asyncio`."""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from writecheck import AsyncClient, Client, ReviewOptions

ROOMS = 16
INTENT = {
    "system": "crm",
    "objectType": "contact",
    "objectRef": "c-1",
    "field": "email",
    "agentValue": "a@example.org",
}
_lock = threading.Lock()


def say(**message: object) -> None:
    with _lock:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


def options_of(scenario: dict[str, Any]) -> dict[str, Any]:
    named = {"call_id": secrets.token_hex(16)}
    if not scenario["review"]:
        return named
    return {**named, "review": ReviewOptions(wait_seconds=scenario["waitMs"] / 1000)}


def settings_of(scenario: dict[str, Any]) -> dict[str, Any]:
    return {
        "api_key": scenario["apiKey"],
        "base_url": scenario["baseUrl"],
        "timeout_seconds": scenario["timeoutMs"] / 1000,
    }


def run_blocking(scenario: dict[str, Any]) -> None:
    client = Client(**settings_of(scenario))
    write = lambda: say(type="write", id=scenario["id"])  # noqa: E731
    outcome = client.guard_write(lambda: INTENT, write, **options_of(scenario))
    say(type="end", id=scenario["id"], stopped=outcome.stopped)


def drive_blocking() -> None:
    with ThreadPoolExecutor(ROOMS) as pool:
        for line in sys.stdin:
            pool.submit(run_blocking, json.loads(line))


async def run_async(scenario: dict[str, Any]) -> None:
    async def write() -> None:
        say(type="write", id=scenario["id"])

    client = AsyncClient(**settings_of(scenario))
    outcome = await client.guard_write(lambda: INTENT, write, **options_of(scenario))
    say(type="end", id=scenario["id"], stopped=outcome.stopped)


async def drive_async() -> None:
    loop = asyncio.get_running_loop()
    tasks = set()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        task = loop.create_task(run_async(json.loads(line)))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


if __name__ == "__main__":
    if sys.argv[1] == "asyncio":
        asyncio.run(drive_async())
    else:
        drive_blocking()
