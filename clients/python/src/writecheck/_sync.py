"""Performs flows with blocking sockets: one connection for each attempt, so threads and forks share nothing."""

from __future__ import annotations

import contextvars
import errno
import inspect
import os
import queue
import socket
import ssl
import threading
import time
from typing import Any, TypeVar

from ._exchange import Answer, Exchange, Failure, Request
from ._flow import Call, CallFailed, Effect, Flow, Send, Sleep, drive
from ._http import request_bytes
from ._settings import Address, Settings

T = TypeVar("T")
_RECEIVE_BYTES = 65_536
_THREADS_MAX = 256
_places = threading.Semaphore(_THREADS_MAX)


def _forget_threads() -> None:
    global _places
    _places = threading.Semaphore(_THREADS_MAX)


# A forked child has none of its parent's threads.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)


def run(flow: Flow[T], settings: Settings) -> T:
    return drive(flow, lambda effect: _perform(effect, settings))


def _perform(effect: Effect, settings: Settings) -> Any:
    if isinstance(effect, Send):
        return _send(effect.request, effect.deadline, effect.settings or settings)
    if isinstance(effect, Sleep):
        return time.sleep(max(0.0, effect.seconds))
    if effect.timeout_seconds is None:
        return _called(effect)
    return _called_in_time(effect, effect.timeout_seconds)


def _called_in_time(effect: Call, timeout_seconds: float) -> Any:
    """Runs in a thread, because nothing else can abandon a function that blocks; it keeps its context variables."""
    found: queue.SimpleQueue[Any] = queue.SimpleQueue()
    context = contextvars.copy_context()
    places = _places
    # A thread that hangs cannot be ended, so functions that never return must not start more and more of them.
    if not places.acquire(blocking=False):
        return CallFailed(f"is still running {_THREADS_MAX} times, so it was not called")

    def run_it() -> None:
        value: Any = CallFailed()
        try:
            value = context.run(_called, effect)
        finally:
            places.release()
            found.put(value)

    try:
        threading.Thread(target=run_it, name="writecheck-facts", daemon=True).start()
    except RuntimeError:
        places.release()
        return CallFailed("could not be called, because no thread can start")
    try:
        return found.get(timeout=timeout_seconds)
    except queue.Empty:
        return effect.late()


def _called(effect: Call) -> Any:
    try:
        value = effect.function()
    except Exception:
        return CallFailed()
    if inspect.iscoroutine(value):
        value.close()
        return CallFailed()
    return value


def _send(request: Request, deadline: float, settings: Settings) -> Answer | Failure:
    exchange = Exchange(request, settings.api_key)
    try:
        with _connect(settings.address, deadline) as connection:
            _send_request(connection, request, deadline, settings)
            while True:
                connection.settimeout(_left(deadline))
                data = connection.recv(_RECEIVE_BYTES)
                outcome = exchange.feed(data) if data else exchange.closed()
                if outcome is not None:
                    return outcome
    except TimeoutError:
        # The system gives up on some connections by itself, before our time is over.
        if time.monotonic() < deadline:
            return exchange.failed("ETIMEDOUT")
        return exchange.late()
    except OSError as error:
        return exchange.failed(code_of(error))


def _send_request(connection: socket.socket, request: Request, deadline: float, settings: Settings) -> None:
    data = request_bytes(
        settings.address, request.method, request.path, settings.api_key, dict(request.headers), request.body
    )
    try:
        while data:
            connection.settimeout(_left(deadline))
            data = data[connection.send(data) :]
    except TimeoutError:
        raise
    except OSError:
        # A service that refuses early closes while we still send. Its response may be there to read.
        pass


def _connect(address: Address, deadline: float) -> socket.socket:
    found = _resolve(address, deadline)
    failure: OSError = OSError("no address")
    for at, (family, kind, protocol, _, place) in enumerate(found):
        connection = socket.socket(family, kind, protocol)
        try:
            # One address that does not respond must leave time for the others.
            connection.settimeout(_left(deadline) / (len(found) - at))
            connection.connect(place)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.settimeout(_left(deadline))
            if address.tls is None:
                return connection
            return address.tls.wrap_socket(connection, server_hostname=address.host)
        except OSError as error:
            connection.close()
            failure = error
        except BaseException:
            connection.close()
            raise
    raise failure


def _resolve(address: Address, deadline: float) -> list[Any]:
    """Looks a name up in a thread, because the system's resolver has no deadline."""
    where = (address.host, address.port)
    try:
        return socket.getaddrinfo(*where, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except socket.gaierror:
        pass
    found: queue.SimpleQueue[list[Any] | Exception] = queue.SimpleQueue()

    def look_up() -> None:
        try:
            found.put(socket.getaddrinfo(*where, type=socket.SOCK_STREAM))
        except Exception as error:
            found.put(error)

    threading.Thread(target=look_up, name="writecheck-resolver", daemon=True).start()
    try:
        answer = found.get(timeout=_left(deadline))
    except queue.Empty:
        raise TimeoutError from None
    if isinstance(answer, OSError):
        raise answer
    if isinstance(answer, Exception):
        raise OSError(errno.EINVAL, "the name cannot be looked up")
    return answer


def _left(deadline: float) -> float:
    """Never 0, which would make a socket non-blocking."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def code_of(error: OSError) -> str:
    """Returns only a bare code such as ECONNREFUSED: the text of an error might contain anything."""
    if isinstance(error, ssl.SSLError):
        return str(error.reason or "")
    if isinstance(error, socket.gaierror):
        return "ENOTFOUND"
    return errno.errorcode.get(error.errno or 0, "")
