"""Names tool calls, so that all runs of one call reach one allow and two different calls never share one."""

from __future__ import annotations

import json
import os
import re
import secrets

# A counted id without the tool's name: a word, then a number.
_COUNTED = re.compile(r"[^0-9]*[0-9]{1,6}")
_here = secrets.token_hex(16)


def _forget() -> None:
    global _here
    _here = secrets.token_hex(16)


# INVARIANT: two processes never share a name that is valid in one process only.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def call_id_from(tool: str, call_id: object, thread: object = "") -> str | None:
    """The name of a call from the framework's id; `thread` is the conversation, if the framework names it.

    Providers draw most ids at random. A counted id (`call_1`) comes back in every conversation: without a thread, it is
    valid in this process only.
    """
    if not isinstance(call_id, str) or call_id == "":
        return None
    named = "" if thread is None else str(thread)
    is_counted = _COUNTED.fullmatch(call_id.replace(tool, "") if tool else call_id) is not None
    place = _here if named == "" and is_counted else ""
    return json.dumps([place, named, tool, call_id])
