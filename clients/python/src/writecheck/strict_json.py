"""Strict JSON: refuses anything that two parsers could read differently."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn, Union

JsonValue = Union[None, bool, int, float, str, list["JsonValue"], dict[str, "JsonValue"]]

DEPTH_MAX = 32
INTEGER_MAX = 2**53 - 1
_INTEGER_CHARACTERS_MAX = 17


class StrictJsonError(ValueError):
    """The text or value is not strict JSON."""


def parse_json(text: str | bytes, depth_max: int = DEPTH_MAX) -> JsonValue:
    """The value of a JSON text; raises StrictJsonError for anything in doubt."""
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError:
            raise StrictJsonError("the text is not valid UTF-8") from None
    try:
        value: JsonValue = _DECODER.decode(text)
    except StrictJsonError:
        raise
    except (ValueError, RecursionError):
        raise StrictJsonError("the text is not JSON") from None
    # The decoder checks neither depth nor lone surrogates.
    return copy_json(value, depth_max)


def copy_json(value: object, depth_max: int = DEPTH_MAX) -> JsonValue:
    """A plain copy of a value, read once; raises StrictJsonError if JSON cannot express it."""
    # The order matters: True is an int to Python.
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        # Not str(value): an Enum of strings would give its name.
        return _well_formed(str.__str__(value))
    if isinstance(value, int):
        return _safe_integer(int.__index__(value))
    if isinstance(value, float):
        return _finite(float.__float__(value))
    if isinstance(value, Mapping):
        return _copy_members(value, depth_max)
    if isinstance(value, (list, tuple)):
        if depth_max == 0:
            raise StrictJsonError("the value is nested too deeply")
        return [copy_json(element, depth_max - 1) for element in value]
    raise StrictJsonError(f"a {type(value).__name__} is not a JSON value")


def _copy_members(members: Mapping[Any, object], depth_max: int) -> dict[str, JsonValue]:
    if depth_max == 0:
        raise StrictJsonError("the value is nested too deeply")
    copy: dict[str, JsonValue] = {}
    for name, member in members.items():
        if not isinstance(name, str):
            raise StrictJsonError("a member name is not a string")
        plain = _well_formed(str.__str__(name))
        if plain == "__proto__" or plain in copy:
            raise StrictJsonError("a member name is `__proto__` or comes twice")
        copy[plain] = copy_json(member, depth_max - 1)
    return copy


def _members(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise StrictJsonError("a member name comes twice in one object")
    if "__proto__" in members:
        raise StrictJsonError("a member must not be named `__proto__`")
    return members


def _integer(digits: str) -> int:
    # Python would spend quadratic time on a long one.
    if len(digits) > _INTEGER_CHARACTERS_MAX:
        raise StrictJsonError("an integer is beyond 2^53 - 1")
    return _safe_integer(int(digits))


def _safe_integer(value: int) -> int:
    if abs(value) > INTEGER_MAX:
        raise StrictJsonError("an integer is beyond 2^53 - 1; send it as a string")
    return value


def _float(digits: str) -> float:
    return _finite(float(digits))


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise StrictJsonError("a number is not finite")
    return value


def _constant(name: str) -> NoReturn:
    raise StrictJsonError(f"{name} is not JSON")


def _well_formed(text: str) -> str:
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise StrictJsonError("a string contains a lone surrogate") from None
    return text


_DECODER = json.JSONDecoder(
    object_pairs_hook=_members,
    parse_int=_integer,
    parse_float=_float,
    parse_constant=_constant,
)
