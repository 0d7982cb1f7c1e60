"""Runs the first program of the README, with and without its second evidence item."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

README = Path(__file__).parent.parent.joinpath("README.md").read_text("utf-8")


class Crm:
    written = 0

    def update(self, _contact: str, **_change: str) -> str:
        Crm.written += 1
        return "c-1042"


def run(program: str) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "README.md", "exec"), {"crm": Crm()})
    return printed.getvalue()


found = re.search(r"```python\n(.*?)```.*?```text\n(.*?)```", README, re.DOTALL)
assert found is not None
program, paused = found.groups()
assert run(program) == "written c-1042\n" and Crm.written == 1
without = re.sub(r'.*"controlId": "approval".*\n', "", program)
assert without != program
assert run(without) == paused and Crm.written == 1, run(without)
print("good")
