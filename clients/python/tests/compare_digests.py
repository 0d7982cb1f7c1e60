"""Reads lines of a digest, a tab and an intent, and reports where our digest differs."""

from __future__ import annotations

import json
import sys

from writecheck import intent_digest
from writecheck.strict_json import parse_json

compared = 0
different = []
for line in sys.stdin.buffer:
    digest, _, text = line.rstrip(b"\n").partition(b"\t")
    if intent_digest(parse_json(text)) != digest.decode():  # type: ignore[arg-type]
        different.append(text.decode()[:2000])
    compared += 1
json.dump({"compared": compared, "different": different[:10]}, sys.stdout)
