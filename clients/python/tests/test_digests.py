"""The digest of an intent, and strict JSON."""

from __future__ import annotations

import enum
import json
import unittest
from pathlib import Path

from writecheck import StrictJsonError, intent_digest
from writecheck.intents import canonical_intent, canonical_json
from writecheck.strict_json import copy_json, parse_json

VECTORS = json.loads(Path(__file__).with_name("digest-vectors.json").read_text("utf-8"))["intentDigest"]


class Digests(unittest.TestCase):
    def test_the_vectors_hold(self) -> None:
        self.assertEqual(len(VECTORS), 3)
        for vector in VECTORS:
            self.assertEqual(canonical_intent(vector["intent"]), vector["canonical"])
            self.assertEqual(intent_digest(vector["intent"]), vector["intentDigest"])

    def test_numbers_are_written_as_ecmascript_writes_them(self) -> None:
        written = {
            0.0: "0",
            -0.0: "0",
            1.0: "1",
            -1.5: "-1.5",
            1e-6: "0.000001",
            1e-7: "1e-7",
            1.5e-7: "1.5e-7",
            123456789012345680000.0: "123456789012345680000",
            1e21: "1e+21",
            1.25e21: "1.25e+21",
            5e-324: "5e-324",
            1.7976931348623157e308: "1.7976931348623157e+308",
            333333333.33333329: "333333333.3333333",
        }
        for value, text in written.items():
            self.assertEqual(canonical_json(value), text)

    def test_names_are_sorted_by_utf_16_code_units(self) -> None:
        self.assertEqual(canonical_json({"\ue000": 1, "\U00010000": 2}), '{"\U00010000":2,"\ue000":1}')

    def test_what_python_calls_equal_is_not_confused(self) -> None:
        self.assertEqual(canonical_json([True, 1, False, 0, 1.0]), "[true,1,false,0,1]")

    def test_subclasses_count_as_what_they_hold(self) -> None:
        class Colour(str, enum.Enum):
            RED = "red"

        class Level(enum.IntEnum):
            HIGH = 3

        copied = copy_json({"colour": Colour.RED, "level": Level.HIGH, "list": (1, 2)})
        self.assertEqual(json.dumps(copied), '{"colour": "red", "level": 3, "list": [1, 2]}')


class StrictJson(unittest.TestCase):
    def test_what_two_parsers_could_read_differently_is_refused(self) -> None:
        refused = (
            '{"a":1,"a":2}',
            '{"a":1,"\\u0061":2}',
            '[{"x":{"a":1,"a":1}}]',
            '"\\ud800"',
            '{"\\udc00":1}',
            '"\\ud800\\ud800"',
            "9007199254740992",
            "-9007199254740992",
            "1" * 5000,
            "1e400",
            "-1e400",
            "NaN",
            "Infinity",
            "-Infinity",
            '{"__proto__":1}',
            "[1] x",
            "[1][2]",
            "",
            " ",
            "01",
            "1.",
            ".5",
            "+1",
            "'a'",
            '"a\nb"',
            "\ufeff{}",
            "[" * 33 + "]" * 33,
            "[" * 100_000,
            '{"a":' * 50_000,
        )
        for text in refused:
            self.assertRaises(StrictJsonError, parse_json, text)
            self.assertRaises(StrictJsonError, parse_json, text.encode())
        for data in (b"\xff", b'"\xed\xa0\x80"', b'"\xc0\x80"', '"a"'.encode("utf-16")):
            self.assertRaises(StrictJsonError, parse_json, data)

    def test_everything_else_is_read(self) -> None:
        self.assertEqual(
            parse_json(' {"a":[1,2.5,-0,"\\ud83d\\ude00",null,true]} '),
            {"a": [1, 2.5, 0, "\U0001f600", None, True]},
        )
        self.assertEqual(parse_json("9007199254740991"), 2**53 - 1)
        self.assertEqual(parse_json("9007199254740992.0"), 2.0**53)
        self.assertEqual(parse_json("[" * 32 + "]" * 32), json.loads("[" * 32 + "]" * 32))

    def test_values_that_json_cannot_express_are_refused(self) -> None:
        deep: object = 1
        for _ in range(40):
            deep = [deep]
        for value in (
            object(),
            {1: 2},
            b"x",
            {1, 2},
            2**53,
            float("inf"),
            "\udfff",
            {"\ud800": 1},
            {"__proto__": 1},
            deep,
        ):
            self.assertRaises(StrictJsonError, copy_json, value)


if __name__ == "__main__":
    unittest.main()
