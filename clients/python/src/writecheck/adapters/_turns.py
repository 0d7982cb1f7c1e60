"""Names tool calls, so that a repeated call gets its allow again and two different calls never share one."""

from __future__ import annotations

import json
import os
import re
import secrets
import threading
import time
from dataclasses import dataclass

# An allow lasts 5 minutes at most; after that no name can bring it back.
_ALLOW_SECONDS_MAX = 300.0
_DRAWN_CHARACTERS = 16


class _Turns:
    """What this process has run."""

    def __init__(self) -> None:
        self.here = secrets.token_hex(16)
        self.lock = threading.Lock()
        self.running: set[str] = set()
        # By name, until when its allow may be valid; the oldest first.
        self.done: dict[str, float] = {}


_turns = _Turns()


def _forget() -> None:
    global _turns
    _turns = _Turns()


# INVARIANT: two processes never share a name that is valid in one process only, and a fork copies no held lock.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def call_id_from(tool: str, call_id: object, thread: object = "") -> str | None:
    """The name of a call from the framework's id; `thread` is the conversation, if the framework names it.

    Providers draw most ids at random. A counted id (`call_1`) comes back in every run, so it is valid in this process
    only.
    """
    if not isinstance(call_id, str) or call_id == "":
        return None
    drawn = re.sub(r"[^A-Za-z0-9]", "", call_id.replace(tool, "") if tool else call_id)
    place = _turns.here if len(drawn) < _DRAWN_CHARACTERS else ""
    return json.dumps([place, str(thread), tool, call_id])


@dataclass
class Turn:
    # None if another call has the name: this call is decided on its own.
    call_id: str | None
    _name: str = ""

    def end(self, is_free: bool) -> None:
        """`is_free`: the call had no effect, so a repeat may use the same allow."""
        if self.call_id is None:
            return
        with _turns.lock:
            _turns.running.discard(self._name)
            if not is_free:
                _turns.done[self._name] = time.monotonic() + _ALLOW_SECONDS_MAX


def take_turn(call_id: str | None, write: str) -> Turn:
    """INVARIANT: in this process an allow serves one call that ran to its end or may still be running.

    `write` is the digest of what is written: two runs may number their calls the same way and write different things.
    """
    if call_id is None:
        return Turn(None)
    name = f"{write} {call_id}"
    with _turns.lock:
        now = time.monotonic()
        for old in [old for old, until in _turns.done.items() if until <= now]:
            del _turns.done[old]
        if name in _turns.running or name in _turns.done:
            return Turn(None)
        _turns.running.add(name)
    return Turn(call_id, name)
