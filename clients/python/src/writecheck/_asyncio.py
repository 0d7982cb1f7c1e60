"""Performs flows with asyncio: nothing is bound to a loop, and cancelling the task cancels the check."""

from __future__ import annotations

import asyncio
import inspect
import time
from typing import Any, TypeVar

from ._exchange import Answer, Exchange, Failure, Request
from ._flow import Call, CallFailed, Effect, Flow, Send, Sleep, drive_async
from ._http import request_bytes
from ._settings import Settings
from ._sync import code_of

T = TypeVar("T")
_RECEIVE_BYTES = 65_536
_HAPPY_EYEBALLS_SECONDS = 0.25
_CLOSING_SECONDS = 0.1


async def run(flow: Flow[T], settings: Settings) -> T:
    return await drive_async(flow, lambda effect: _perform(effect, settings))


async def _perform(effect: Effect, settings: Settings) -> Any:
    if isinstance(effect, Send):
        return await _send(effect.request, effect.deadline, effect.settings or settings)
    if isinstance(effect, Sleep):
        return await asyncio.sleep(max(0.0, effect.seconds))
    if effect.timeout_seconds is None:
        return await _called(effect)
    return await _called_in_time(effect, effect.timeout_seconds)


async def _called_in_time(effect: Call, timeout_seconds: float) -> Any:
    calling = asyncio.ensure_future(_called(effect))
    try:
        # Not wait_for, see _send. Nothing can abandon a function that never awaits.
        await asyncio.wait({calling}, timeout=timeout_seconds)
        return calling.result() if calling.done() else effect.late()
    except asyncio.CancelledError:
        if calling.cancelled():
            return CallFailed()
        raise
    finally:
        calling.cancel()


async def _called(effect: Call) -> Any:
    try:
        value = effect.function()
        return await value if inspect.isawaitable(value) else value
    except Exception:
        return CallFailed()


async def _send(request: Request, deadline: float, settings: Settings) -> Answer | Failure:
    exchange = Exchange(request, settings.api_key)
    attempt = asyncio.ensure_future(_attempt(exchange, request, settings))
    try:
        # Not wait_for: before Python 3.12 it can lose a cancellation, and then an unwanted write would run.
        await asyncio.wait({attempt}, timeout=max(0.0, deadline - time.monotonic()))
        if attempt.done():
            return attempt.result()
        attempt.cancel()
        # The socket closes within a turn or two of the loop, which the caller may close right after this call.
        await asyncio.wait({attempt}, timeout=_CLOSING_SECONDS)
        await asyncio.sleep(0)
        return exchange.late()
    finally:
        attempt.cancel()


async def _attempt(exchange: Exchange, request: Request, settings: Settings) -> Answer | Failure:
    address = settings.address
    try:
        reader, writer = await asyncio.open_connection(
            address.host, address.port, ssl=address.tls, happy_eyeballs_delay=_HAPPY_EYEBALLS_SECONDS
        )
    except OSError as error:
        return exchange.failed(code_of(error))
    try:
        # Does not wait until it is sent: a service that refuses early may respond before it has read everything.
        writer.write(
            request_bytes(
                address, request.method, request.path, settings.api_key, dict(request.headers), request.body
            )
        )
        while True:
            data = await reader.read(_RECEIVE_BYTES)
            outcome = exchange.feed(data) if data else exchange.closed()
            if outcome is not None:
                return outcome
    except OSError as error:
        return exchange.failed(code_of(error))
    finally:
        writer.transport.abort()
