"""Facts of the record, fetched before every check and sent as evidence."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from ._ask import call
from ._exchange import Request
from ._flow import Call, CallFailed, Flow
from ._requirements import JSON, requirements
from ._settings import Settings, read_reader
from .decisions import Cause, Requirements, Unanswered
from .intents import Snapshot, take_snapshot

_KEPT_MAX = 1_000
_Needed = list[Any]


def informed(settings: Settings, snapshot: Snapshot, given: Any) -> Flow[Snapshot | Unanswered]:
    """The snapshot with the facts it needs. `given` is for this call, instead of the client's own."""
    source = settings.facts if given is None else given
    if source is None:
        return snapshot
    needed = yield from _needed_for(settings, snapshot)
    if isinstance(needed, Unanswered):
        return needed
    if not needed:
        return snapshot
    # INVARIANT: a source that fails stops the write. Without it, the check could miss facts against the write.
    if callable(source):
        # Copies, so that the source cannot change the intent that is sent.
        items = yield Call(
            lambda: source(copy.deepcopy(needed), copy.deepcopy(snapshot.members)), settings.timeout_seconds
        )
        if isinstance(items, CallFailed):
            return _failed(f"`facts` {items.why}")
    else:
        items = yield from _asked(settings, source, needed, snapshot)
        if isinstance(items, Unanswered):
            return items
    return _with_items(snapshot, items)


def requirements_with_facts(settings: Settings, intent: object, given: Any) -> Flow[Requirements | Unanswered]:
    """Adds the facts that a check would send; without them, some rules would apply that otherwise do not."""
    snapshot = take_snapshot(intent)
    if snapshot is None:
        return (yield from requirements(settings, intent))
    sent = yield from informed(settings, snapshot, given)
    return sent if isinstance(sent, Unanswered) else (yield from requirements(settings, sent.members))


def _with_items(snapshot: Snapshot, items: object) -> Snapshot | Unanswered:
    if not isinstance(items, (list, tuple)) or not all(isinstance(item, Mapping) for item in items):
        return _failed("`facts` gave no list of evidence items")
    own = snapshot.members.get("controlEvidence") or []
    if not isinstance(own, list):
        return snapshot
    added = take_snapshot({**snapshot.members, "controlEvidence": [*own, *items]})
    return _failed("`facts` gave items that are not JSON") if added is None else added


def _needed_for(settings: Settings, snapshot: Snapshot) -> Flow[_Needed | Unanswered]:
    place = tuple(
        str(snapshot.members.get(name, "\0")) for name in ("system", "objectType", "field", "operation")
    )
    kept = settings.kept.needed
    known = kept.get(place)
    if known is not None:
        return known
    answer = yield from requirements(settings, snapshot.members)
    if isinstance(answer, Unanswered):
        return answer
    if len(kept) >= _KEPT_MAX:
        kept.clear()
    # If another policy was seen meanwhile, nobody reads this dictionary.
    kept[place] = answer.facts
    return answer.facts


def _asked(settings: Settings, source: Any, needed: _Needed, snapshot: Snapshot) -> Flow[Any]:
    try:
        is_ready = isinstance(source, Settings)
        reader = source if is_ready else read_reader(source, settings.timeout_seconds, settings.retries)
    except Exception:
        return _failed("`facts` must be a function, or have a `url` and a `token`")
    intent = {name: value for name, value in snapshot.members.items() if name != "controlEvidence"}
    asked = take_snapshot(intent)
    names = ",".join(quote(one["controlId"], safe="") for one in needed)
    body = None if asked is None else asked.body
    request = Request("POST", f"?controls={names}", JSON, body, expects="a list of facts")
    answer = yield from call(reader, request)
    if isinstance(answer, Unanswered):
        cause = answer.cause
        return Unanswered(replace(cause, kind="facts", message=f"the facts reader: {cause.message}"))
    return answer.get("controlEvidence") if isinstance(answer, dict) else None


def _failed(message: str) -> Unanswered:
    return Unanswered(Cause("facts", message))
