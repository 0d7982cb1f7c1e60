"""Makes src/writecheck/client.py, the client for programs that block, from aio.py: `python3 generate_client.py`."""

from __future__ import annotations

import re
from pathlib import Path

SOURCES = Path(__file__).parent / "src" / "writecheck"
NOTE = "# Made from aio.py by generate_client.py; change that file and run the program again.\n"
# Applied in this order.
REPLACEMENTS = (
    (r"    # Only asyncio: begin\n.*?    # Only asyncio: end\n", ""),
    (r"for asyncio:(.*) Cancelling the task cancels the check\.", r"for programs that block:\1"),
    (r"threads, tasks and loops, and after a fork", "threads and after a fork"),
    (r"Callable\[\[\], Awaitable\[T\]\] \| ", ""),
    (r"(?:Coroutine\[Any, Any, |Awaitable\[)((?:[^][]|\[\w+\])+)\]", r"\1"),
    (r"from collections.abc import .*", "from collections.abc import Callable, Iterable"),
    (r"from \._asyncio import run\n", ""),
    (r"(from \._settings import .*\n)", r"\1from ._sync import run\n"),
    (r"from \._functions import .*", "from ._functions import intent_of, may_write, must_run_now, ran_now"),
    (r"from \.intents import .*", "from .intents import FactsSource, Intent, IntentOfCall, IntentSource"),
    (r"must_be_coroutine_function|must_not_generate", "must_run_now"),
    (r"await awaited\(", "ran_now("),
    (r"\bAsync(?=[A-Z])", ""),
    (r"__a(enter|exit)__", r"__\1__"),
    (r"\ban `async with`", "a `with`"),
    (r"\b(?:async|await) ", ""),
)


def blocking(source: str) -> str:
    for pattern, replacement in REPLACEMENTS:
        source = re.sub(pattern, replacement, source, flags=re.DOTALL if "begin" in pattern else 0)
    first, rest = source.split("\n", 1)
    return f"{first}\n{NOTE}{rest}"


if __name__ == "__main__":
    made = blocking((SOURCES / "aio.py").read_text("utf-8"))
    (SOURCES / "client.py").write_text(made, "utf-8")
