"""A session as other tools read it: JSON lines, JUnit for a CI's test view, SARIF for its security view."""

import os
import re
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from hookd import __version__
from hookd.gate.record.repository import StoppedCall
from hookd.journal.repository import Events
from hookd.paths import Project
from hookd.reports.decisions import judged_calls
from hookd.reports.record import reading
from hookd.reports.runs import find_run

Format = Literal["jsonl", "junit", "sarif"]

_LEVELS = {"deny": "error", "ask": "warning"}
_ABOUT_A_FILE = frozenset({"read", "write", "edit", "delete"})
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
LONGEST = 500


def exported_run(project: Project, name: str, form: Format) -> bytes:
    """The whole audit trail as `jsonl`, or the gate's verdicts as `junit` or `sarif`; no secret is in any."""
    with reading(project) as db:
        events = Events(db, project.key)
        run = find_run(events, name)
        if form == "jsonl":
            trail = audit_trail(events, run.id)
            return b"".join(msgspec.json.encode(each) + b"\n" for each in trail)
        calls = judged_calls(db, run)
    if form == "junit":
        return junit(run.run, calls)
    return msgspec.json.format(msgspec.json.encode(sarif(project.root, calls))) + b"\n"


def audit_trail(events: Events, session: str) -> list[dict[str, Any]]:
    """Every event of a session with its input, verdict, reasons and facts."""
    facts: dict[str, list[dict[str, Any]]] = {}
    for fact in events.facts(session):
        facts.setdefault(fact.event, []).append({"kind": fact.kind, **fact.data})
    told = []
    for event in events.events(session):
        hooks = [
            {"hook": call.hook, "ms": call.microseconds / 1000, "outcome": call.outcome}
            for call in event.hook_calls
        ]
        more = {"facts": facts.get(event.id, []), "hook_calls": hooks}
        told.append(msgspec.structs.asdict(event) | more)
    return told


def junit(name: str, calls: Sequence[StoppedCall]) -> bytes:
    """A suite with a case per judged call; what was stopped or asked about is a failure."""
    from xml.etree.ElementTree import Element, SubElement, tostring

    stopped = [call for call in calls if _is_stop(call)]
    suites = Element("testsuites", name="hookd", tests=str(len(calls)), failures=str(len(stopped)))
    suite = SubElement(suites, "testsuite", name=name, tests=str(len(calls)), failures=str(len(stopped)))
    for call in calls:
        rule = str(call.verdict.get("rule") or "hookd")
        case = SubElement(suite, "testcase", classname=rule, name=_plain(call.subject), time="0")
        if _is_stop(call):
            message = _plain(f"{rule}: {call.verdict.get('reason') or ''}")
            failure = SubElement(case, "failure", type=_kind(call), message=message)
            failure.text = _plain(_details(call))
        elif call.verdict.get("once"):
            SubElement(case, "skipped", message=f"allowed once by a person, against {rule}")
    body: bytes = tostring(suites, encoding="utf-8")
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + body + b"\n"


def sarif(root: str, calls: Sequence[StoppedCall]) -> dict[str, Any]:
    """A SARIF 2.1.0 log with a result per call that was stopped or asked about."""
    stopped = [call for call in calls if _is_stop(call)]
    rules = {str(call.verdict.get("rule")): call for call in stopped}
    driver = {
        "name": "hookd",
        "version": __version__,
        "rules": [
            {"id": rule, "shortDescription": {"text": str(call.verdict.get("reason") or rule)}}
            for rule, call in sorted(rules.items())
        ],
    }
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": [_result(root, call) for call in stopped]}],
    }


def _result(root: str, call: StoppedCall) -> dict[str, Any]:
    return {
        "ruleId": str(call.verdict.get("rule")),
        "level": _LEVELS[call.verdict["verdict"]],
        "message": {"text": f"{call.verdict.get('reason') or ''} The call: {call.subject[:LONGEST]}"},
        "locations": [_location(root, call)],
        "properties": {
            "at": call.at,
            "session": call.session,
            "tool": call.tool,
            "cwd": call.cwd,
            "outcome": _kind(call),
            "layer": call.verdict.get("layer"),
            "severity": call.verdict.get("severity"),
        },
    }


def _location(root: str, call: StoppedCall) -> dict[str, Any]:
    """The file that the call is about; a command is about none, and stands for itself."""
    logical = [{"fullyQualifiedName": call.subject[:LONGEST], "kind": "function"}]
    path = call.call.path if call.call.kind in _ABOUT_A_FILE else ""
    inside = os.path.relpath(os.path.join(call.cwd or root, path), root) if path else ".."
    if inside.startswith(".."):
        return {"logicalLocations": logical}
    return {
        "logicalLocations": logical,
        "physicalLocation": {
            "artifactLocation": {"uri": inside.replace(os.sep, "/"), "uriBaseId": "%SRCROOT%"}
        },
    }


def _is_stop(call: StoppedCall) -> bool:
    return call.verdict.get("verdict") in _LEVELS and call.passed not in ("once", "audit")


def _kind(call: StoppedCall) -> str:
    """What became of it: stopped, asked about, or only noted."""
    if call.passed:
        return f"passed ({call.passed})"
    denied = call.verdict["verdict"] == "deny" or call.verdict.get("mode") == "ci"
    return "denied" if denied else "asked"


def _details(call: StoppedCall) -> str:
    said = [f"{o.get('rule')} ({o.get('layer')}): {o.get('verdict')}" for o in call.verdict.get("trace", [])]
    instead = f"Instead: {call.verdict['instead']}" if call.verdict.get("instead") else ""
    return "\n".join(filter(None, [call.subject, f"in {call.cwd}", instead, *said]))


def _plain(text: str) -> str:
    return _NOT_XML.sub("?", text[: 4 * LONGEST])
