"""The adapters: a tool runs only on an allow, and the model learns why it did not."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import dataclasses
import json
import subprocess
import sys
import time
import unittest
from collections.abc import Iterator
from typing import Any

import doubles
from doubles import StructuredTool, ToolCallRequest, function_tool, invoke_function_tool
from serving import KEY, allow_to, allowing, http, pausing, refusing, serving
from writecheck import AsyncClient, Client
from writecheck.adapters import langchain, openai_agents
from writecheck.adapters.tools import InvalidArguments, Stopped, ToolGuard, current_decision, with_arguments

ARGS = {"id": "c-1042", "email": "ada@example.org"}


def intent_of(args: dict[str, Any]) -> dict[str, Any]:
    return {
        "system": "crm",
        "objectType": "contact",
        "objectRef": args["id"],
        "field": "email",
        "agentValue": args["email"],
    }


class Setting:
    """One way to run one tool call: what the model sees, and what was written."""

    def __init__(self, url: str, is_async: bool, **options: Any) -> None:
        self.written: list[Any] = []
        self.decisions: list[Any] = []
        self.stops: list[Stopped] = []
        client = (AsyncClient if is_async else Client)(KEY, url, retries=0, timeout_seconds=5)
        given = {"intent": intent_of, "on_stopped": self.stops.append, **options}
        self.guard = ToolGuard(client, **given)

    def update_contact(self, id: str, email: str) -> str:
        """Sets an address."""
        self.written.append({"id": id, "email": email})
        self.decisions.append(current_decision())
        return "the contact was updated"

    async def aupdate_contact(self, id: str, email: str) -> str:
        """Sets an address."""
        return self.update_contact(id, email)


def through_decorator(setting: Setting, call_id: str) -> str:
    def update_contact(id: str, email: str) -> str:
        return setting.update_contact(id, email)

    return str(setting.guard(update_contact)(**ARGS))


def through_async_decorator(setting: Setting, call_id: str) -> str:
    return str(asyncio.run(setting.guard(setting.aupdate_contact)(**ARGS)))


def through_langchain_tool(setting: Setting, call_id: str) -> str:
    made = StructuredTool.from_function(setting.update_contact, name="update_contact", description="Sets it")
    return str(langchain.guard_tool(made, setting.guard).invoke(ARGS))


def through_async_langchain_tool(setting: Setting, call_id: str) -> str:
    made = StructuredTool.from_function(
        coroutine=setting.aupdate_contact, name="update_contact", description="Sets it"
    )
    return str(asyncio.run(langchain.guard_tool(made, setting.guard).ainvoke(ARGS)))


def request_for(call_id: str, name: str = "update_contact") -> ToolCallRequest:
    return ToolCallRequest({"name": name, "args": dict(ARGS), "id": call_id, "type": "tool_call"})


def through_langgraph(setting: Setting, call_id: str) -> str:
    def execute(request: ToolCallRequest) -> Any:
        said = setting.update_contact(**request.tool_call["args"])
        return doubles.ToolMessage(content=said, name="update_contact", tool_call_id=call_id)

    guard = langchain.CallGuard({"update_contact": setting.guard}, ["search"])
    return str(guard.wrap(request_for(call_id), execute).content)


def through_async_langgraph(setting: Setting, call_id: str) -> str:
    async def execute(request: ToolCallRequest) -> Any:
        said = setting.update_contact(**request.tool_call["args"])
        return doubles.ToolMessage(content=said, name="update_contact", tool_call_id=call_id)

    guard = langchain.CallGuard({"update_contact": setting.guard})
    return str(asyncio.run(guard.awrap(request_for(call_id), execute)).content)


def through_openai_agents(setting: Setting, call_id: str, text: str = json.dumps(ARGS)) -> str:
    async def update_contact(id: str, email: str) -> str:
        return setting.update_contact(id, email)

    guarded = openai_agents.guard_tool(function_tool(update_contact), setting.guard)
    return str(asyncio.run(invoke_function_tool(guarded, call_id, text)))


def through_openai_agents_thread(setting: Setting, call_id: str) -> str:
    def update_contact(id: str, email: str) -> str:
        return setting.update_contact(id, email)

    guarded = openai_agents.guard_tool(function_tool(update_contact), setting.guard)
    return str(asyncio.run(invoke_function_tool(guarded, call_id, json.dumps(ARGS))))


ADAPTERS = {
    "decorator": (through_decorator, False),
    "async decorator": (through_async_decorator, True),
    "LangChain tool": (through_langchain_tool, False),
    "async LangChain tool": (through_async_langchain_tool, True),
    "LangGraph node": (through_langgraph, False),
    "async LangGraph node": (through_async_langgraph, True),
    "OpenAI Agents tool": (through_openai_agents, True),
    "OpenAI Agents tool in a thread": (through_openai_agents_thread, True),
}


class Adapters(unittest.TestCase):
    def each(self) -> Iterator[tuple[Any, bool]]:
        return iter(ADAPTERS.values())

    def test_the_tool_runs_once_on_an_allow_with_what_was_asked_about(self) -> None:
        for run, is_async in self.each():
            with serving(allowing(decision_id="dec_1")) as service:
                setting = Setting(service.url, is_async)
                self.assertIn("the contact was updated", run(setting, "call_1"))
                asked = service.received[0]
            self.assertEqual(asked.json, {**intent_of(ARGS), "metadata": {"context": {"arguments": ARGS}}})
            self.assertEqual((setting.written, setting.stops), ([ARGS], []))
            self.assertEqual(setting.decisions[0].decision_id, "dec_1")
        self.assertIsNone(current_decision())

    def test_the_tool_does_not_run_on_a_pause_and_the_model_learns_why(self) -> None:
        for run, is_async in self.each():
            with serving(pausing()) as service:
                setting = Setting(service.url, is_async)
                told = run(setting, "call_1")
            for part in ("Not executed, paused for review", "supply `approval`", "Nothing was written"):
                self.assertIn(part, told)
            self.assertEqual(setting.written, [])
            self.assertEqual(setting.stops[0].outcome.decision.decision, "pause")

    def test_the_tool_does_not_run_when_the_service_is_away(self) -> None:
        for run, is_async in self.each():
            setting = Setting("http://127.0.0.1:1", is_async)
            told = run(setting, "call_1")
            self.assertIn("no valid decision", told)
            self.assertNotIn(KEY, told)
            self.assertEqual(setting.written, [])

    def test_what_a_mapping_raises_is_kept_from_the_model_unless_it_can_correct_it(self) -> None:
        def secret(_args: dict[str, Any]) -> dict[str, Any]:
            raise RuntimeError("a secret of the application")

        def correctable(_args: dict[str, Any]) -> dict[str, Any]:
            raise InvalidArguments("the arguments have no `content`")

        for run, is_async in self.each():
            with serving(allowing()) as service:
                first = Setting(service.url, is_async, intent=secret)
                told = run(first, "call_1")
                self.assertIn("cannot build an intent", told)
                self.assertNotIn("a secret", told)
                self.assertIsInstance(first.stops[0].error, RuntimeError)
                second = Setting(service.url, is_async, intent=correctable)
                told = run(second, "call_1")
                self.assertIn("have no `content`", told)
                self.assertIn("call it again", told)
                self.assertEqual((first.written, second.written, service.received), ([], [], []))

    def test_every_run_of_a_call_asks_under_the_same_key_with_a_claim_of_its_own(self) -> None:
        named = {name: run for name, run in ADAPTERS.items() if "LangGraph" in name or "OpenAI" in name}
        for name, (run, is_async) in named.items():
            with self.subTest(name), serving(allowing()) as service:
                setting = Setting(service.url, is_async)
                update, faults = setting.update_contact, [RuntimeError("the CRM answers 503")]

                def failing(id: str, email: str, update: Any = update, faults: Any = faults) -> str:
                    if faults:
                        raise faults.pop()
                    return str(update(id, email))

                setting.update_contact = failing  # type: ignore[method-assign]
                with contextlib.suppress(RuntimeError):
                    run(setting, f"call_{name}")
                run(setting, f"call_{name}")
                run(setting, f"call_{name}")
                keys = {request.headers["idempotency-key"] for request in service.received}
                claims = {request.headers["redeem"] for request in service.received}
                self.assertEqual((len(keys), len(claims)), (1, 3))
                results = sorted(service.outcomes.get(timeout=10).json["result"] for _ in range(3))
                self.assertEqual(results, ["done", "done", "unknown"])

    def test_a_call_that_another_run_has_taken_does_not_run_and_the_model_learns_that_it_may_have(self) -> None:
        taken = {"redemption": {"redeemedAt": "2026-03-01T10:00:00Z", "claim": "another"}}
        for run, is_async in self.each():
            with serving(allowing(**taken)) as service:
                setting = Setting(service.url, is_async)
                told = run(setting, "call_1")
                self.assertIn("may have made this change already", told)
                self.assertNotIn("Nothing was written", told)
                self.assertEqual(setting.written, [])
                self.assertEqual(setting.stops[0].outcome.stopped, "taken")

    def test_an_unlisted_tool_is_refused_and_a_reading_one_runs_unasked(self) -> None:
        guard = langchain.CallGuard({}, ["search"])
        ran: list[str] = []
        execute = lambda request: ran.append(request.tool_call["name"])  # noqa: E731
        told = guard.wrap(request_for("call_1", "delete_all"), execute)
        self.assertIn("neither mapped to an intent nor listed as read", told.content)
        self.assertEqual(told.status, "error")
        guard.wrap(request_for("call_2", "search"), execute)
        self.assertEqual(ran, ["search"])

    def test_arguments_that_two_readers_read_differently_are_refused(self) -> None:
        with serving(allowing()) as service:
            setting = Setting(service.url, True)
            told = through_openai_agents(setting, "call_1", '{"id":"a","id":"b","email":"x"}')
            self.assertIn("Correct the arguments", told)
            self.assertEqual((setting.written, service.received), ([], []))

    def test_a_copy_of_a_guarded_tool_is_guarded(self) -> None:
        setting = Setting("http://127.0.0.1:1", True)

        async def update_contact(id: str, email: str) -> str:
            return setting.update_contact(id, email)

        made = function_tool(update_contact)
        guarded = openai_agents.guard_tool(made, setting.guard)
        for tool in (guarded, copy.copy(guarded), dataclasses.replace(guarded, timeout_seconds=5)):
            told = asyncio.run(invoke_function_tool(tool, "call_1", json.dumps(ARGS)))
            self.assertIn("no valid decision", told)
        self.assertEqual(setting.written, [])
        self.assertIsNot(made.on_invoke_tool, guarded.on_invoke_tool)

    def test_a_tool_in_a_thread_gets_no_timeout_which_would_not_end_it(self) -> None:
        setting = Setting("http://127.0.0.1:1", True)
        guarded = openai_agents.guard_tool(function_tool(setting.update_contact), setting.guard)
        self.assertRaises(ValueError, dataclasses.replace, guarded, timeout_seconds=5)

    def test_a_tool_whose_time_is_over_before_the_decision_writes_nothing(self) -> None:
        def slow(request: Any, connection: Any) -> None:
            time.sleep(0.5)
            connection.sendall(http(allow_to(request)))

        with serving(slow) as service:
            setting = Setting(service.url, True)
            made = openai_agents.guard_tool(function_tool(setting.aupdate_contact), setting.guard)
            hurried = dataclasses.replace(made, timeout_seconds=0.1)

            async def run() -> Any:
                told = await invoke_function_tool(hurried, "call_1", json.dumps(ARGS))
                await asyncio.sleep(0.6)
                return told

            self.assertIn("timed out", asyncio.run(run()))
            self.assertEqual(setting.written, [])

    def test_arguments_that_do_not_fit_open_no_review(self) -> None:
        intent, fits = with_arguments(intent_of(ARGS), {"text": "x" * 20_000})
        self.assertEqual((dict(intent), fits), (intent_of(ARGS), False))
        self.assertFalse(with_arguments({}, {"n": float("nan")})[1])
        with serving(pausing(review={"controls": ["approval"]})) as service:
            setting = Setting(service.url, False, intent=lambda _args: intent_of(ARGS))
            result = setting.guard.call("update", {"text": "x" * 20_000}, lambda: None)
            self.assertIn("No reviewer could be asked: the arguments do not fit", result.message)
            self.assertEqual(
                [request.line for request in service.received], ["POST /v1/check-write HTTP/1.1"]
            )

    def test_the_reviewers_read_who_asks_and_why_and_the_model_that_it_needs_an_approval(self) -> None:
        def request_of(args: dict[str, Any]) -> dict[str, str]:
            return {"on_behalf_of": "ada@example.com", "justification": f"for {args['id']}", "external_ref": "https://t/1"}

        async def arequest_of(args: dict[str, Any]) -> dict[str, str]:
            return request_of(args)

        for is_async in (False, True):
            with self.subTest(is_async=is_async), serving(pausing(review={"controls": ["approval"]})) as service:
                setting = Setting(service.url, is_async, review_request=arequest_of if is_async else request_of)
                called = setting.guard.acall if is_async else setting.guard.call
                result: Any = called("update", ARGS, lambda: None)
                result = asyncio.run(result) if is_async else result
                self.assertIn("a person must approve this write (`approval`)", result.message)
                self.assertNotIn("has no evidence", result.message)
                body = dict(service.received[1].json)
                self.assertTrue(body.pop("decision_id").startswith("dec_"))
                asked = {"onBehalfOf": "ada@example.com", "justification": f"for {ARGS['id']}", "externalRef": "https://t/1"}
                self.assertEqual(body, asked)

    def test_a_call_whose_requester_cannot_be_named_is_not_checked_and_does_not_run(self) -> None:
        def nobody(_args: dict[str, Any]) -> Any:
            raise LookupError("nobody is signed in")

        for request_of in (nobody, lambda _args: {"onBehalfOf": "ada"}, lambda _args: 5):
            with serving(pausing()) as service:
                setting = Setting(service.url, False, review_request=request_of)
                result = setting.guard.call("update", ARGS, lambda: self.fail("it ran"))
                self.assertIn("Nothing was written", result.message)
                self.assertNotIn("signed in", result.message)
                self.assertEqual(service.received, [])

    def test_a_guard_with_the_wrong_client_refuses_to_run(self) -> None:
        setting = Setting("http://127.0.0.1:1", False)
        self.assertRaises(TypeError, asyncio.run, setting.guard.acall("t", {}, lambda: None))
        other = Setting("http://127.0.0.1:1", True)
        self.assertRaises(TypeError, other.guard.call, "t", {}, lambda: None)

    def test_a_stopped_guard_inside_a_tool_is_the_failure_of_the_tool(self) -> None:
        def respond(request: Any, connection: Any) -> None:
            if request.json["system"] == "crm":
                connection.sendall(http(allow_to(request)))
            else:
                refusing(403)(request, connection)

        with serving(respond) as service:
            setting = Setting(service.url, False)
            inner = Client(KEY, service.url).guard_write({**intent_of(ARGS), "system": "erp"})
            with self.assertRaises(Exception) as raised:
                setting.guard.call("update", ARGS, inner.admit)
            self.assertEqual(type(raised.exception).__name__, "WriteStopped")
            self.assertEqual(setting.stops, [])

    def test_nothing_imports_a_framework_before_it_is_used(self) -> None:
        code = (
            "import sys, writecheck, writecheck.adapters.langchain, writecheck.adapters.openai_agents\n"
            "print([m for m in sys.modules if m.split('.')[0] in ('langchain_core','langgraph','agents','cryptography')])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.strip(), "[]")


if __name__ == "__main__":
    print(f"LangChain: {doubles.LANGCHAIN}; LangGraph's request and the OpenAI Agents tool: doubles")
    unittest.main()
