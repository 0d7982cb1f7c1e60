"""Keeps a key out of representations, and so out of logs and tracebacks that show local variables."""

from __future__ import annotations

from typing import Any


class Hidden:
    """Any value without its representation."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "Hidden(...)"


class Secret:
    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "Secret(...)"

    def reveal(self) -> str:
        return self._value

    def redacted(self, text: str, characters_max: int | None = None) -> str:
        """A hostile or careless response may echo the key; our report must not, whole or cut."""
        return text.replace(self._value, "[key]")[:characters_max]
