"""A tool call that did not run, and what its model and its application learn about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..decisions import Cause, Outcome, Review, Unanswered, local_decision
from ._arguments import InvalidArguments
from ._messages import correction_message, stop_message

Arguments = Mapping[str, Any]
_COMMENT_CHARACTERS_MAX = 2000


@dataclass(frozen=True)
class Stopped:
    """A tool call that did not run."""

    tool: str
    # What the model sees.
    message: str
    outcome: Outcome[Any]
    arguments: Arguments = field(repr=False)
    # What the mapping raised. The model sees it only if it is an InvalidArguments.
    error: Exception | None = None


def not_mapped(tool: str, arguments: Arguments, error: Exception) -> Stopped:
    is_correctable = isinstance(error, InvalidArguments)
    made_none = f"the mapping of the tool `{tool[:64]}` cannot build an intent from these arguments"
    cause = Cause("invalid_intent", str(error) if is_correctable else made_none)
    outcome: Outcome[Any] = Outcome(False, local_decision(cause))
    message = correction_message(tool, error) if is_correctable else stop_message(outcome)
    return Stopped(tool, message, outcome, arguments, error)


def stopped_call(
    tool: str, arguments: Arguments, outcome: Outcome[Any], fits: bool, comment: str | None
) -> Stopped:
    return Stopped(tool, stop_message(outcome, fits, comment), outcome, arguments)


def rejected_id(outcome: Outcome[Any]) -> str | None:
    return outcome.review.id if outcome.stopped == "rejected" and outcome.review is not None else None


def comment_of(answer: Review | Unanswered) -> str | None:
    """The comment of the reviewer who rejected it, if available."""
    verdicts = answer.members.get("verdicts") if isinstance(answer, Review) else None
    for verdict in verdicts if isinstance(verdicts, list) else []:
        comment = verdict.get("comment") if isinstance(verdict, dict) else None
        if isinstance(comment, str) and verdict.get("verdict") == "reject":
            return comment[:_COMMENT_CHARACTERS_MAX]
    return None


def said(result: Any) -> Any:
    """What a model gets from a tool: its result, or the message of a stopped call."""
    return result.message if isinstance(result, Stopped) else result
