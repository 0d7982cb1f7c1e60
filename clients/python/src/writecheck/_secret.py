"""Keeps a key out of representations, and so out of logs and tracebacks that show local variables."""

from __future__ import annotations


class Secret:
    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "Secret(...)"

    def reveal(self) -> str:
        return self._value

    def redacted(self, text: str) -> str:
        """A hostile or careless response may echo the key; our report must not."""
        return text.replace(self._value, "[key]")
