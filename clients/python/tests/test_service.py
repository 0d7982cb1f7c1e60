"""The client against a real service, which the environment names. Without one, nothing here runs."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

from writecheck import (
    AsyncClient,
    Client,
    Decision,
    Redeemed,
    Requirements,
    Review,
    ReviewOptions,
    Unanswered,
    intent_digest,
    sign_evidence,
    verify_receipt,
)
from writecheck.adapters.tools import Stopped, ToolGuard

try:
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519
except ImportError:
    ec = ed25519 = None  # type: ignore[assignment]

URL = os.environ.get("WRITECHECK_URL", "")

RESUME = """
import json, os, sys
from writecheck import Client

url, key, intent, file, *die = sys.argv[1:]

def write():
    with open(file, "a") as written:
        written.write("1\\n")
    if die:
        os._exit(3)

print(Client(key, url, timeout_seconds=20).guard_write(json.loads(intent), write, call_id=file).stopped)
"""
NEEDS_CRYPTOGRAPHY = unittest.skipIf(ed25519 is None, "the package cryptography is not installed")


def send(method: str, path: str, body: Any = None, key: str | None = None) -> Any:
    headers = {"Content-Type": "application/json"}
    if key is not None:
        headers["Authorization"] = f"Bearer {key}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as response:
        text = response.read()
    return (
        json.loads(text) if response.headers["Content-Type"].startswith("application/json") else text.decode()
    )


def intent(**change: Any) -> dict[str, Any]:
    """A separate write, which needs an approval."""
    return {
        "system": "crm",
        "objectType": "contact",
        "objectRef": uuid.uuid4().hex,
        "field": "email",
        "agentValue": "é€\u2028\U0001d518",
        "requiredControls": ["approval"],
        "metadata": {"context": {"amount": 1e21, "small": 1e-7, "zero": -0.0, "\ue000": 1, "\U00010000": 2}},
        **change,
    }


def approved(**change: Any) -> dict[str, Any]:
    return intent(controlEvidence=[{"controlId": "approval", "source": "desk", "result": "PASS"}], **change)


@unittest.skipUnless(URL, "WRITECHECK_URL is not set; the tests of the project start a service")
class Service(unittest.TestCase):
    def setUp(self) -> None:
        made = send("POST", "/v1/workspaces", {"name": "python"})
        self.workspace, self.owner = made["workspace"]["id"], made["ownerKey"]
        self.client = Client(made["developmentKey"], URL, timeout_seconds=20)
        self.aclient = AsyncClient(made["developmentKey"], URL, timeout_seconds=20)

    def live_client(self) -> Client:
        made = send("POST", "/v1/keys", {"kind": "live", "name": "python"}, self.owner)
        return Client(made["secret"], URL, timeout_seconds=20)

    def receipt_of(self, decision: Decision) -> Any:
        return send("GET", f"/v1/decisions/{decision.decision_id}/receipt", key=self.owner)

    def resolve(self, verdict: str, comment: str = "as in the ticket") -> threading.Thread:
        """What a reviewer does, as soon as there is a review."""

        def act() -> None:
            while not (reviews := send("GET", "/v1/reviews?state=open", key=self.owner)["reviews"]):
                time.sleep(0.05)
            for review in reviews:
                body = {"verdict": verdict, "intentDigest": review["intentDigest"], "comment": comment}
                send("POST", f"/v1/reviews/{review['id']}/verdicts", body, self.owner)

        thread = threading.Thread(target=act, daemon=True)
        thread.start()
        return thread

    def test_a_write_pauses_without_its_evidence_and_runs_with_it(self) -> None:
        ran: list[int] = []
        paused = self.client.guard_write(intent(), lambda: ran.append(1))
        self.assertEqual(paused.decision.reason_code, "CONTROL_EVIDENCE_MISSING")
        self.assertEqual(paused.decision.review_controls, ("approval",))
        self.assertEqual(ran, [])
        given = approved()
        outcome = self.client.guard_write(given, lambda: ran.append(1))
        self.assertEqual(ran, [1])
        self.assertEqual(outcome.decision.intent_digest, intent_digest(given))

    def test_the_service_and_the_client_agree_on_every_digest(self) -> None:
        given = [approved(), intent(), approved(workflowId=None), {"system": "crm", "unknown": 1}]
        decisions = [self.client.check_write(one) for one in given]
        self.assertEqual([decision.decision for decision in decisions], ["allow", "pause", "allow", "block"])
        self.assertEqual(decisions[3].cause and decisions[3].cause.code, "invalid_intent")
        for decision, one in zip(decisions[:3], given):
            self.assertEqual(decision.intent_digest, intent_digest(one))

    def test_requirements_say_what_is_needed_and_decide_nothing(self) -> None:
        needs = self.client.requirements(intent())
        assert isinstance(needs, Requirements)
        self.assertEqual([need["controlId"] for need in needs.requirements], ["approval"])
        self.assertEqual(needs.evaluated["decision"], "pause")
        self.assertFalse(Client("wck_dev_wrong", URL).requirements(intent()))

    def test_a_paused_write_runs_once_a_person_approved_it(self) -> None:
        made: list[dict[str, Any]] = []
        write = intent()

        def current() -> dict[str, Any]:
            made.append({**write, "runId": f"run-{len(made)}"})
            return made[-1]

        reviewer = self.resolve("approve")
        options = ReviewOptions(wait_seconds=30, justification="new address", on_behalf_of="ada@example.com")
        outcome = self.client.guard_write(current, lambda: "written", review=options)
        reviewer.join()
        self.assertEqual((outcome.executed, outcome.result), (True, "written"))
        assert outcome.review is not None
        self.assertEqual(outcome.review.state, "approved")
        self.assertEqual(len(made), 2)
        used = self.client.wait_for_review(outcome.review.id)
        assert isinstance(used, Review)
        self.assertEqual(used.because, "used")

    def test_a_rejected_changed_or_unresolved_write_does_not_run(self) -> None:
        ran: list[int] = []
        write = intent()
        reviewer = self.resolve("reject")
        rejected = self.client.guard_write(write, lambda: ran.append(1), review=ReviewOptions(30))
        reviewer.join()
        self.assertEqual(rejected.stopped, "rejected")
        changing = intent()
        reviewer = self.resolve("approve")
        values = iter(["first", "second", "third"])
        changed = self.client.guard_write(
            lambda: {**changing, "agentValue": next(values)}, lambda: ran.append(1), review=ReviewOptions(30)
        )
        reviewer.join()
        self.assertEqual(changed.stopped, "changed_since_approval")
        waiting = self.client.guard_write(intent(), lambda: ran.append(1), review=ReviewOptions(0))
        self.assertEqual(waiting.stopped, "out_of_time")
        self.assertEqual(ran, [])

    def test_another_process_continues_with_a_review(self) -> None:
        write = intent()
        opened = self.client.guard_write(write, lambda: None, review=ReviewOptions(0))
        assert opened.review is not None
        self.resolve("approve").join()
        ran: list[int] = []
        later = self.client.resume_write(
            opened.review.id, lambda: write, lambda: ran.append(1), call_id="once"
        )
        self.assertEqual((later.executed, ran), (True, [1]))
        again = self.client.resume_write(
            opened.review.id, lambda: write, lambda: ran.append(2), call_id="once"
        )
        self.assertEqual((again.stopped, again.decision.decision_id), ("taken", later.decision.decision_id))
        other = self.client.resume_write(opened.review.id, lambda: write, lambda: ran.append(3))
        self.assertEqual((other.executed, ran), (False, [1]))

    def test_four_runs_of_one_call_write_once_whatever_evidence_each_brings(self) -> None:
        write, ran = intent(), []

        def fresh() -> dict[str, Any]:
            scan = {"controlId": "scan", "source": "s", "result": "PASS", "evidenceRef": uuid.uuid4().hex}
            return {**write, "controlEvidence": [scan]}

        def run() -> None:
            review = ReviewOptions(0)
            outcomes.append(self.client.guard_write(fresh, lambda: ran.append(1), call_id="four", review=review))

        outcomes: list[Any] = []
        run()
        self.assertEqual(outcomes.pop().stopped, "out_of_time")
        self.resolve("approve").join()
        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(ran), 1)
        stops = sorted(str(outcome.stopped) for outcome in outcomes)
        self.assertEqual(stops, ["None", "taken", "taken", "taken"])

    def test_a_call_that_two_processes_resume_or_that_died_after_its_write_is_written_once(self) -> None:
        write = json.dumps(approved())
        key = send("POST", "/v1/keys", {"kind": "live", "name": "python"}, self.owner)["secret"]

        def resume(file: str, *arguments: str) -> subprocess.Popen[str]:
            command = [sys.executable, "-c", RESUME, URL, key, write, file, *arguments]
            return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

        with tempfile.TemporaryDirectory() as folder:
            shared, crashed = os.path.join(folder, "shared"), os.path.join(folder, "crashed")
            runs = [resume(shared), resume(shared)]
            self.assertEqual(sorted(run.communicate()[0].strip() for run in runs), ["None", "taken"])
            died = resume(crashed, "die")
            self.assertEqual((died.communicate()[0], died.returncode), ("", 3))
            self.assertEqual(resume(crashed).communicate()[0].strip(), "taken")
            for file in (shared, crashed):
                with open(file) as written:
                    self.assertEqual(written.read(), "1\n")

    def test_asyncio_goes_through_a_review_too(self) -> None:
        async def main() -> bool:
            outcome = await self.aclient.guard_write(intent(), lambda: None, review=ReviewOptions(30))
            return outcome.executed

        reviewer = self.resolve("approve")
        self.assertTrue(asyncio.run(main()))
        reviewer.join()

    def test_a_tool_tells_the_model_to_repeat_the_call_which_then_goes_through(self) -> None:
        write = intent()
        guard = ToolGuard(self.client, lambda args: {**write, "agentValue": args["email"]})
        run: Callable[[str], Any] = lambda name: guard.call(
            "update", {"email": "x"}, lambda: "done", name
        )  # noqa: E731
        told = run("call_1")
        assert isinstance(told, Stopped)
        for part in ("A person was asked", "Repeating the same call", "rev_", "http"):
            self.assertIn(part, told.message)
        self.resolve("approve").join()
        self.assertEqual(run("call_2"), "done")

        async def main() -> Any:
            other = intent()
            aguard = ToolGuard(self.aclient, lambda args: other)
            self.assertIsInstance(await aguard.acall("update", {"n": 1}, lambda: "done"), Stopped)
            await asyncio.to_thread(self.resolve("reject", "ask Ada first").join)
            return await aguard.acall("update", {"n": 1}, lambda: "done")

        self.assertIn("ask Ada first", asyncio.run(main()).message)

    def test_an_allow_is_redeemed_once(self) -> None:
        decision = self.client.check_write(approved())
        assert decision.decision_id is not None and decision.intent_digest is not None
        first = self.client.redeem(decision.decision_id, decision.intent_digest)
        self.assertIsInstance(first, Redeemed)
        second = self.client.redeem(decision.decision_id, decision.intent_digest)
        assert isinstance(second, Unanswered)
        self.assertEqual(second.cause.code, "already_redeemed")

    def test_a_repeated_call_gets_its_allow_back(self) -> None:
        write = approved()
        first = self.client.check_write(write, call_id="call-1")
        again = self.client.check_write(write, call_id="call-1")
        other = self.client.check_write(write, call_id="call-2")
        self.assertEqual(first.decision_id, again.decision_id)
        self.assertNotEqual(first.decision_id, other.decision_id)

    @NEEDS_CRYPTOGRAPHY
    def test_a_receipt_proves_this_write_and_no_other(self) -> None:
        write = approved()
        client = self.live_client()
        receipt = self.receipt_of(client.check_write(write))
        keys = send("GET", "/v1/audit/key")
        now = time.time()
        given: dict[str, Any] = {"intent": write, "keys": keys, "workspace": self.workspace, "now": now}
        verdict = verify_receipt(receipt, **given)
        self.assertTrue(verdict, verdict.message)
        assert verdict.leaf is not None
        self.assertEqual(verdict.leaf["decision"], "allow")
        flipped = [*receipt["proof"][:-1], "A" * 43 + "="]
        other_key = "x+00000000+AQ" + "A" * 42
        refusals = {
            "intent_mismatch": verify_receipt(
                receipt, **{**given, "intent": {**write, "agentValue": "other"}}
            ),
            "other_workspace": verify_receipt(receipt, **{**given, "workspace": "ws_other"}),
            "expired": verify_receipt(receipt, **{**given, "now": now + 600}),
            "not_yet_valid": verify_receipt(receipt, **{**given, "now": now - 600}),
            "invalid_argument": verify_receipt(receipt, **{**given, "keys": [other_key]}),
            "malformed_receipt": verify_receipt({**receipt, "version": "2"}, **given),
            "bad_signature": verify_receipt(
                {**receipt, "checkpoint": receipt["checkpoint"].replace("writecheck/", "writecheck/x", 1)},
                **given,
            ),
            "unknown_signer": verify_receipt(receipt, **{**given, "keys": _another_key()}),
            "forged_proof": verify_receipt({**receipt, "index": receipt["index"] + 1}, **given),
        }
        for reason, refused in refusals.items():
            self.assertEqual((refused.ok, refused.reason), (False, reason))
        self.assertEqual(verify_receipt({**receipt, "proof": flipped}, **given).reason, "forged_proof")
        pausing = intent()
        paused = self.receipt_of(client.check_write(pausing))
        self.assertEqual(verify_receipt(paused, **{**given, "intent": pausing}).reason, "not_allowed")
        developed = self.receipt_of(self.client.check_write(write))
        self.assertEqual(verify_receipt(developed, **given).reason, "development_key")
        self.assertTrue(verify_receipt(developed, **given, accept_development=True))

    @NEEDS_CRYPTOGRAPHY
    def test_signed_evidence_counts_for_this_write_and_no_other(self) -> None:
        keys = {"k1": ed25519.Ed25519PrivateKey.generate(), "k2": ec.generate_private_key(ec.SECP256R1())}
        documents = [
            {
                "kind": "ControlPack",
                "id": "p",
                "controls": {"approval": {"assurance": "attested", "maxAge": "1h"}},
            },
            {
                "kind": "EvidenceSource",
                "id": "desk",
                "keys": {"keys": [_jwk(kid, key) for kid, key in keys.items()]},
            },
        ]
        send("PUT", "/v1/policies", {"documents": documents}, self.owner)
        for kid, key in keys.items():
            write = intent()
            item = sign_evidence(
                key=key,
                kid=kid,
                source="desk",
                workspace=self.workspace,
                control_id="approval",
                result="PASS",
                intent=write,
                expires_at=datetime.now(timezone.utc) + timedelta(minutes=5),
            )
            decision = self.client.check_write({**write, "controlEvidence": [item]})
            self.assertEqual(decision.decision, "allow", decision.reason)
            other = self.client.check_write({**write, "agentValue": "other", "controlEvidence": [item]})
            self.assertEqual(other.reason_code, "CONTROL_EVIDENCE_UNTRUSTED")


def _jwk(kid: str, key: Any) -> dict[str, str]:
    import base64

    def text(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    public = key.public_key()
    if kid == "k1":
        return {"kty": "OKP", "crv": "Ed25519", "x": text(_raw(public)), "kid": kid}
    numbers = public.public_numbers()
    x, y = text(numbers.x.to_bytes(32, "big")), text(numbers.y.to_bytes(32, "big"))
    return {"kty": "EC", "crv": "P-256", "x": x, "y": y, "kid": kid}


def _raw(public: Any) -> bytes:
    # Not `public_bytes_raw`, which the cryptography of Debian 12 does not have.
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return bytes(public.public_bytes(Encoding.Raw, PublicFormat.Raw))


def _another_key() -> str:
    import base64
    import hashlib

    typed = b"\x01" + _raw(ed25519.Ed25519PrivateKey.generate().public_key())
    key_id = hashlib.sha256(b"other\n" + typed).digest()[:4].hex()
    return f"other+{key_id}+{base64.b64encode(typed).decode()}"


if __name__ == "__main__":
    unittest.main()
