"""Puts the arguments of a tool call into its intent, so that reviewers see them and the digest covers them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..strict_json import JsonValue, StrictJsonError, copy_json

_METADATA_BYTES_MAX = 16 * 1024


class InvalidArguments(ValueError):
    """Raised by a mapping for a mistake of the model that the model can correct. The model sees its message."""


def with_arguments(intent: Mapping[str, Any], arguments: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool]:
    """The intent with all arguments in `metadata.context.arguments`, and whether it could hold them.

    Doing it twice changes nothing, so a mapping that looks up evidence for its intent can do it first.
    """
    metadata = intent.get("metadata") or {}
    context = metadata.get("context") or {} if isinstance(metadata, Mapping) else None
    if not isinstance(context, Mapping):
        return intent, True
    try:
        carried = copy_json(
            {"metadata": {**metadata, "context": {**context, "arguments": _plain(arguments)}}}
        )
    except (StrictJsonError, RecursionError):
        return intent, False
    assert isinstance(carried, dict)
    text = json.dumps(carried["metadata"], ensure_ascii=False, separators=(",", ":"))
    if len(text.encode("utf-8")) > _METADATA_BYTES_MAX:
        return intent, False
    return {**intent, **carried}, True


def _plain(value: Any) -> JsonValue | Any:
    """Frameworks parse nested arguments into pydantic models; their JSON is what the model sent."""
    if isinstance(value, Mapping):
        return {name: _plain(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(element) for element in value]
    dump = getattr(value, "model_dump", None)
    return dump(mode="json") if callable(dump) else value
