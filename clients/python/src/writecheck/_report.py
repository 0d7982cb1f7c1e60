"""Reports the outcome of a write to the service. Nobody waits for it, and nothing depends on it."""

from __future__ import annotations

import contextlib
import contextvars
import json
import random
import re
import threading
import time
from collections.abc import Iterator
from typing import Literal

from ._exchange import Answer, Request
from ._flow import Flow, Send, Sleep
from ._settings import Settings
from ._sync import run
from .decisions import Decision, NotWritten

Result = Literal["done", "failed", "unknown"]

_ATTEMPTS = 3
_FIRST_PAUSE_SECONDS = 1.0
# While the service is unreachable, reports must not fill the process with threads.
_THREADS_MAX = 256
_THREAD = "writecheck-outcome"


class Reporter:
    """Reports on one write that was admitted."""

    def __init__(self, settings: Settings, decision: Decision) -> None:
        self._settings = settings
        self._decision_id = decision.decision_id

    def report(self, result: Result) -> None:
        """Returns immediately. INVARIANT: no text of an error is sent, because it may hold anything."""
        decision_id = self._decision_id
        if decision_id is None or re.fullmatch(r"[0-9A-Za-z_]{1,64}", decision_id) is None:
            return
        if sum(thread.name == _THREAD for thread in threading.enumerate()) >= _THREADS_MAX:
            return
        body = json.dumps({"result": result}).encode("ascii")
        headers = {"Content-Type": "application/json"}
        request = Request("POST", f"/v1/decisions/{decision_id}/outcome", headers, body, expects="an outcome")
        # A daemon does not keep the process alive. A thread also outlives the loop that the write ran in.
        thread = threading.Thread(target=_send, args=(request, self._settings), name=_THREAD, daemon=True)
        with contextlib.suppress(Exception):
            thread.start()

    def raised(self, error: BaseException | None) -> None:
        """An exception does not prove that nothing was written, unless it says so."""
        self.report("done" if error is None else "failed" if _is_not_written(error) else "unknown")

    @contextlib.contextmanager
    def around(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            self.raised(error)
            raise
        self.report("done")


class Silent(Reporter):
    """Stands in for a report of a write that is not reported."""

    def __init__(self) -> None:
        pass

    def report(self, result: Result) -> None:
        return None


def _is_not_written(error: BaseException) -> bool:
    if isinstance(error, NotWritten):
        return True
    try:
        return getattr(error, "writecheckNotWritten", None) is True
    except Exception:
        return False


def _send(request: Request, settings: Settings) -> None:
    with contextlib.suppress(Exception):
        run(_attempts(request, settings), settings)


def _attempts(request: Request, settings: Settings) -> Flow[None]:
    for attempt in range(_ATTEMPTS):
        if attempt > 0:
            yield Sleep(_FIRST_PAUSE_SECONDS * 4 ** (attempt - 1) * (1 + random.random() / 4))
        outcome = yield Send(request, time.monotonic() + settings.timeout_seconds)
        # Anything except an outage is final, including 404 from a service without outcomes.
        if isinstance(outcome, Answer) or not (outcome.cause.is_outage or outcome.cause.status == 429):
            return


# The writes that run in `with` statements of this context, the innermost last.
_entered: contextvars.ContextVar[tuple[Reporter, ...]] = contextvars.ContextVar("writecheck_entered", default=())


def entered(reporter: Reporter) -> None:
    _entered.set((*_entered.get(), reporter))


def left(error: BaseException | None) -> None:
    """A `with` statement that ends in another context than it began in is not reported."""
    *outer, reporter = _entered.get() or (Silent(),)
    _entered.set(tuple(outer))
    reporter.raised(error)
